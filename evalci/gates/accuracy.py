"""Do enough outputs equal their expected label?"""

from dataclasses import dataclass
from typing import ClassVar

from evalci.config.settings import setting
from evalci.gates.bounds import at_least, refused
from evalci.gates.facts import GateFacts
from evalci.model import GateOutcome


@dataclass(frozen=True, kw_only=True, slots=True)
class Accuracy:
    """The share of labelled cases whose output is the label; a case without an output is wrong."""

    needs_classification: ClassVar[bool] = True

    min: float = setting(about="the lowest accuracy, from 0 to 1", low=0, high=1)

    def judge(self, facts: GateFacts) -> GateOutcome:
        if facts.classification is None or not facts.classification.labeled_cases:
            return refused("accuracy", self.min, "no labeled cases")
        return at_least("accuracy", self.min, facts.classification.accuracy)
