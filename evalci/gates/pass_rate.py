"""Do enough of the judged cases pass?"""

from dataclasses import dataclass

from evalci.config.settings import setting
from evalci.gates.bounds import at_least, refused
from evalci.gates.facts import GateFacts
from evalci.model import GateOutcome
from evalci.summary.verdicts import case_passed
from evalci.wording import count_of


@dataclass(frozen=True, kw_only=True, slots=True)
class PassRate:
    """Passed cases over all cases but the unjudged; errored and skipped ones count as not passed."""

    min: float = setting(about="the lowest share of passing cases, from 0 to 1", low=0, high=1)

    def judge(self, facts: GateFacts) -> GateOutcome:
        cases = len(facts.results)
        judged = cases - sum(result.status == "unjudged" for result in facts.results)
        if not cases:
            return refused("pass_rate", self.min, "no cases")
        if not judged:
            return at_least("pass_rate", self.min, None, remark=f"no verdict on any of {count_of(cases, 'case')}")
        return at_least("pass_rate", self.min, sum(map(case_passed, facts.results)) / judged)
