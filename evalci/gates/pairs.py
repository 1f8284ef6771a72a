"""Cases beside what the baseline holds of them: what a drop is measured over."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from evalci.gates.facts import GateFacts
from evalci.gates.measures import gate_scores, is_of
from evalci.model import CaseResult, Snapshot
from evalci.summary.attempts import attempts_of, scores_by_label
from evalci.summary.numbers import mean
from evalci.summary.verdicts import case_passed


class Pair(NamedTuple):
    """One case's value in the baseline and now."""

    before: float
    after: float


def verdict_pairs(facts: GateFacts) -> list[Pair]:
    """1.0 for passed and 0.0 for not, over unchanged cases that the baseline judged.

    A verdict that was lost counts as not passed.
    """
    return [
        Pair(float(snapshot.status == "passed"), float(case_passed(result)))
        for result, snapshot in _unchanged(facts)
        if snapshot.status != "unjudged"
    ]


def score_pairs(facts: GateFacts, scorer: str) -> list[Pair]:
    """The mean of one scorer's scores over unchanged cases that have one in the baseline.

    What cannot be measured now, because the scorer or the target broke, is 0.0.
    """
    labels = _labels_of(facts.results, scorer)
    pairs = []
    for result, snapshot in _unchanged(facts):
        known = {label: value for label, value in snapshot.scores.items() if value is not None and label in labels}
        seen = gate_scores(result)
        before, after = mean(known.values()), mean(seen.get(label, 0.0) for label in known)
        if before is not None and after is not None:
            pairs.append(Pair(before, after))
    return pairs


def _unchanged(facts: GateFacts) -> list[tuple[CaseResult, Snapshot]]:
    before: Mapping[str, Snapshot] = facts.before or {}
    return [(result, before[result.id]) for result in facts.results if result.id in before]


def _labels_of(results: Sequence[CaseResult], scorer: str) -> Collection[str]:
    """The score labels that a scorer's name or type stands for; its own name even when every case errored."""
    labels = {scorer}
    for result in results:
        slots = scores_by_label(attempts_of(result))
        labels.update(label for label, slot in slots.items() if is_of(slot[0][1], scorer))
    return labels
