"""A score: a value, a verdict, both, or the reason that there is none. Nothing turns one into another."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from evalci.model.output import Tokens


@dataclass(frozen=True, kw_only=True, slots=True)
class Score:
    """What a scorer made of one output: a value, or the error that kept it from having one.

    `value` is finite, its range the scorer's own (0 to 1 for most, -1 to 1 for `similarity`). `passed` is None when
    the scorer gave no verdict. A broken score has no value, `passed` False, and an error. `scorer` and `type` are
    filled in by the engine from the suite.
    """

    scorer: str = ""
    type: str = ""
    value: float | None = None
    passed: bool | None = None
    reason: str = ""
    error: str | None = None
    metadata: Mapping[str, Any] | None = None
    tokens: Tokens | None = None
    cost_usd: float | None = None

    def __post_init__(self) -> None:
        if (self.value is None) == (self.error is None):
            raise ValueError("a Score has either a value or an error")
        if self.error is not None and (self.passed is not False or not self.error):
            raise ValueError("a broken Score has passed=False and says what broke")
        if self.value is not None and not math.isfinite(self.value):
            raise ValueError("a Score's value is finite")

    @staticmethod
    def good() -> "Score":
        """The verdict "passed", with value 1.0 and nothing to explain."""
        return PASSED

    @staticmethod
    def missed(reason: str, **more: Any) -> "Score":
        """The verdict "failed", with value 0.0 and the reason: what was wanted and what was seen."""
        return Score(value=0.0, passed=False, reason=reason, **more)

    @staticmethod
    def graded(value: float, reason: str = "", *, threshold: float | None = None, **more: Any) -> "Score":
        """A number; with a threshold also a verdict: passed when the value is at least the threshold, exactly."""
        passed = None if threshold is None else value >= threshold
        return Score(value=value, passed=passed, reason=reason, **more)

    @staticmethod
    def broken(error: str, **more: Any) -> "Score":
        """No value: the scorer itself failed. It counts as failed, and the reason says that it was an error."""
        return Score(passed=False, error=error, reason=f"scorer error: {error}", **more)

    def named(self, scorer: str, type_: str) -> "Score":
        """The same score under the name and type it has in the suite."""
        return replace(self, scorer=scorer, type=type_)


PASSED: Final = Score(value=1.0, passed=True)
