"""Floors and ceilings: an outcome from what was seen and what was asked for."""

import math
from typing import Final

from evalci.model import GateOutcome
from evalci.wording import plain_number

TOLERANCE: Final = 1e-9


def at_least(kind: str, floor: float, actual: float | None, *, of: str = "", remark: str = "") -> GateOutcome:
    """Passed when `actual` reaches the floor but for a rounding error; without an `actual` never.

    `of` narrows the label (`mean_score(judge) >= 0.8`); `remark` is part of the reason when it failed.
    """
    seen = _finite(actual)
    passed = seen is not None and seen >= floor - TOLERANCE
    reason = "" if passed else _reason(seen, floor, remark)
    label = f"{kind}{_narrowed(of)} >= {plain_number(floor)}"
    return GateOutcome(gate=label, type=kind, passed=passed, actual=seen, min=floor, reason=reason)


def at_most(kind: str, ceiling: float, actual: float | None, *, label: str, remark: str = "") -> GateOutcome:
    """Passed when `actual` stays under the ceiling but for a rounding error; without an `actual` never."""
    seen = _finite(actual)
    passed = seen is not None and seen <= ceiling + TOLERANCE
    reason = "" if passed else _reason(seen, ceiling, remark)
    return GateOutcome(gate=label, type=kind, passed=passed, actual=seen, max=ceiling, reason=reason)


def refused(kind: str, floor: float, reason: str, *, of: str = "") -> GateOutcome:
    """A floor that failed because there was nothing to take it over; its `actual` is then 0.0."""
    label = f"{kind}{_narrowed(of)} >= {plain_number(floor)}"
    return GateOutcome(gate=label, type=kind, passed=False, actual=0.0, min=floor, reason=reason)


def telling(actual: float, bound: float) -> str:
    """`actual` with two decimals, or as many as the bound has or it takes to be seen on its own side of the bound."""
    written = len(plain_number(bound).partition(".")[2])
    for decimals in range(max(2, written), max(17, written + 1)):
        text = f"{actual:.{decimals}f}"
        if float(text) != bound and (float(text) < bound) == (actual < bound):
            return text
    return plain_number(actual)


def _reason(seen: float | None, bound: float, remark: str) -> str:
    """The remark after the number; nothing when two decimals already show the miss, as every report does."""
    if seen is None:
        return remark
    number = telling(seen, bound)
    if remark:
        return f"{number}; {remark}"
    if number == f"{seen:.2f}":
        return ""
    return f"{number} is {'below' if seen < bound else 'above'} {plain_number(bound)}"


def _finite(actual: float | None) -> float | None:
    return actual if actual is not None and math.isfinite(actual) else None


def _narrowed(of: str) -> str:
    return f"({of})" if of else ""
