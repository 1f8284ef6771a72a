"""The verdict of a run: the per-case or baseline contract, every gate, the threshold, and completeness."""

from collections.abc import Iterable, Iterator, Sequence

from evalci.errors import EXIT_FAILED, EXIT_INCOMPLETE, EXIT_PASSED
from evalci.gates.bounds import TOLERANCE, telling
from evalci.model import BaselineDiff, CaseResult, GateOutcome, Verdict
from evalci.summary.numbers import mean
from evalci.summary.verdicts import is_failing
from evalci.wording import count_of, plain_number, quoted


def decide(
    *,
    results: Sequence[CaseResult],
    gates: Sequence[GateOutcome] = (),
    baseline: BaselineDiff | None = None,
    threshold: float | None = None,
    incomplete: Sequence[str] = (),
    require_baseline: bool = False,
    no_baseline: str = "",
    drop_accepted: bool = False,
) -> Verdict:
    """Whether a run, or one arm of it, passed, and every reason why not, the most important first.

    With a baseline, failures that it accepted are tolerated; without one every failing case counts. `incomplete` is
    what evidence lacks; `no_baseline` says why there is no baseline. `drop_accepted` tolerates what got worse since the
    baseline; it accepts nothing else.
    """
    reasons = [
        *(f"the evidence is incomplete: {what}" for what in incomplete),
        *_case_reasons(results, baseline, drop_accepted=drop_accepted),
        *([_missing_baseline(no_baseline)] if require_baseline and baseline is None else []),
        *map(_gate_reason, (gate for gate in gates if not gate.passed)),
        *([] if threshold is None else _threshold_reasons(results, threshold)),
    ]
    return _verdict(reasons, incomplete=bool(incomplete))


def decide_all(arms: Sequence[tuple[str, Verdict]]) -> Verdict:
    """The verdict over several runs, each named: it passes when every one of them does, and there is one."""
    reasons = [f"{name}: {reason}" for name, verdict in arms for reason in verdict.reasons]
    if not arms:
        reasons = ["nothing was run, and a run without cases is not a pass"]
    return _verdict(reasons, incomplete=any(verdict.exit_code == EXIT_INCOMPLETE for _, verdict in arms))


def measured_mean(results: Iterable[CaseResult]) -> float | None:
    """The mean over all scores of all cases that have a value, None when nothing was measured."""
    return mean(score.value for result in results for score in result.scores)


def _verdict(reasons: Sequence[str], *, incomplete: bool) -> Verdict:
    if not reasons:
        return Verdict(passed=True, exit_code=EXIT_PASSED)
    return Verdict(passed=False, exit_code=EXIT_INCOMPLETE if incomplete else EXIT_FAILED, reasons=tuple(reasons))


def _case_reasons(
    results: Sequence[CaseResult], baseline: BaselineDiff | None, *, drop_accepted: bool
) -> Iterator[str]:
    if not results:
        yield "no case was run, and a run without cases is not a pass"
    elif baseline is None:
        yield from _failing(results)
    elif not drop_accepted:
        yield from _worse(baseline)


def _failing(results: Sequence[CaseResult]) -> Iterator[str]:
    failing = [result.status for result in results if is_failing(result.status)]
    if failing:
        details = [f"{failing.count(kind)} {kind}" for kind in ("errored", "skipped") if kind in failing]
        among = f" ({', '.join(details)})" if details else ""
        yield f"{len(failing)} of {count_of(len(results), 'case')} failed{among}"


def _worse(baseline: BaselineDiff) -> Iterator[str]:
    if baseline.regressed:
        yield f"{count_of(len(baseline.regressed), 'case')} regressed against baseline {quoted(baseline.label)}"
    if baseline.new_failing:
        edited = {change.case_id for change in baseline.edited}
        both = sum(change.case_id in edited for change in baseline.new_failing)
        among = f" ({both} edited since the baseline)" if both else ""
        yield f"{count_of(len(baseline.new_failing), 'new failing case')}{among}"


def _missing_baseline(why: str) -> str:
    return f"a baseline is required and there is none: {why}" if why else "a baseline is required and there is none"


def _gate_reason(gate: GateOutcome) -> str:
    seen = f"{gate.actual:.2f}" if gate.actual is not None else "nothing was seen"
    return f"gate {gate.gate} failed: {gate.reason or seen}"


def _threshold_reasons(results: Sequence[CaseResult], threshold: float) -> Iterator[str]:
    seen = measured_mean(results)
    if seen is None:
        yield f"nothing was measured, so the mean score cannot be held against the threshold {plain_number(threshold)}"
    elif not seen >= threshold - TOLERANCE:
        yield f"the mean score {telling(seen, threshold)} is below the threshold {plain_number(threshold)}"
