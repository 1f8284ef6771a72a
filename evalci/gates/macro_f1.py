"""Is the mean F1 over all expected labels high enough?"""

from dataclasses import dataclass
from typing import ClassVar

from evalci.config.settings import setting
from evalci.gates.bounds import at_least, refused
from evalci.gates.facts import GateFacts
from evalci.model import GateOutcome


@dataclass(frozen=True, kw_only=True, slots=True)
class MacroF1:
    """The unweighted mean of every expected label's F1, so that a rare label counts as much as a common one."""

    needs_classification: ClassVar[bool] = True

    min: float = setting(about="the lowest macro-F1, from 0 to 1", low=0, high=1)

    def judge(self, facts: GateFacts) -> GateOutcome:
        if facts.classification is None or not facts.classification.labeled_cases:
            return refused("macro_f1", self.min, "no labeled cases")
        return at_least("macro_f1", self.min, facts.classification.macro_f1)
