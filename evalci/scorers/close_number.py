"""Is the one number in the output close enough to the expected one?"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from evalci.config.settings import Fault, setting
from evalci.model import Case, Output, Score
from evalci.scorers.measures.numbers import read_number
from evalci.scorers.normalised import nothing_expected
from evalci.wording import plain_number, seen


@dataclass(frozen=True, kw_only=True, slots=True)
class CloseTo:
    """Passes within the wider of the two tolerances. Both default to zero: a forgotten one means an exact match."""

    rel_tol: float = setting(0.0, about="tolerance as a part of the larger of the two numbers")
    abs_tol: float = setting(0.0, about="tolerance as a number; the only one that works around zero")
    value: float | None = setting(None, about="the wanted number; the case's expected when it is left out")

    def check(self, who: str) -> Iterator[Fault]:
        for name in ("rel_tol", "abs_tol"):
            tolerance = getattr(self, name)
            if not 0 <= tolerance < float("inf"):
                yield Fault(name, f"{who}: {name} cannot be negative or endless, got {plain_number(tolerance)}")

    async def score(self, case: Case, output: Output) -> Score:
        wanted = case.expected if self.value is None else self.value
        if wanted is None:
            return nothing_expected(case)
        return judge_numbers(output.text, wanted, rel_tol=self.rel_tol, abs_tol=self.abs_tol)


def judge_numbers(output: Any, expected: Any, *, rel_tol: float, abs_tol: float) -> Score:
    """The verdict on two values that may be numbers or texts with one number in each."""
    about: dict[str, Any] = {"rel_tol": rel_tol, "abs_tol": abs_tol}
    wanted = read_number(expected)
    if wanted is None:
        return _unreadable(f"the expected value is not a number: {seen(str(expected))}", about)
    about["expected"] = wanted
    given = read_number(output)
    if given is None:
        return _unreadable(f"no single number found in the output: {seen(str(output))}", about)
    difference = abs(given - wanted)
    about |= {"parsed_output": given, "difference": difference}
    if difference <= max(rel_tol * max(abs(given), abs(wanted)), abs_tol):
        return Score(value=1.0, passed=True, metadata=about)
    shown = f"expected {plain_number(wanted)}, got {plain_number(given)}, {plain_number(difference)} apart"
    return Score.missed(shown, metadata=about)


def _unreadable(reason: str, about: dict[str, Any]) -> Score:
    return Score.missed(reason, metadata={**about, "reason": reason})
