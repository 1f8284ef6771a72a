"""Model calls from Python code: recorded and replayed, counted and costed, and part of the case they were made for.

    reply = await llm.acall("gpt-4o-mini", [{"role": "user", "content": "…"}])

`OPENAI_BASE_URL` and `OPENAI_API_KEY` say where live calls go; neither is part of a recording's key.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from evalci.calls import Call, Caller, CallError, Endpoint, canonical

if TYPE_CHECKING:
    from evalci.calls.cost import CostRates
    from evalci.model import Tokens
    from evalci.tools import Tools

__all__ = ["CallError", "Reply", "acall", "call"]

KEY_VARIABLE: Final = "OPENAI_API_KEY"
URL_VARIABLE: Final = "OPENAI_BASE_URL"
DEFAULT_URL: Final = "https://api.openai.com/v1"
RESERVED: Final = ("model", "messages", "stream")


class Reply(NamedTuple):
    """An answer: its text, the model that was asked, its tokens and cost as far as they are known."""

    text: str
    model: str
    tokens: "Tokens | None" = None
    cost_usd: float | None = None
    latency_ms: int = 0


class Made(NamedTuple):
    """A call that was made for a case, with its answer."""

    messages: Sequence[Mapping[str, Any]]
    reply: Reply


@dataclass(kw_only=True, slots=True)
class Session:
    """What is being run just now: calls go through its caller and are noted in `made`.

    `loop` is where the run lives, for calls from threads.
    """

    caller: Caller
    case_id: str
    label: str
    trial: int = 0
    prices: "Mapping[str, CostRates]" = field(default_factory=dict)
    loop: asyncio.AbstractEventLoop | None = None
    made: list[Made] = field(default_factory=list)

    @property
    def tokens(self) -> "Tokens | None":
        """The tokens of all calls, None when none is known."""
        total = None
        for _, reply in self.made:
            if reply.tokens is not None:
                total = reply.tokens.plus(total)
        return total

    @property
    def cost_usd(self) -> float | None:
        """What all calls cost, None when nothing is known."""
        known = [made.reply.cost_usd for made in self.made if made.reply.cost_usd is not None]
        return sum(known) if known else None


_SESSION: ContextVar[Session | None] = ContextVar("evalci_session", default=None)


@contextmanager
def session(current: Session) -> Iterator[Session]:
    """Calls inside the block belong to this session."""
    token = _SESSION.set(current)
    try:
        yield current
    finally:
        _SESSION.reset(token)


async def acall(model: str, messages: Sequence[Mapping[str, Any]], **params: Any) -> Reply:
    """The model's reply to a list of chat messages. Raises `CallError` when there is none.

    `params` go along as they are: temperature, max_tokens, seed, tools …
    """
    current = _SESSION.get()
    return await _ask(current, model, messages, params)


def call(model: str, messages: Sequence[Mapping[str, Any]], **params: Any) -> Reply:
    """The same for code that is not async."""
    current = _SESSION.get()
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass
    else:
        raise RuntimeError("llm.call would stop every other case; use `await llm.acall(…)` in async code")
    asking = _ask(current, model, messages, params)
    if current is None or current.loop is None:
        return asyncio.run(asking)
    return asyncio.run_coroutine_threadsafe(asking, current.loop).result()


async def _ask(
    current: Session | None, model: str, messages: Sequence[Mapping[str, Any]], params: Mapping[str, Any]
) -> Reply:
    for name in RESERVED:
        if name in params:
            raise TypeError(f"llm: {name} cannot be set among the params")
    said = [dict(message) for message in messages]
    identity: dict[str, Any] = {"type": "openai-messages", "model": model}
    if params:
        identity["params"] = dict(params)
    endpoint = Endpoint("chat", identity)
    text = canonical(said).decode("utf-8")
    if current is None:
        return _reply(model, await _call_outside(Call(endpoint, text, "llm", "llm")), {})
    answer = await current.caller(Call(endpoint, text, current.label, current.case_id, current.trial))
    reply = _reply(model, answer, current.prices)
    current.made.append(Made(said, reply))
    return reply


def _reply(model: str, answer: Any, prices: "Mapping[str, CostRates]") -> Reply:
    rates = prices.get(model)
    cost = None if rates is None else rates.of(answer.tokens)
    return Reply(answer.text, model, answer.tokens, cost, answer.latency_ms)


def recorded_caller(tools: "Tools") -> Caller:
    """The caller of a run: from the cassette, or live as far as the run may."""

    def live() -> Caller:
        from evalci.calls.messages import MessagesCaller

        return MessagesCaller(
            tools.transport,
            url=tools.environ.get(URL_VARIABLE) or DEFAULT_URL,
            api_key=tools.environ.get(KEY_VARIABLE) or None,
            scrub=tools.scrub,
            sleep=tools.clock.sleep,
        )

    return tools.caller(live)


async def _call_outside(call: Call) -> Any:
    """A call that belongs to no run: live, and recorded nowhere."""
    import os

    from evalci.calls.messages import MessagesCaller
    from evalci.calls.transport import Transport

    transport = Transport(str)
    url, key = os.environ.get(URL_VARIABLE) or DEFAULT_URL, os.environ.get(KEY_VARIABLE) or None
    try:
        return await MessagesCaller(transport, url=url, api_key=key, scrub=str, sleep=asyncio.sleep)(call)
    finally:
        await transport.close()
