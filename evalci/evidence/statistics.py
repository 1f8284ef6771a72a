"""Treatment against control, case by case: the difference, an interval, an exact test, and when all that says nothing.

The interval comes from the means of subsets of the cases (Hartigan's typical values): between the right two of them
lies the centre of the differences in at least 95 of 100 experiments, if the differences scatter evenly about it.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from evalci.gates.chance import chance_of_drop

LEVEL: Final = 0.95
FEWEST_CASES: Final = 6  # five that all change one way still come about by chance in 1 of 16
MOST_ENUMERATED: Final = 12
SUBSETS: Final = 9_999
SEED: Final = 20_240_607


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """Pass rates in 0 to 1 over `cases`. `low` and `high` are None when there are too few cases for an interval."""

    cases: int
    control: float
    treatment: float
    difference: float
    low: float | None
    high: float | None
    p_value: float
    better: int
    worse: int
    words: str

    def plain(self) -> dict[str, Any]:
        """All of it as data."""
        return {
            "cases": self.cases,
            "control_pass_rate": self.control,
            "treatment_pass_rate": self.treatment,
            "difference": self.difference,
            "interval": None if self.low is None else {"level": LEVEL, "low": self.low, "high": self.high},
            "p_value": self.p_value,
            "better": self.better,
            "worse": self.worse,
            "words": self.words,
        }


def compare(pairs: Sequence[tuple[float, float]]) -> Comparison | None:
    """Control and treatment of each case, as the part of its runs that passed; None without cases."""
    if not pairs:
        return None
    differences = [treatment - control for control, treatment in pairs]
    number = len(pairs)
    difference = sum(differences) / number
    falls, rises = chance_of_drop(differences), chance_of_drop([-each for each in differences])
    p_value = min(1.0, 2 * min(falls, rises))
    low, high = _interval(differences)
    return Comparison(
        cases=number,
        control=sum(control for control, _ in pairs) / number,
        treatment=sum(treatment for _, treatment in pairs) / number,
        difference=difference,
        low=low,
        high=high,
        p_value=p_value,
        better=sum(each > 0 for each in differences),
        worse=sum(each < 0 for each in differences),
        words=_words(number, difference, p_value),
    )


def _interval(differences: Sequence[float]) -> tuple[float | None, float | None]:
    number = len(differences)
    if number < FEWEST_CASES:
        return None, None
    means = sorted(_subset_means(differences))
    # k of the len + 1 gaps between the means are cut off at either end.
    cut = int((1 - LEVEL) / 2 * (len(means) + 1))
    return means[cut - 1], means[-cut]


def _subset_means(differences: Sequence[float]) -> list[float]:
    number = len(differences)
    if number <= MOST_ENUMERATED:
        return [sum(some) / size for size in range(1, number + 1) for some in combinations(differences, size)]
    drawn = random.Random(SEED)
    means: list[float] = []
    while len(means) < SUBSETS:
        mask = drawn.getrandbits(number)
        if mask:
            some = [each for i, each in enumerate(differences) if mask >> i & 1]
            means.append(sum(some) / len(some))
    return means


def _words(number: int, difference: float, p_value: float) -> str:
    if number < FEWEST_CASES:
        are = "case is" if number == 1 else "cases are"
        return (
            f"{number} {are} too few to tell: even if all of them changed the same way, chance alone would explain it; "
            f"{FEWEST_CASES} is the least"
        )
    if p_value > 1 - LEVEL:
        return "no difference that chance alone would not explain; that is not proof that there is none"
    return f"the treatment is {'better' if difference > 0 else 'worse'}, by more than chance alone would explain"
