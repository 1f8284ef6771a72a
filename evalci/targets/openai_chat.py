"""A chat model behind an OpenAI-compatible API."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evalci.calls import Call, Caller, CallError, Endpoint
from evalci.calls.cost import CostRates, check_rates
from evalci.calls.endpoint import chat_endpoint, is_json
from evalci.config.settings import Fault, setting
from evalci.model import Case, Output, TargetError
from evalci.tools import Tools

RESERVED = ("model", "messages", "stream")


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenAIChat:
    """Posts each input to `{url}/chat/completions`; answers are recorded and replayed."""

    url: str = setting(about="base URL, such as https://api.openai.com/v1")
    model: str = setting(about="the model's name")
    system: str | None = setting(None, about="a system message before the input")
    params: Mapping[str, Any] | None = setting(None, about="sent along as it is: temperature, max_tokens, seed …")
    api_key_env: str | None = setting(None, about="the environment variable that holds the key")
    max_retries: int = setting(2, about="further attempts after 429, 5xx, no connection or no answer in time", low=0)
    timeout_seconds: float = setting(120, about="time for each attempt", low=1)
    cost: CostRates | None = setting(None, about="what tokens cost")

    def check(self, who: str) -> Iterator[Fault]:
        for key in RESERVED:
            if key in (self.params or {}):
                yield Fault(f"params.{key}", f'{who}: params may not set "{key}"', "the suite sets it elsewhere")
        yield from check_rates(self.cost, who)
        if not is_json(self.params):
            yield Fault("params", f"{who}: params hold a number that JSON cannot carry (NaN or infinity)")

    def build(self, tools: Tools) -> "ChatTarget":
        endpoint = chat_endpoint(self.url, self.model, system=self.system, params=self.params)
        return ChatTarget(endpoint, tools.caller(lambda: self._live(tools)), self.cost)

    def _live(self, tools: Tools) -> Caller:
        from evalci.calls.chat import ChatCaller

        return ChatCaller(
            tools.transport,
            api_key=tools.secret(self.api_key_env),
            scrub=tools.scrub,
            sleep=tools.clock.sleep,
            max_retries=self.max_retries,
            timeout_seconds=self.timeout_seconds,
        )


class ChatTarget:
    """Asks the model, or its recordings."""

    def __init__(self, endpoint: Endpoint, caller: Caller, rates: CostRates | None) -> None:
        self._endpoint = endpoint
        self._caller = caller
        self._rates = rates

    async def ask(self, case: Case, trial: int) -> Output:
        call = Call(endpoint=self._endpoint, input=case.input, label=case.id, case_id=case.id, trial=trial)
        try:
            reply = await self._caller(call)
        except CallError as exc:
            raise TargetError(str(exc)) from exc
        return Output(
            text=reply.text,
            latency_ms=reply.latency_ms,
            tokens=reply.tokens,
            cost_usd=None if self._rates is None else self._rates.of(reply.tokens),
            notes=reply.notes,
            trial=trial,
        )
