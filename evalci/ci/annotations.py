"""Failing cases as remarks on their own lines of the dataset, the most important first."""

from collections.abc import Iterator

from evalci.ci.commands import Annotation, Level
from evalci.model import CaseResult, Report
from evalci.wording import snippet

# Whoever reads the pull request sees ten of each level; a message longer than this is no remark any more.
_REASON_CHARS = 600


def annotations(report: Report, *, texts_hidden: bool) -> Iterator[Annotation]:
    """What got worse first, as errors; then other failures, as warnings; accepted ones not at all."""
    for arm in report.arms or (report,):
        worse = _worse(arm)
        accepted = {change.case_id for change in arm.baseline.accepted} if arm.baseline else set()
        failing = [r for r in arm.results if r.status not in ("passed", "unjudged") and r.id not in accepted]
        failing.sort(key=lambda result: result.id not in worse)
        level = Level.WARNING if arm.verdict.passed else Level.ERROR
        for result in failing:
            yield _annotation(result, worse.get(result.id, "failed"), level, texts_hidden=texts_hidden)
        for gate in arm.gates:
            if not gate.passed:
                yield Annotation(level=Level.ERROR, title="gate", message=f"{gate.gate} failed {gate.reason}".strip())


def _worse(report: Report) -> dict[str, str]:
    diff = report.baseline
    if diff is None:
        return {}
    new = {change.case_id: "newly failing" for change in diff.new_failing}
    return {**new, **{change.case_id: "regressed" for change in diff.regressed}}


def _annotation(result: CaseResult, what: str, level: Level, *, texts_hidden: bool) -> Annotation:
    source = result.case.source
    reasons = "; ".join(result.failures()) or result.status
    said = "the report says why" if texts_hidden else snippet(reasons, _REASON_CHARS)
    return Annotation(
        level=level,
        title=f"eval case {what}",
        message=f"{snippet(result.id, 100)}: {said}",
        file=source.file if source else None,
        line=source.line if source else None,
    )
