"""Does the whole run cost no more than this?"""

from collections.abc import Sequence
from dataclasses import dataclass

from evalci.config.settings import setting
from evalci.gates.bounds import at_most
from evalci.gates.facts import GateFacts
from evalci.model import GateOutcome, Output, Score
from evalci.summary.attempts import attempts_of
from evalci.summary.numbers import total
from evalci.wording import count_of, plain_number


@dataclass(frozen=True, kw_only=True, slots=True)
class Cost:
    """The dollars of every call, the scorers' included, replayed ones at what they cost when they were recorded."""

    max_usd: float = setting(about="the highest cost of the whole run, in dollars", low=0)

    def judge(self, facts: GateFacts) -> GateOutcome:
        actual = total(result.cost_usd for result in facts.results)
        unknown = "" if facts.results else "no cases"
        if facts.results and actual is None:
            unknown = "no cost is known: give the targets and judges that call models their `cost` rates"
        elif unpriced := _unpriced_calls(facts):
            unknown = f"the cost of {count_of(unpriced, 'call')} is not known, so the run may cost more than it seems"
        label = f"cost <= ${plain_number(self.max_usd)}"
        if unknown:
            return GateOutcome(gate=label, type="cost", passed=False, actual=actual, max=self.max_usd, reason=unknown)
        return at_most("cost", self.max_usd, actual, label=label)


def _unpriced_calls(facts: GateFacts) -> int:
    """Calls that certainly cost something nobody can tell: tokens without a price, or no usage from a priced target."""
    attempts = [attempt for result in facts.results for attempt in attempts_of(result)]
    outputs = [attempt.output for attempt in attempts if attempt.output is not None]
    scores = [score for attempt in attempts for score in attempt.scores]
    is_priced = any(output.cost_usd is not None for output in outputs)
    silent = sum(output.cost_usd is None and output.tokens is None for output in outputs) if is_priced else 0
    return _without_price(outputs) + _without_price(scores) + silent


def _without_price(calls: Sequence[Output | Score]) -> int:
    return sum(call.tokens is not None and call.cost_usd is None for call in calls)
