"""Sums and means as reports and gates take them: exactly rounded, and none over nothing."""

import math
from collections.abc import Iterable
from fractions import Fraction


def total(values: Iterable[float | None]) -> float | None:
    """The sum of what is known, None when nothing is."""
    known = [value for value in values if value is not None]
    return math.fsum(known) if known else None


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of what is known, None when nothing is."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    try:
        return math.fsum(known) / len(known)
    except OverflowError:  # the sum of finite numbers may have no place among them; their mean always has
        return float(sum(map(Fraction, known)) / len(known))
