"""A recorded agent run, read from a file that each case names. Nothing is started, called or recorded."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from evalci.calls.cost import CostRates, check_rates
from evalci.config.settings import Fault, setting
from evalci.files import FileRefused
from evalci.model import Case, Output, Step, TargetError, Trajectory
from evalci.targets.traces import BadTrace, Trace, read_trace
from evalci.targets.traces.native import trajectory_text
from evalci.tools import Tools


@dataclass(frozen=True, kw_only=True, slots=True)
class TraceFile:
    """Reads the file in a case's `trace`: the final answer becomes the output, the tool calls its trajectory."""

    cost: CostRates | None = setting(None, about="what the tokens that a trace counts cost")

    def check(self, who: str) -> Iterator[Fault]:
        yield from check_rates(self.cost, who)

    def build(self, tools: Tools) -> "TraceTarget":
        return TraceTarget(self.cost, tools)


class TraceTarget:
    """Reads one trace per case; a file that cannot be read as one fails its own case."""

    def __init__(self, rates: CostRates | None, tools: Tools) -> None:
        self._rates = rates
        self._tools = tools

    async def ask(self, case: Case, trial: int) -> Output:
        trace = self._read(case)
        trajectory = _scrubbed(trace.trajectory, self._tools.scrub)
        answer = trace.final_output
        return Output(
            text=trajectory_text(trajectory) if answer is None else self._tools.scrub(answer),
            latency_ms=trace.latency_ms,
            tokens=trace.tokens,
            cost_usd=None if self._rates is None else self._rates.of(trace.tokens),
            trajectory=trajectory,
            trial=trial,
        )

    def _read(self, case: Case) -> Trace:
        if case.trace is None:
            raise TargetError("the case names no trace; a trace target reads the file in its `trace`")
        try:
            return read_trace(self._tools.files.read(case.trace, self._tools.folder))
        except FileRefused as exc:
            raise TargetError(f"failed to read trace {exc}") from exc
        except BadTrace as exc:
            raise TargetError(f"{case.trace}: {exc}") from exc


def _scrubbed(trajectory: Trajectory, scrub: Callable[[str], str]) -> Trajectory:
    """The same steps without secrets."""
    return Trajectory(
        steps=tuple(
            Step(
                tool=scrub(step.tool),
                input=_scrubbed_value(step.input, scrub),
                output=_scrubbed_value(step.output, scrub),
                has_output=step.has_output,
            )
            for step in trajectory.steps
        )
    )


def _scrubbed_value(value: Any, scrub: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return scrub(value)
    if isinstance(value, list):
        return [_scrubbed_value(item, scrub) for item in value]
    if isinstance(value, dict):
        return {scrub(key): _scrubbed_value(item, scrub) for key, item in value.items()}
    return value
