"""How a run's `program` executions went, taken together."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from evalci.model import CaseResult, Output, ProgramStats


def program_stats(results: Sequence[CaseResult]) -> ProgramStats | None:
    """The aggregate over every execution of every trial, None when no program was run."""
    outputs = [output for result in results for output in _outputs(result)]
    return aggregate([output.program for output in outputs if output is not None and output.program is not None])


def _outputs(result: CaseResult) -> list[Output | None]:
    """The output of each attempt at a case."""
    return [trial.output for trial in result.trials] if result.trials else [result.output]


def aggregate(executions: Sequence[Mapping[str, Any]]) -> ProgramStats | None:
    """Reasons counted, and rates; None over nothing.

    An execution has `reason`, `timed_out`, `exit_code`, and `exit_ok` where more exit codes than 0 count as a
    success. The success rate is about exit codes alone, over the executions that have one.
    """
    if not executions:
        return None
    exits = [ok for ok in map(_exit_ok, executions) if ok is not None]
    return ProgramStats(
        reason_counts=dict(Counter(str(execution.get("reason", "unknown")) for execution in executions)),
        timeout_rate=sum(execution.get("timed_out") is True for execution in executions) / len(executions),
        success_rate=sum(exits) / len(exits) if exits else 0.0,
        total_executions=len(executions),
    )


def _exit_ok(execution: Mapping[str, Any]) -> bool | None:
    ok, code = execution.get("exit_ok"), execution.get("exit_code")
    if isinstance(ok, bool):
        return ok
    return None if code is None else code == 0
