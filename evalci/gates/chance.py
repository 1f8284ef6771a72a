"""How likely chance alone is to bring about a drop: a paired sign-flip test, one-sided, the same on every machine.

If nothing really changed, each case's difference could as well have had the other sign. The test counts how many ways
to choose the signs give a total as low as the one that was seen. Where all differences are as large as each other (a
pass or a fail) that is McNemar's exact test.
"""

import math
import random
from collections import Counter
from collections.abc import Sequence
from itertools import compress
from typing import Final

GRID: Final = 10**12
MOST_EXACT_TOTALS: Final = 50_000
MOST_EXACT_CASES: Final = 5_000
FEWEST_RESAMPLES: Final = 2_000
MOST_RESAMPLES: Final = 20_000
WORK: Final = 2_000_000
SEED: Final = 20_240_607


def chance_of_drop(differences: Sequence[float]) -> float:
    """The probability, when nothing really changed, that the differences (after minus before) total so low or lower.

    It is exact where the ways to choose the signs can be enumerated, else estimated from a fixed series of resamples.
    """
    steps = [round(difference * GRID) for difference in differences]
    sizes = Counter(abs(step) for step in steps if step)
    if not sizes:
        return 1.0
    totals = math.prod(count + 1 for count in sizes.values())
    if totals <= MOST_EXACT_TOTALS and sizes.total() <= MOST_EXACT_CASES:
        return _enumerated(sizes, sum(steps))
    return _resampled(sizes, sum(steps))


def _enumerated(sizes: Counter[int], seen: int) -> float:
    ways = {0: 1}
    for size, count in sizes.items():
        grown: Counter[int] = Counter()
        for falls, choices in enumerate(_binomials(count)):
            shift = size * (count - 2 * falls)
            for total, known in ways.items():
                grown[total + shift] += known * choices
        ways = grown
    return sum(number for total, number in ways.items() if total <= seen) / (1 << sizes.total())


def _binomials(count: int) -> list[int]:
    row = [1]
    for k in range(count):
        row.append(row[-1] * (count - k) // (k + 1))
    return row


def _resampled(sizes: Counter[int], seen: int) -> float:
    """Monte Carlo over the signs; counting the seen total itself keeps the estimate from ever being zero."""
    signs = random.Random(SEED)
    single = sorted(size for size, count in sizes.items() if count == 1)
    several = sorted((size, count) for size, count in sizes.items() if count > 1)
    highest = sum(size * count for size, count in sizes.items())
    rounds = max(FEWEST_RESAMPLES, min(MOST_RESAMPLES, WORK // sizes.total()))
    as_low = 0
    for _ in range(rounds):
        fallen = sum(size * signs.getrandbits(count).bit_count() for size, count in several)
        if single:
            chosen = f"{signs.getrandbits(len(single)):0{len(single)}b}"
            fallen += sum(compress(single, map(int, chosen)))
        as_low += highest - 2 * fallen <= seen
    return (as_low + 1) / (rounds + 1)
