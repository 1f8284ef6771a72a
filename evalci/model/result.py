"""What a run made of one case, over one trial or several."""

from dataclasses import dataclass
from typing import Literal

from evalci.model.case import Case
from evalci.model.output import Output
from evalci.model.score import Score

Status = Literal["passed", "failed", "errored", "skipped", "unjudged"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    """One attempt at a case: an output with its scores, or an error. `passed` is None when nothing gave a verdict."""

    passed: bool | None
    output: Output | None = None
    error: str | None = None
    scores: tuple[Score, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class TrialStats:
    """How much the trials of one case agree. Mean and range are over the trials' own mean scores, None without any."""

    pass_fraction: float
    score_mean: float | None = None
    score_range: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseResult:
    """A case and its verdict. Only `passed` counts as passed.

    `scores` are in the suite's order, empty when the target errored. `trials` is empty for a single trial. `cost_usd`
    and `tokens` are over all calls of all trials, the judges' included; None when nothing was known. `latency_ms` is
    the whole mean over all trials, an errored one counting as 0.
    """

    case: Case
    status: Status
    output: Output | None = None
    error: str | None = None
    scores: tuple[Score, ...] = ()
    latency_ms: int = 0
    tokens: int | None = None
    cost_usd: float | None = None
    trials: tuple[Trial, ...] = ()
    trial_stats: TrialStats | None = None

    @property
    def id(self) -> str:
        return self.case.id

    @property
    def passed_trials(self) -> int:
        """How many of the trials passed; 0 for a single trial, which has no list of trials."""
        return sum(trial.passed is True for trial in self.trials)

    @property
    def is_flaky(self) -> bool:
        """Some trials passed and some did not."""
        return 0 < self.passed_trials < len(self.trials)

    def failures(self) -> tuple[str, ...]:
        """Why the case did not pass, one line each: `target error: …`, or `<scorer>: <reason>`."""
        if self.error is not None:
            return (f"target error: {self.error}",)
        if self.status in ("passed", "unjudged"):
            return ()
        return tuple(f"{score.scorer}: {score.reason or 'failed'}" for score in self.scores if score.passed is False)
