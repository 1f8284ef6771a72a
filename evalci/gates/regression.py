"""Is the drop against the baseline larger than chance?"""

from collections.abc import Sequence
from dataclasses import dataclass

from evalci.config.settings import setting
from evalci.gates.bounds import TOLERANCE
from evalci.gates.chance import chance_of_drop
from evalci.gates.facts import GateFacts
from evalci.gates.pairs import Pair, score_pairs, verdict_pairs
from evalci.model import GateOutcome
from evalci.summary.numbers import mean
from evalci.wording import count_of, plain_number, quoted


@dataclass(frozen=True, kw_only=True, slots=True)
class Regression:
    """The pass rate or one scorer's mean, paired with the baseline over the cases whose content is the same."""

    confidence: float = setting(0.95, about="how sure to be that a drop is real before failing", low=0.5, high=0.999)
    scorer: str | None = setting(None, about="a scorer's name or type; without it, the pass rate is compared")
    max_drop: float | None = setting(None, about="a drop larger than this fails, however likely by chance", low=0)

    def judge(self, facts: GateFacts) -> GateOutcome:
        if facts.before is None:
            return self._outcome(passed=True, reason="no baseline to compare with")
        pairs = verdict_pairs(facts) if self.scorer is None else score_pairs(facts, self.scorer)
        before, after = mean(pair.before for pair in pairs), mean(pair.after for pair in pairs)
        if before is None or after is None:
            return self._outcome(passed=False, reason=self._nothing_to_compare())
        faults = self._faults(before - after, chance_of_drop([pair.after - pair.before for pair in pairs]))
        if not faults:
            return self._outcome(passed=True, actual=before - after)
        fall = f"{self._what} fell from {before:.4f} to {after:.4f} ({_moves(pairs)})"
        unlike = [] if facts.like_for_like else ["the scorers changed since the baseline: not like for like"]
        return self._outcome(passed=False, actual=before - after, reason="; ".join([fall, *faults, *unlike]))

    def _faults(self, drop: float, chance: float) -> list[str]:
        """What is wrong with a drop, nothing when it may stand."""
        faults = []
        if chance <= 1 - self.confidence + TOLERANCE:
            faults.append(f"chance alone would do that with p = {chance:.4f}")
        if self.max_drop is not None and drop > self.max_drop + TOLERANCE:
            faults.append(f"more than {plain_number(self.max_drop)}")
        return faults

    @property
    def _what(self) -> str:
        return "the pass rate" if self.scorer is None else f"the mean of {quoted(self.scorer)}"

    def _nothing_to_compare(self) -> str:
        if self.scorer is None:
            return "nothing to compare: the baseline judged no case that is still the same"
        return (
            f"nothing to compare: the baseline has no score from scorer {quoted(self.scorer)} for a case still the same"
        )

    def _outcome(self, *, passed: bool, actual: float | None = None, reason: str = "") -> GateOutcome:
        label = f"drop({self.scorer or 'pass_rate'}) <= chance at {plain_number(self.confidence)}"
        if self.max_drop is not None:
            label += f" and <= {plain_number(self.max_drop)}"
        return GateOutcome(
            gate=label, type="regression", passed=passed, actual=actual, max=self.max_drop, reason=reason
        )


def _moves(pairs: Sequence[Pair]) -> str:
    fell, rose = sum(pair.after < pair.before for pair in pairs), sum(pair.after > pair.before for pair in pairs)
    return f"{count_of(len(pairs), 'case')}: {fell} fell, {rose} rose"
