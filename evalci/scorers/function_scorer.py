"""Asks a Python function about outputs: it gets what it declares, and what it returns means one thing each."""

import asyncio
import contextvars
import inspect
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from typing import Any, Final

from evalci import llm
from evalci.calls import Caller, CallError
from evalci.calls.cost import CostRates
from evalci.model import Case, Output, Score
from evalci.scorers.python_score import Score as PublicScore
from evalci.scorers.signature import WrongSignature, arguments_of
from evalci.wording import plain_number, snippet

_INLINE: Final = "__evalci_inline__"
_MOST_THREADS: Final = 64


class FunctionScorer:
    """One function in its place in a suite. `caller` is where its model calls go.

    `value` finds what the function judges in an output: its text, or in a Python suite what the task returned.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        caller: Caller,
        *,
        prices: Mapping[str, CostRates] | None = None,
        threshold: float | None = None,
        value: Callable[[Output], Any] = lambda output: output.text,
        fingerprint: str | None = None,
    ) -> None:
        self.fingerprint = fingerprint
        self._function = function
        self._caller = caller
        self._prices = prices or {}
        self._threshold = threshold
        self._value = value

    async def score(self, case: Case, output: Output) -> Score:
        current = llm.Session(
            caller=self._caller,
            case_id=case.id,
            label=f"score:{case.id}",
            trial=output.trial,
            prices=self._prices,
            loop=asyncio.get_running_loop(),
        )
        offered = {"output": self._value(output), "expected": case.expected, "case": case}
        try:
            taken = [offered[name] for name in arguments_of(self._function)]
            with llm.session(current):
                score = score_of(await run_function(self._function, *taken))
        except CallError as exc:
            score = Score.broken(str(exc) or "the call failed")
        except WrongSignature as exc:
            score = Score.broken(f"TypeError: {exc}")
        except Exception as exc:
            score = Score.broken(f"{type(exc).__name__}: {exc}")
        return _with_calls(self._judged(score), current)

    def _judged(self, score: Score) -> Score:
        """With a threshold, a number that came without a verdict gets one."""
        threshold, value = self._threshold, score.value
        if threshold is None or value is None or score.passed is not None:
            return score
        passed = value >= threshold
        short = "" if passed else f"{plain_number(value)} is below {plain_number(threshold)}"
        return replace(score, passed=passed, reason=score.reason or short)


def score_of(returned: Any) -> Score:
    """What a return value says: a bool is a verdict, a number a place on the scale, a Score itself."""
    if isinstance(returned, PublicScore):
        return returned.as_result()
    if isinstance(returned, bool):
        return Score(value=float(returned), passed=returned, reason="" if returned else "the function returned False")
    if isinstance(returned, (int, float)):
        if not 0 <= returned <= 1:
            return Score.broken(f"ValueError: the scorer returned {snippet(repr(returned))}, outside 0.0..=1.0")
        return Score(value=float(returned))
    kind = type(returned).__name__
    return Score.broken(f"TypeError: a scorer returns a bool, a number from 0 to 1 or a Score, got {kind}")


async def run_function(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function returns, awaited where it is async; one that is not works in a thread of its own."""
    if getattr(function, _INLINE, False):
        return function(*arguments)
    call = function if inspect.isroutine(function) else getattr(function, "__call__", function)  # noqa: B004
    if inspect.iscoroutinefunction(call):
        return await function(*arguments)
    context = contextvars.copy_context()
    loop = asyncio.get_running_loop()
    returned = await loop.run_in_executor(_threads(), lambda: context.run(function, *arguments))
    return await returned if inspect.isawaitable(returned) else returned


@cache
def _threads() -> ThreadPoolExecutor:
    """Threads apart from the loop's own, which a waiting function must not take from name look-ups."""
    return ThreadPoolExecutor(max_workers=_MOST_THREADS, thread_name_prefix="evalci")


def _with_calls(score: Score, current: llm.Session) -> Score:
    """The score with the model calls that it took, in the order they were answered."""
    if not current.made:
        return score
    about = {**(score.metadata or {}), "calls": [shown_call(made) for made in current.made]}
    return replace(score, metadata=about, tokens=current.tokens, cost_usd=current.cost_usd)


def shown_call(made: llm.Made) -> dict[str, Any]:
    """A call as a report tells it; what was asked stays in the cassette, where secrets are redacted."""
    reply = made.reply
    shown: dict[str, Any] = {"model": reply.model, "reply": snippet(reply.text)}
    if reply.tokens is not None:
        shown["tokens"] = {"input": reply.tokens.input, "output": reply.tokens.output}
    return shown
