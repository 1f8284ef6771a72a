"""Two states of a suite laid side by side: what differs, without a word on which is to be preferred."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from evalci.baseline.snapshot import BaselineCase
from evalci.model import CaseResult
from evalci.summary.numbers import mean
from evalci.summary.verdicts import verdict_of

# Score moves below this are noise in the systems that have been watched for it.
SMALLEST_MOVE: Final = 0.05


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """One case of one state: the mean of its values and its verdict, None where there is none.

    `content` is a digest of the case where the state kept one.
    """

    value: float | None = None
    passed: bool | None = None
    errored: bool = False
    content: str | None = None

    @property
    def measurement(self) -> str:
        """How the case was measured at all; a change of this comes before any other."""
        if self.errored:
            return "errored"
        if self.passed is not None:
            return "judged"
        return "unmeasured" if self.value is None else "scored without a verdict"


@dataclass(frozen=True, kw_only=True, slots=True)
class SideBySide:
    """What differs between two states, each list in the order of the first, additions in the order of the second.

    `mean_delta` is the second mean minus the first over the cases that have a value in both; None without any.
    """

    flips: tuple[tuple[str, bool, bool], ...] = ()
    moves: tuple[tuple[str, float], ...] = ()
    amended: tuple[str, ...] = ()
    measurement_changes: tuple[tuple[str, str, str], ...] = ()
    only_before: tuple[str, ...] = ()
    only_after: tuple[str, ...] = ()
    mean_delta: float | None = None
    common: int = 0

    @property
    def nothing_differs(self) -> bool:
        lists = (self.flips, self.moves, self.amended, self.measurement_changes, self.only_before, self.only_after)
        return not any(lists) and not self.mean_delta


def lay_side_by_side(before: Mapping[str, Standing], after: Mapping[str, Standing]) -> SideBySide:
    """What differs. A case whose content changed is amended, and nothing else is said of it."""
    common = [case_id for case_id in before if case_id in after]
    amended = [case_id for case_id in common if _is_amended(before[case_id], after[case_id])]
    pairs = [(case_id, before[case_id], after[case_id]) for case_id in common if case_id not in set(amended)]
    changed = [(i, b.measurement, a.measurement) for i, b, a in pairs if b.measurement != a.measurement]
    alike = [(i, b, a) for i, b, a in pairs if b.measurement == a.measurement]
    deltas = [a.value - b.value for _, b, a in pairs if a.value is not None and b.value is not None]
    return SideBySide(
        flips=tuple((i, b.passed, a.passed) for i, b, a in alike if _flipped(b.passed, a.passed)),  # type: ignore[misc]
        moves=tuple((i, a.value - b.value) for i, b, a in alike if _moved(b, a)),  # type: ignore[operator]
        amended=tuple(amended),
        measurement_changes=tuple(changed),
        only_before=tuple(case_id for case_id in before if case_id not in after),
        only_after=tuple(case_id for case_id in after if case_id not in before),
        mean_delta=mean(deltas),
        common=len(common),
    )


def standing_of(result: CaseResult) -> Standing:
    """A case of a report."""
    return Standing(
        value=mean(score.value for score in result.scores),
        passed=None if result.status == "errored" else verdict_of(result.status),
        errored=result.status == "errored",
    )


def accepted_standing(case: BaselineCase) -> Standing:
    """A case of a baseline."""
    return Standing(
        value=mean(case.scores.values()),
        passed=None if case.status == "errored" else verdict_of(case.status),
        errored=case.status == "errored",
        content=case.content,
    )


def _is_amended(before: Standing, after: Standing) -> bool:
    return None not in (before.content, after.content) and before.content != after.content


def _flipped(before: bool | None, after: bool | None) -> bool:
    return before is not None and after is not None and before != after


def _moved(before: Standing, after: Standing) -> bool:
    """A score that moved where no verdict says what the move means."""
    if before.passed is not None or before.value is None or after.value is None:
        return False
    return abs(after.value - before.value) >= SMALLEST_MOVE - 1e-9
