"""A case's scores as a gate counts them: what could not be measured is 0.0."""

from collections.abc import Iterator

from evalci.model import CaseResult, Score
from evalci.summary.attempts import attempts_of, scores_by_label
from evalci.summary.numbers import mean


def gate_scores(result: CaseResult, scorer: str | None = None) -> dict[str, float]:
    """Per score label, its value over the case's trials, each broken one counting as 0.0.

    A trial whose target errored has no scores and adds nothing. `scorer` keeps those of that name or type.
    """
    return {
        label: mean(0.0 if score.value is None else score.value for _, score in slot) or 0.0
        for label, slot in scores_by_label(attempts_of(result)).items()
        if is_of(slot[0][1], scorer)
    }


def broken_scores(result: CaseResult, scorer: str | None = None) -> int:
    """How many of them broke, over all trials."""
    return sum(score.error is not None for score in _all_scores(result) if is_of(score, scorer))


def is_of(score: Score, scorer: str | None) -> bool:
    """Whether a score comes from the scorer of this name or type; None means any."""
    return scorer is None or scorer in (score.scorer, score.type)


def _all_scores(result: CaseResult) -> Iterator[Score]:
    for attempt in attempts_of(result):
        yield from attempt.scores
