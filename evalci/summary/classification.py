"""Accuracy, macro-F1 and per-class scores of outputs against expected labels."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from evalci.calls.endpoint import canonical
from evalci.model import CaseResult, Classification, ClassScores
from evalci.summary.numbers import mean


def classify(results: Sequence[CaseResult]) -> Classification:
    """How well the outputs match over all labelled cases, that is, over those with an expected value.

    A case without an output is labelled and wrong. The classes are the expected labels only, by code point; an
    answer outside them counts against no class's precision. Every 0/0 is 0.0.
    """
    pairs = [(label_of(result.case.expected), _prediction(result)) for result in results if _is_labelled(result)]
    support = Counter(label for label, _ in pairs)
    predicted = Counter(prediction for _, prediction in pairs)
    hits = Counter(label for label, prediction in pairs if label == prediction)
    classes = tuple(
        _class_scores(label, hits=hits[label], predicted=predicted[label], support=support[label])
        for label in sorted(support)
    )
    return Classification(
        labeled_cases=len(pairs),
        accuracy=_share(hits.total(), len(pairs)),
        macro_f1=mean(scores.f1 for scores in classes) or 0.0,
        classes=classes,
    )


def label_of(expected: Any) -> str:
    """An expected value as a label: text, or its JSON text, without space around it."""
    return (expected if isinstance(expected, str) else canonical(expected).decode()).strip()


def _is_labelled(result: CaseResult) -> bool:
    return result.case.expected is not None


def _prediction(result: CaseResult) -> str | None:
    return None if result.output is None else result.output.text.strip()


def _class_scores(label: str, *, hits: int, predicted: int, support: int) -> ClassScores:
    precision, recall = _share(hits, predicted), _share(hits, support)
    f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
    return ClassScores(label=label, precision=precision, recall=recall, f1=f1, support=support)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
