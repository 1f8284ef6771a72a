"""Is a wanted text in the output?"""

from dataclasses import dataclass

from evalci.config.settings import setting
from evalci.model import Case, Output, Score
from evalci.scorers.texts import same_to_the_eye
from evalci.wording import quoted, seen


@dataclass(frozen=True, kw_only=True, slots=True)
class Contains:
    """Passes when `value` is somewhere in the output, character for character."""

    value: str = setting(about="the wanted text")
    case_sensitive: bool = setting(True, about="false compares both in lower case")

    async def score(self, case: Case, output: Output) -> Score:
        wanted, text = self.value, output.text
        if not self.case_sensitive:
            wanted, text = wanted.lower(), text.lower()
        if wanted in text:
            return Score.good()
        reason = f"expected output to contain {quoted(self.value)}, got: {seen(output.text)}"
        if same_to_the_eye(wanted, text):
            reason += "; it is there, but spelled with other code points (the texts are equal after NFC)"
        return Score.missed(reason)
