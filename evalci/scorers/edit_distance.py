"""How near is the output to the expected text, letter by letter? A place on a scale; no verdict without a threshold."""

from dataclasses import dataclass

from evalci.config.settings import setting
from evalci.model import Case, Output, Score
from evalci.scorers.measures import distance
from evalci.scorers.normalised import nothing_expected, text_of
from evalci.wording import plain_number, seen


@dataclass(frozen=True, kw_only=True, slots=True)
class Levenshtein:
    """One minus the edits over the longer length, both texts normalised."""

    value: str | None = setting(None, about="the wanted text; the case's expected when it is left out")
    threshold: float | None = setting(None, about="the value that passes; no verdict without", low=0, high=1)

    async def score(self, case: Case, output: Output) -> Score:
        wanted = case.expected if self.value is None else self.value
        if wanted is None:
            return nothing_expected(case)
        value, edits = distance.levenshtein(output.text, text_of(wanted))
        return graded(value, self.threshold, text_of(wanted), output.text, {"distance": edits})


@dataclass(frozen=True, kw_only=True, slots=True)
class Ratio:
    """Twice the longest common subsequence over both lengths together, both texts normalised."""

    value: str | None = setting(None, about="the wanted text; the case's expected when it is left out")
    threshold: float | None = setting(None, about="the value that passes; no verdict without", low=0, high=1)

    async def score(self, case: Case, output: Output) -> Score:
        wanted = case.expected if self.value is None else self.value
        if wanted is None:
            return nothing_expected(case)
        return graded(distance.ratio(output.text, text_of(wanted)), self.threshold, text_of(wanted), output.text, None)


def graded(value: float, threshold: float | None, wanted: str, given: str, metadata: dict[str, int] | None) -> Score:
    """A similarity with its reason where it falls short of a threshold."""
    reason = ""
    if threshold is not None and value < threshold:
        reason = f"{value:.4f} is below {plain_number(threshold)}: expected {seen(wanted)}, got {seen(given)}"
    return Score.graded(value, reason, threshold=threshold, metadata=metadata)
