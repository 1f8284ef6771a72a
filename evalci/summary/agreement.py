"""How far a scorer's verdicts agree with people's: counts, accuracy, Cohen's kappa, and where they part. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

CONFIDENCE: Final = 0.95


@dataclass(frozen=True, kw_only=True, slots=True)
class Labelled:
    """One answer: what people said, and the scorer's value, None where it gave none or people saw another answer."""

    case_id: str
    human: bool
    value: float | None
    is_stale: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Agreement:
    """The confusion table of a scorer against people: who let the answer pass."""

    both: int = 0
    scorer_only: int = 0
    people_only: int = 0
    neither: int = 0

    @property
    def total(self) -> int:
        return self.both + self.scorer_only + self.people_only + self.neither

    @property
    def agreed(self) -> int:
        return self.both + self.neither

    @property
    def accuracy(self) -> float | None:
        """Agreed over all, None over nothing."""
        return self.agreed / self.total if self.total else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa: agreement beyond chance, 1 at most.

        None when chance alone agrees always: both said the same of every answer, or there was none.
        """
        total = self.total
        passes = (self.both + self.scorer_only) * (self.both + self.people_only)
        fails = (self.neither + self.people_only) * (self.neither + self.scorer_only)
        by_chance = passes + fails
        # Whole numbers until the last division, so that an undefined kappa is seen exactly.
        if by_chance == total * total:
            return None
        return (self.agreed * total - by_chance) / (total * total - by_chance)

    def interval(self, confidence: float = CONFIDENCE) -> tuple[float, float] | None:
        """Wilson's interval for the accuracy, None over nothing."""
        return wilson(self.agreed, self.total, confidence) if self.total else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Best:
    """The threshold that agrees best, and how well."""

    threshold: float
    agreement: Agreement


def agreement(answers: Sequence[Labelled], threshold: float) -> Agreement:
    """The table of all answers that have a value, one at the threshold or above being let pass."""
    seen = [(answer.value >= threshold, answer.human) for answer in answers if answer.value is not None]
    return Agreement(
        both=seen.count((True, True)),
        scorer_only=seen.count((True, False)),
        people_only=seen.count((False, True)),
        neither=seen.count((False, False)),
    )


def parted(answers: Sequence[Labelled], threshold: float) -> tuple[Labelled, ...]:
    """The answers of which scorer and people say different things, in order."""
    return tuple(a for a in answers if a.value is not None and (a.value >= threshold) != a.human)


def best_threshold(answers: Sequence[Labelled]) -> Best | None:
    """Of all values seen, the one that agrees most often; of equals the highest kappa, then the strictest.

    None when there is no value.
    """
    values = sorted({answer.value for answer in answers if answer.value is not None})
    tried = [Best(threshold=value, agreement=agreement(answers, value)) for value in values]
    return max(tried, key=_goodness, default=None)


def _goodness(best: Best) -> tuple[int, float, float]:
    kappa = best.agreement.kappa
    return best.agreement.agreed, -1.0 if kappa is None else kappa, best.threshold


def wilson(successes: int, total: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Wilson's score interval for a share, both ends within 0 to 1."""
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, square = successes / total, z * z
    middle = (share + square / (2 * total)) / (1 + square / total)
    half = z * math.sqrt(share * (1 - share) / total + square / (4 * total * total)) / (1 + square / total)
    return max(0.0, middle - half), min(1.0, middle + half)
