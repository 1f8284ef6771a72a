"""How a run of a program is scored: the seed's table."""

from dataclasses import dataclass
from typing import Any, Final

from evalci.targets.programs.execution import Execution

SUCCESS: Final = 1.0
MISMATCH: Final = 0.7
OTHER_EXIT: Final = 0.5


@dataclass(frozen=True, kw_only=True, slots=True)
class Rules:
    """Which exit codes are a success, and what a time-out and an error are worth."""

    success_exit_codes: tuple[int, ...] = (0,)
    score_on_timeout: float = 0.0
    score_on_error: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Grade:
    """A score from 0 to 1 and the one word why. `output_match` is None when nothing was compared."""

    score: float
    reason: str
    output_match: bool | None = None
    error: str | None = None

    def metadata(self, execution: Execution) -> dict[str, Any]:
        """All that is told of the run: the facts and the reason always, the rest where there is something to say."""
        told = execution.facts() | {"reason": self.reason}
        more = {"output_match": self.output_match, "error": self.error, "notes": list(execution.notes) or None}
        return told | {key: value for key, value in more.items() if value is not None}


def grade(execution: Execution, rules: Rules, expected: Any = None) -> Grade:
    """The score of a run. The first thing that holds decides; `expected` is text, or None to compare with nothing."""
    if execution.timed_out:
        return Grade(score=rules.score_on_timeout, reason="timeout")
    if execution.error is not None:
        return Grade(score=rules.score_on_error, reason="error", error=execution.error)
    if execution.exit_code not in rules.success_exit_codes:
        return Grade(score=OTHER_EXIT, reason=f"exit_code_{execution.exit_code}")
    if expected is None:
        return Grade(score=SUCCESS, reason="success")
    if not isinstance(expected, str):
        error = f"expected_output must be text, got {type(expected).__name__}"
        return Grade(score=rules.score_on_error, reason="error", error=error)
    if execution.dropped or expected.strip() != execution.stdout.strip():
        return Grade(score=MISMATCH, reason="output_mismatch", output_match=False)
    return Grade(score=SUCCESS, reason="success", output_match=True)
