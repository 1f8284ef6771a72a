"""The task of a Python suite as a target: a function that is given a case's input."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from evalci import llm
from evalci.calls import Caller, CallError, canonical
from evalci.calls.cost import CostRates
from evalci.model import Case, Output, Step, TargetError, Trajectory
from evalci.scorers.function_scorer import FunctionScorer, run_function, shown_call
from evalci.tools import Tools


@dataclass(frozen=True, kw_only=True, slots=True)
class PythonOutput(Output):
    """An output together with what the task returned, which need not be text."""

    value: Any = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """A task as the suite sets it up."""

    pass_env: ClassVar[tuple[str, ...]] = (llm.KEY_VARIABLE,)

    function: Callable[..., Any]
    prices: Mapping[str, CostRates] = field(default_factory=dict)

    def build(self, tools: Tools) -> "TaskTarget":
        return TaskTarget(self, llm.recorded_caller(tools))


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """A scorer function as the suite sets it up."""

    function: Callable[..., Any]
    prices: Mapping[str, CostRates] = field(default_factory=dict)

    def build(self, tools: Tools) -> FunctionScorer:
        return FunctionScorer(self.function, llm.recorded_caller(tools), prices=self.prices, value=returned)


class TaskTarget:
    """Runs the task; its model calls are what the output took, in time, tokens and money."""

    def __init__(self, settings: Task, caller: Caller) -> None:
        self._settings = settings
        self._caller = caller

    async def ask(self, case: Case, trial: int) -> Output:
        current = llm.Session(
            caller=self._caller,
            case_id=case.id,
            label=case.id,
            trial=trial,
            prices=self._settings.prices,
            loop=asyncio.get_running_loop(),
        )
        try:
            with llm.session(current):
                value = await run_function(self._settings.function, case.input)
        except CallError as exc:
            raise TargetError(str(exc)) from exc
        except Exception as exc:
            raise TargetError(f"{type(exc).__name__}: {exc}") from exc
        return PythonOutput(
            text=_text(value),
            value=value,
            # No clock: what was recorded took so long, and a replay says the same.
            latency_ms=sum(made.reply.latency_ms for made in current.made),
            tokens=current.tokens,
            cost_usd=current.cost_usd,
            trajectory=_calls(current),
            trial=trial,
        )


def returned(output: Output) -> Any:
    """What the task returned."""
    return output.value if isinstance(output, PythonOutput) else output.text


def _text(value: Any) -> str:
    """What a report shows of a value: text as it is, anything else as JSON where it can be."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    try:
        return canonical(value).decode("utf-8")
    except (TypeError, RecursionError):
        return str(value)


def _calls(current: llm.Session) -> Trajectory | None:
    """The task's model calls as the steps it took, None without any."""
    steps = []
    for made in current.made:
        call = shown_call(made)
        steps.append(Step(tool="llm", input={"model": call["model"]}, output=call["reply"], has_output=True))
    return Trajectory(steps=tuple(steps)) if steps else None
