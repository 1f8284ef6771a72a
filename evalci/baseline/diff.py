"""A run against an accepted state: what got worse, what is new, what changed."""

from collections.abc import Iterable, Mapping, Sequence

from evalci.baseline.snapshot import Baseline, BaselineCase, content_digest, snapshot_of
from evalci.model import BaselineDiff, CaseResult, Change, Snapshot, Status
from evalci.summary.verdicts import case_passed, is_failing


def compare(
    baseline: Baseline,
    results: Sequence[CaseResult],
    *,
    label: str,
    source: str,
    target: str,
    scorers: str | None = None,
    alone: bool = True,
    partial: bool = False,
) -> BaselineDiff:
    """One arm of a run against the same arm of the baseline.

    `scorers` is the digest of the scorers' config now; `alone` is False for an arm of a matrix; under `partial`, a
    filtered or sharded run, the baseline's other cases are not part of the comparison.
    """
    before = {case.case_id: case for case in baseline.arm(target, alone=alone)}
    current = {result.id for result in results}
    compared = [case for case in before.values() if not partial or case.case_id in current]
    kinds = [(result, _kinds(before.get(result.id), result)) for result in results]
    changes = {
        kind: tuple(_change(before.get(result.id), result) for result, found in kinds if kind in found)
        for kind in ("regressed", "new_failing", "edited", "fixed", "accepted")
    }
    return BaselineDiff(
        label=label,
        source=source,
        passed=not (changes["regressed"] or changes["new_failing"]),
        before_passed=sum(case.status == "passed" for case in compared),
        before_total=len(compared),
        after_passed=sum(map(case_passed, results)),
        after_total=len(results),
        removed=tuple(_removed(case) for case in compared if case.case_id not in current),
        like_for_like=baseline.scorers == scorers,
        **changes,
    )


def unchanged(
    baseline: Baseline, results: Iterable[CaseResult], *, target: str, alone: bool = True
) -> dict[str, Snapshot]:
    """What the baseline holds of the cases whose content is still the same, by case id: all that can be compared."""
    before: Mapping[str, BaselineCase] = {case.case_id: case for case in baseline.arm(target, alone=alone)}
    return {
        result.id: before[result.id].snapshot
        for result in results
        if result.id in before and not _is_edited(before[result.id], result)
    }


def _kinds(before: BaselineCase | None, after: CaseResult) -> tuple[str, ...]:
    """The lists of the diff that a case belongs to. Edited cases count as new."""
    if before is None:
        return ("new_failing",) if is_failing(after.status) else ()
    if _is_edited(before, after):
        return ("edited", "new_failing") if is_failing(after.status) else ("edited",)
    return _moves(before.status, after.status)


def _moves(before: Status, after: Status) -> tuple[str, ...]:
    """An unchanged case's move. It regressed when it was not failing and is now, or when a pass lost its verdict.

    A failure that lost its verdict is not fixed: it is still one that was accepted.
    """
    if before == "unjudged":
        return ("regressed",) if is_failing(after) else ()
    if before == "passed":
        return () if after == "passed" else ("regressed",)
    return ("fixed",) if after == "passed" else ("accepted",)


def _is_edited(before: BaselineCase, after: CaseResult) -> bool:
    return before.content != content_digest(after.case)


def _change(before: BaselineCase | None, after: CaseResult) -> Change:
    return Change(case_id=after.id, before=before.snapshot if before else None, after=snapshot_of(after))


def _removed(before: BaselineCase) -> Change:
    return Change(case_id=before.case_id, before=before.snapshot)
