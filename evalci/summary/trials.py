"""Folds the trials of a case into its result."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from evalci.model import Case, CaseResult, Output, Score, Status, Tokens, Trial, TrialStats
from evalci.summary.attempts import scores_by_label
from evalci.summary.numbers import mean, total
from evalci.summary.verdicts import ScorerErrors, status_of, verdict_of

Policy = Literal["all", "majority", "any"]


def fold(
    case: Case, trials: tuple[Trial, ...], *, require: Policy = "all", scorer_errors: ScorerErrors = "fail"
) -> CaseResult:
    """The result of a case over all its trials; over one trial, that trial as it is, without detail."""
    if not trials:
        raise ValueError("a case has at least one trial")
    if len(trials) == 1:
        only = trials[0]
        return single(case, output=only.output, error=only.error, scores=only.scores, scorer_errors=scorer_errors)
    answered = [trial for trial in trials if trial.error is None]
    status = folded_status(trials, require=require, scorer_errors=scorer_errors)
    return CaseResult(
        case=case,
        status=status,
        output=answered[0].output if answered else None,
        error=None if answered else trials[0].error,
        scores=_folded_scores(trials, status, scorer_errors),
        latency_ms=sum(trial.output.latency_ms for trial in answered if trial.output) // len(trials),
        tokens=_known_sum([tokens_of(trial) for trial in trials]),
        cost_usd=total(cost_of(trial) for trial in trials),
        trials=trials,
        trial_stats=_stats(trials),
    )


def single(
    case: Case,
    *,
    output: Output | None = None,
    error: str | None = None,
    scores: tuple[Score, ...] = (),
    scorer_errors: ScorerErrors = "fail",
) -> CaseResult:
    """The result of a case that was tried once. Nearly every run makes all its results this way."""
    return CaseResult(
        case=case,
        status=status_of(error, scores, scorer_errors),
        output=output,
        error=error,
        scores=scores,
        latency_ms=0 if output is None else output.latency_ms,
        tokens=_tokens(output, scores),
        cost_usd=_cost(output, scores),
    )


def folded_status(trials: Sequence[Trial], *, require: Policy, scorer_errors: ScorerErrors) -> Status:
    """Passed by policy, else errored when every failing trial errored, else failed.

    The policy counts the trials that gave a verdict, an errored one counting as failed; without any verdict the case
    is unjudged.
    """
    statuses = [status_of(trial.error, trial.scores, scorer_errors) for trial in trials]
    judged = [status for status in statuses if status != "unjudged"]
    if not judged:
        return "unjudged"
    if _holds(require, judged.count("passed"), len(judged)):
        return "passed"
    return "failed" if "failed" in judged else "errored"


def tokens_of(trial: Trial) -> int | None:
    """Every token of one attempt, the scorers' calls included; None when nothing was reported."""
    return _tokens(trial.output, trial.scores)


def cost_of(trial: Trial) -> float | None:
    """What one attempt cost, the scorers' calls included; None when no cost is known."""
    return _cost(trial.output, trial.scores)


def _tokens(output: Output | None, scores: Sequence[Score]) -> int | None:
    counts = [score.tokens.total for score in scores if score.tokens is not None]
    if output is not None and output.tokens is not None:
        counts.append(output.tokens.total)
    return sum(counts) if counts else None


def _cost(output: Output | None, scores: Sequence[Score]) -> float | None:
    costs = [score.cost_usd for score in scores if score.cost_usd is not None]
    if output is not None and output.cost_usd is not None:
        costs.append(output.cost_usd)
    return total(costs) if costs else None


def _holds(require: Policy, passed: int, judged: int) -> bool:
    if require == "any":
        return passed > 0
    return passed * 2 > judged if require == "majority" else passed == judged


def _folded_scores(trials: Sequence[Trial], status: Status, scorer_errors: ScorerErrors) -> tuple[Score, ...]:
    slots = list(scores_by_label(trials).values())
    reasons = _reasons(trials, slots, scorer_errors) if verdict_of(status) is False else [""] * len(slots)
    return tuple(_folded(slot, verdict_of(status), reason) for slot, reason in zip(slots, reasons, strict=True))


def _reasons(
    trials: Sequence[Trial], slots: Sequence[Sequence[tuple[int, Score]]], scorer_errors: ScorerErrors
) -> list[str]:
    """Why each scorer failed the case; where none did, because they broke or the target errored, that."""
    judged = [_first_failure(slot, scorer_errors) for slot in slots]
    broken = [_first_failure(slot, "fail") for slot in slots]
    errors = [_first_error(trials)] * len(slots)
    return next((reasons for reasons in (judged, broken) if any(reasons)), errors)


def _folded(slot: Sequence[tuple[int, Score]], passed: bool | None, reason: str) -> Score:
    """One scorer over the trials that it scored: the mean of its values under the verdict of the case."""
    scores = [score for _, score in slot]
    first = scores[0]
    common: dict[str, Any] = {
        "scorer": first.scorer,
        "type": first.type,
        "metadata": _shared([score.metadata for score in scores]),
        "tokens": _tokens_sum([score.tokens for score in scores]),
        "cost_usd": total(score.cost_usd for score in scores),
    }
    value = mean(score.value for score in scores)
    if value is None:
        trial = slot[0][0]
        return Score(passed=False, error=first.error, reason=f"trial {trial}: {first.reason}", **common)
    return Score(value=value, passed=passed, reason=reason, **common)


def _first_failure(slot: Sequence[tuple[int, Score]], scorer_errors: ScorerErrors) -> str:
    """Why this scorer failed the first trial that it failed, "" when it failed none."""
    for trial, score in slot:
        if score.passed is False and (score.error is None or scorer_errors == "fail"):
            return f"trial {trial}: {score.reason or 'failed'}"
    return ""


def _first_error(trials: Sequence[Trial]) -> str:
    """The first target error, for a case that no scorer failed."""
    found = ((number, trial.error) for number, trial in enumerate(trials) if trial.error is not None)
    return next((f"trial {number}: target error: {error}" for number, error in found), "")


def _shared(metadata: Sequence[Mapping[str, Any] | None]) -> Mapping[str, Any] | None:
    """What the trials' metadata agree on."""
    first, *rest = [entry or {} for entry in metadata]
    same = {key: value for key, value in first.items() if all(key in other and other[key] == value for other in rest)}
    return same or None


def _stats(trials: Sequence[Trial]) -> TrialStats:
    means = [mean(score.value for score in trial.scores) for trial in trials]
    known = [value for value in means if value is not None]
    return TrialStats(
        pass_fraction=sum(trial.passed is True for trial in trials) / len(trials),
        score_mean=mean(known),
        score_range=max(known) - min(known) if known else None,
    )


def _known_sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _tokens_sum(tokens: Sequence[Tokens | None]) -> Tokens | None:
    known = [each for each in tokens if each is not None]
    return Tokens(sum(each.input for each in known), sum(each.output for each in known)) if known else None
