"""What the scores of one attempt add up to: a status, and a verdict that may be missing."""

from collections.abc import Sequence
from typing import Literal

from evalci.model import CaseResult, Output, Score, Status, Trial

ScorerErrors = Literal["fail", "exclude"]


def status_of(error: str | None, scores: Sequence[Score], scorer_errors: ScorerErrors = "fail") -> Status:
    """The status of one attempt: `errored` when its target broke, or a scorer did.

    Under `fail` one broken scorer is enough; under `exclude` it is left out and the rest decides, but when all of
    them broke nothing was measured. Without any verdict the attempt is `unjudged`.
    """
    if error is not None:
        return "errored"
    measured = [score.passed for score in scores if score.error is None]
    if len(measured) < len(scores) and (scorer_errors == "fail" or not measured):
        return "errored"
    if False in measured:
        return "failed"
    return "passed" if True in measured else "unjudged"


def verdict_of(status: Status) -> bool | None:
    """Whether a status counts as passed; None when it is no verdict."""
    return None if status == "unjudged" else status == "passed"


def attempt(
    *,
    output: Output | None = None,
    error: str | None = None,
    scores: tuple[Score, ...] = (),
    scorer_errors: ScorerErrors = "fail",
) -> Trial:
    """One attempt with its verdict: an output and its scores, or the target's error."""
    passed = verdict_of(status_of(error, scores, scorer_errors))
    return Trial(passed=passed, output=output, error=error, scores=scores)


def case_passed(result: CaseResult) -> bool:
    """Only `passed` counts as passed."""
    return result.status == "passed"


def is_failing(status: Status) -> bool:
    """Neither passed nor unjudged: what a run's `failed` counts."""
    return status not in ("passed", "unjudged")
