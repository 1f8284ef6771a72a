"""Is the mean score high enough, over all scorers or one?"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from evalci.config.settings import Fault, setting
from evalci.gates.bounds import at_least, refused
from evalci.gates.facts import GateFacts
from evalci.gates.measures import broken_scores, gate_scores
from evalci.model import GateOutcome
from evalci.summary.numbers import mean
from evalci.wording import count_of, plain_number, quoted


@dataclass(frozen=True, kw_only=True, slots=True)
class MeanScore:
    """The mean over every case's scores, a broken score counting as 0.0; errored cases have none and add nothing."""

    min: float = setting(about="the lowest mean score")
    scorer: str | None = setting(None, about="a scorer's name or type; without it, every scorer counts")

    def check(self, who: str) -> Iterator[Fault]:
        if not math.isfinite(self.min):
            yield Fault("min", f"{who} min must be finite, got {plain_number(self.min)}")

    def judge(self, facts: GateFacts) -> GateOutcome:
        of = self.scorer or ""
        actual = mean(value for result in facts.results for value in gate_scores(result, self.scorer).values())
        if actual is None:
            reason = "no scores" if self.scorer is None else f"no scores from scorer {quoted(self.scorer)}"
            return refused("mean_score", self.min, reason, of=of)
        broken = sum(broken_scores(result, self.scorer) for result in facts.results)
        remark = f"{count_of(broken, 'broken score')} counted as 0" if broken else ""
        return at_least("mean_score", self.min, actual, of=of, remark=remark)
