"""A case's attempts and their scores, alike for one trial and for several."""

from collections.abc import Sequence

from evalci.model import CaseResult, Score, Trial
from evalci.summary.verdicts import verdict_of


def attempts_of(result: CaseResult) -> tuple[Trial, ...]:
    """The trials of a case; a case of a single trial is that trial."""
    if result.trials:
        return result.trials
    passed = verdict_of(result.status)
    return (Trial(passed=passed, output=result.output, error=result.error, scores=result.scores),)


def labels_of(scores: Sequence[Score]) -> tuple[str, ...]:
    """A label for each score, no two alike: its scorer's name, from the second of that name on with `#2`, `#3`, …"""
    labels: list[str] = []
    for score in scores:
        label, count = score.scorer, 1
        while label in labels:
            count += 1
            label = f"{score.scorer}#{count}"
        labels.append(label)
    return tuple(labels)


def scores_by_label(attempts: Sequence[Trial]) -> dict[str, list[tuple[int, Score]]]:
    """For each scorer, in the suite's order, its score of every attempt that has one, with the attempt's number."""
    found: dict[str, list[tuple[int, Score]]] = {}
    for number, attempt in enumerate(attempts):
        for label, score in zip(labels_of(attempt.scores), attempt.scores, strict=True):
            found.setdefault(label, []).append((number, score))
    return found
