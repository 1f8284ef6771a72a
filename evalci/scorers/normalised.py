"""Is the output the expected text, or does it hold it, when case, white space and presentation do not count?"""

from dataclasses import dataclass
from typing import Any

from evalci.config.settings import setting
from evalci.model import Case, Output, Score
from evalci.scorers.measures.normalise import normalise
from evalci.wording import quoted, seen


@dataclass(frozen=True, kw_only=True, slots=True)
class NormalisedExact:
    """Passes when output and expectation are equal once normalised."""

    value: str | None = setting(None, about="the wanted text; the case's expected when it is left out")

    async def score(self, case: Case, output: Output) -> Score:
        wanted = case.expected if self.value is None else self.value
        if wanted is None:
            return nothing_expected(case)
        given = normalise(output.text)
        about = {"normalised_output": given}
        if given == normalise(wanted):
            return Score(value=1.0, passed=True, metadata=about)
        return Score.missed(f"expected {seen(normalise(wanted))}, got {seen(given)} (both normalised)", metadata=about)


@dataclass(frozen=True, kw_only=True, slots=True)
class NormalisedContains:
    """Passes when the normalised expectation is somewhere in the normalised output."""

    value: str | None = setting(None, about="the wanted text; the case's expected when it is left out")

    async def score(self, case: Case, output: Output) -> Score:
        wanted = case.expected if self.value is None else self.value
        if wanted is None:
            return nothing_expected(case)
        needle = normalise(wanted)
        if not needle:
            return Score.missed("the expected text is empty once normalised: every output would hold it (vacuous)")
        if needle in normalise(output.text):
            return Score.good()
        return Score.missed(f"expected output to contain {seen(needle)} (normalised), got {seen(output.text)}")


def nothing_expected(case: Case) -> Score:
    """The failing score of a case that says nothing to compare with."""
    return Score.missed(f"case {quoted(case.id)} has no `expected` field and the scorer has no inline `value`")


def text_of(expected: Any) -> str:
    """An expectation as text: itself, or its compact JSON."""
    if isinstance(expected, str):
        return expected
    from evalci.calls import canonical

    return canonical(expected).decode("utf-8")
