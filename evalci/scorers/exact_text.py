"""Is the output exactly the wanted text?"""

from dataclasses import dataclass
from typing import Any

from evalci.calls import canonical
from evalci.config.settings import setting
from evalci.model import Case, Output, Score
from evalci.scorers.texts import first_difference
from evalci.wording import quoted, seen


@dataclass(frozen=True, kw_only=True, slots=True)
class Exact:
    """Passes when the output is `value`, or without one the case's `expected`. Nothing is trimmed."""

    value: str | None = setting(None, about="the wanted text; the case's `expected` when there is none")

    async def score(self, case: Case, output: Output) -> Score:
        wanted = self.value if self.value is not None else expected_text(case.expected)
        if wanted == output.text:
            return Score.good()
        if wanted is None:
            return Score.missed(f"case {quoted(case.id)} has no `expected` field and the scorer has no inline `value`")
        reason = f"expected {seen(wanted)}, got {seen(output.text)}"
        return Score.missed(reason + first_difference(wanted, output.text))


def expected_text(expected: Any) -> str | None:
    """What a case expects as text: a string as it is, any other JSON compact with sorted keys, None for nothing."""
    if expected is None or isinstance(expected, str):
        return expected
    return canonical(expected).decode()
