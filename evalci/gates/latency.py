"""Do answers come fast enough?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from evalci.config.settings import setting
from evalci.gates.bounds import at_most
from evalci.gates.facts import GateFacts
from evalci.model import GateOutcome
from evalci.summary.attempts import attempts_of
from evalci.summary.numbers import mean
from evalci.wording import count_of, plain_number

PERCENTILES: Final = {"p50": 50, "p95": 95}


@dataclass(frozen=True, kw_only=True, slots=True)
class Latency:
    """A statistic over the target's latency in every trial; a trial that gave no answer took longer than any."""

    max_ms: float = setting(about="the highest latency, in milliseconds", low=0)
    statistic: Literal["mean", "p50", "p95"] = setting("mean", about="the mean, the median, or what 95 in 100 keep")

    def judge(self, facts: GateFacts) -> GateOutcome:
        outputs = [attempt.output for result in facts.results for attempt in attempts_of(result)]
        taken = [math.inf if output is None else float(output.latency_ms) for output in outputs]
        lost = taken.count(math.inf)
        label = f"latency({self.statistic}) <= {plain_number(self.max_ms)} ms"
        actual = statistic_of(taken, self.statistic)
        remark = f"{lost} of {count_of(len(taken), 'answer')} never came" if lost else ""
        return at_most("latency", self.max_ms, actual, label=label, remark=remark if taken else "no cases")


def statistic_of(taken: Sequence[float], statistic: str) -> float | None:
    """The mean, or the smallest latency that the wanted share of answers does not exceed; None over nothing."""
    if not taken:
        return None
    if statistic == "mean":
        return math.inf if math.inf in taken else mean(taken)
    rank = -(-PERCENTILES[statistic] * len(taken) // 100)
    return sorted(taken)[rank - 1]
