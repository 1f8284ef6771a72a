"""The Score that Python code builds: it cannot contradict itself."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evalci import model


@dataclass(frozen=True, kw_only=True, slots=True)
class Score:
    """What a scorer of a Python suite made of one output: a value from 0 to 1, or the error that kept it from one.

    `passed` is set only by a scorer that knows; nothing derives it from the value. True with a value of 0.0 and False
    with 1.0 are refused, and so is a verdict beside an error.
    """

    scorer_name: str
    value: float | None = None
    passed: bool | None = None
    error: str | None = None
    metadata: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.scorer_name, str) or not self.scorer_name.strip():
            raise ValueError("a Score needs the name of its scorer")
        if not isinstance(self.passed, bool | None):
            raise TypeError(f"passed is True, False or None, got {self.passed!r}")
        if (self.value is None) == (self.error is None):
            raise ValueError(f"score {self.scorer_name!r} needs either a value or an error, and not both")
        if self.metadata is not None and not isinstance(self.metadata, Mapping):
            raise TypeError(f"metadata is a mapping, got {type(self.metadata).__name__}")
        if self.error is None:
            self._check_value()
        elif not isinstance(self.error, str) or not self.error.strip():
            raise ValueError(f"score {self.scorer_name!r}: an error says what broke")
        elif self.passed is not None:
            raise ValueError(f"score {self.scorer_name!r} broke, so it has no verdict")

    def _check_value(self) -> None:
        value = self.value
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(f"a value is a number, got {value!r}")
        if not (math.isfinite(value) and 0 <= value <= 1):
            raise ValueError(f"score {self.scorer_name!r}: the value {value!r} is outside 0.0..=1.0")
        if self.passed is True and value == 0:
            raise ValueError(f"score {self.scorer_name!r} cannot pass with a value of 0.0")
        if self.passed is False and value == 1:
            raise ValueError(f"score {self.scorer_name!r} cannot fail with a value of 1.0")

    def as_result(self) -> model.Score:
        """The same score as reports and gates know it; its metadata's `reason` is its reason."""
        about = None if self.metadata is None else dict(self.metadata)
        if self.error is not None:
            return model.Score.broken(self.error, scorer=self.scorer_name, metadata=about)
        reason = (about or {}).get("reason", "")
        return model.Score(
            scorer=self.scorer_name,
            value=float(self.value or 0.0),
            passed=self.passed,
            reason=reason if isinstance(reason, str) else "",
            metadata=about,
        )
