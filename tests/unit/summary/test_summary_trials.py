"""Folding the trials of a case."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.model import CaseResult, Output, Score, Tokens, Trial
from evalci.summary.trials import Policy, cost_of, fold, tokens_of
from evalci.summary.verdicts import ScorerErrors, attempt
from tests.factories import broken, case, good, graded, missed

CASE = case("coin")
POLICIES: tuple[Policy, ...] = ("all", "majority", "any")


def heads(latency_ms: int = 10) -> Trial:
    return attempt(output=Output(text="heads", latency_ms=latency_ms), scores=(good(),))


def tails(reason: str = "wanted heads", latency_ms: int = 10) -> Trial:
    return attempt(output=Output(text="tails", latency_ms=latency_ms), scores=(missed(reason=reason),))


def boom(error: str = "boom") -> Trial:
    return attempt(error=error)


def open_(value: float = 0.5) -> Trial:
    return attempt(output=Output(text="hm"), scores=(graded(value),))


def broke(error: str = "judge call failed", scorer_errors: ScorerErrors = "fail") -> Trial:
    return attempt(output=Output(text="heads"), scores=(good(), broken(error=error)), scorer_errors=scorer_errors)


def scorers(score: Score) -> st.SearchStrategy[Score]:
    kinds = st.sampled_from((True, False, None))
    values = st.floats(0, 1).map(lambda value: replace(score, value=value))
    judged = st.builds(lambda value, passed: replace(value, passed=passed), values, kinds)
    return judged | st.just(Score.broken("broke").named(score.scorer, score.type))


outputs = st.builds(
    Output,
    text=st.sampled_from(("heads", "tails")),
    latency_ms=st.integers(0, 100),
    tokens=st.none() | st.builds(Tokens, st.integers(0, 9), st.integers(0, 9)),
    cost_usd=st.none() | st.floats(0, 1),
)


def trials_of(scorer_errors: ScorerErrors) -> st.SearchStrategy[Trial]:
    scores = st.tuples(scorers(graded(0.0, "contains")), scorers(graded(0.0, "judge")))
    answered = st.builds(
        lambda output, scores: attempt(output=output, scores=scores, scorer_errors=scorer_errors), outputs, scores
    )
    return answered | st.builds(boom, st.sampled_from(("boom", "500")))


POLICIES_ON_ERRORS: tuple[ScorerErrors, ...] = ("fail", "exclude")
errors = st.sampled_from(POLICIES_ON_ERRORS)
folds = errors.flatmap(
    lambda scorer_errors: st.tuples(
        st.lists(trials_of(scorer_errors), min_size=1, max_size=5).map(tuple),
        st.sampled_from(POLICIES),
        st.just(scorer_errors),
    )
)


def folded(inputs: tuple[tuple[Trial, ...], Policy, ScorerErrors]) -> CaseResult:
    trials, require, scorer_errors = inputs
    return fold(CASE, trials, require=require, scorer_errors=scorer_errors)


def test_a_case_without_trials_cannot_be() -> None:
    with pytest.raises(ValueError, match="at least one trial"):
        fold(CASE, ())


def test_one_trial_is_the_result_as_it_is() -> None:
    trial = attempt(
        output=Output(text="heads", latency_ms=7, tokens=Tokens(3, 2), cost_usd=0.5),
        scores=(good(tokens=Tokens(1, 1), cost_usd=0.25), missed("regex")),
    )
    result = fold(CASE, (trial,), require="majority")
    assert result == CaseResult(
        case=CASE,
        status="failed",
        output=trial.output,
        scores=trial.scores,
        latency_ms=7,
        tokens=7,
        cost_usd=0.75,
    )


def test_one_errored_trial_is_an_errored_case() -> None:
    assert fold(CASE, (boom(),)) == CaseResult(case=CASE, status="errored", error="boom")


@pytest.mark.parametrize(
    ("require", "statuses"),
    [
        ("all", ["failed", "failed", "failed", "passed"]),
        ("majority", ["failed", "failed", "passed", "passed"]),
        ("any", ["failed", "passed", "passed", "passed"]),
    ],
)
def test_the_policy_says_how_many_of_the_trials_must_pass(require: Policy, statuses: list[str]) -> None:
    seen = [fold(CASE, (heads(),) * k + (tails(),) * (3 - k), require=require).status for k in range(4)]
    assert seen == statuses


def test_half_is_no_majority() -> None:
    assert fold(CASE, (heads(), tails()), require="majority").status == "failed"


def test_a_case_errored_only_when_every_failing_trial_did() -> None:
    assert fold(CASE, (heads(), boom(), boom()), require="majority").status == "errored"
    assert fold(CASE, (heads(), boom(), tails()), require="majority").status == "failed"
    assert fold(CASE, (heads(), broke()), require="all").status == "errored"


def test_a_trial_that_errored_keeps_an_otherwise_unjudged_case_from_being_unjudged() -> None:
    assert fold(CASE, (open_(), open_())).status == "unjudged"
    assert fold(CASE, (open_(), boom())).status == "errored"


def test_unjudged_trials_do_not_count_in_the_policy() -> None:
    assert fold(CASE, (heads(), open_()), require="all").status == "passed"
    assert fold(CASE, (heads(), tails(), open_(), open_()), require="majority").status == "failed"


def test_every_scorer_carries_the_verdict_of_the_case_and_its_own_reason() -> None:
    vague = attempt(output=Output(text="a"), scores=(good(), missed("judge", "vague")))
    fine = attempt(output=Output(text="b"), scores=(good(), good("judge")))
    contains, judge = fold(CASE, (fine, vague)).scores
    assert (contains.value, contains.passed, contains.reason) == (1.0, False, "")
    assert (judge.value, judge.passed, judge.reason) == (0.5, False, "trial 1: vague")


def test_a_failing_score_without_a_reason_is_still_told() -> None:
    assert fold(CASE, (heads(), tails(reason=""))).scores[0].reason == "trial 1: failed"


def test_a_case_that_only_target_errors_failed_quotes_the_first_of_them() -> None:
    result = fold(CASE, (heads(), boom("no route"), boom("500")), require="majority")
    assert result.error is None
    assert result.failures() == ("contains: trial 1: target error: no route",)


def test_a_passing_case_has_no_reasons() -> None:
    result = fold(CASE, (heads(), tails(), heads()), require="majority")
    assert (result.scores[0].value, result.scores[0].reason) == (2 / 3, "")


def test_a_broken_trial_is_left_out_of_the_mean_and_named_when_it_failed_the_case() -> None:
    result = fold(CASE, (broke("no verdict"), attempt(output=Output(text=""), scores=(good(), good("judge")))))
    assert [score.value for score in result.scores] == [1.0, 1.0]
    assert result.scores[1].reason == "trial 0: scorer error: no verdict"


def test_a_scorer_that_broke_in_every_trial_stays_broken_with_the_first_error() -> None:
    judge = fold(CASE, (broke("first"), broke("second"))).scores[1]
    assert (judge.value, judge.passed, judge.error) == (None, False, "first")
    assert judge.reason == "trial 0: scorer error: first"


def test_a_left_out_scorer_is_not_quoted_as_the_reason() -> None:
    lost = attempt(output=Output(text=""), scores=(missed(), broken()), scorer_errors="exclude")
    won = attempt(output=Output(text=""), scores=(good(), good("judge")), scorer_errors="exclude")
    contains, judge = fold(CASE, (lost, won), scorer_errors="exclude").scores
    assert contains.reason.startswith("trial 0: expected output")
    assert (judge.value, judge.passed, judge.reason) == (1.0, False, "")


def test_a_case_that_failed_unmeasured_quotes_the_scorer_that_broke() -> None:
    lost = attempt(output=Output(text=""), scores=(broken(error="no verdict"),), scorer_errors="exclude")
    won = attempt(output=Output(text=""), scores=(good("judge"),), scorer_errors="exclude")
    result = fold(CASE, (won, lost), scorer_errors="exclude")
    assert result.status == "errored"
    assert result.failures() == ("judge: trial 1: scorer error: no verdict",)


def test_an_errored_trial_counts_as_no_time_and_adds_no_score() -> None:
    result = fold(CASE, (heads(latency_ms=10), boom(), heads(latency_ms=10)), require="any")
    assert result.latency_ms == 6
    assert result.scores[0].value == 1.0


def test_the_surfaced_output_is_the_first_that_there_is() -> None:
    result = fold(CASE, (boom(), tails(), heads()), require="any")
    assert result.output is not None
    assert result.output.text == "tails"
    assert result.error is None


def test_all_errored_trials_give_the_first_error_and_no_scores() -> None:
    result = fold(CASE, (boom("first"), boom("second")), require="any")
    assert (result.status, result.error, result.scores, result.output) == ("errored", "first", (), None)
    assert result.failures() == ("target error: first",)


def test_two_unnamed_scorers_of_one_type_are_folded_apart() -> None:
    first = attempt(output=Output(text=""), scores=(graded(0.0), graded(1.0)))
    second = attempt(output=Output(text=""), scores=(graded(0.5), graded(0.5)))
    assert [score.value for score in fold(CASE, (first, second)).scores] == [0.25, 0.75]


def test_folded_metadata_is_what_the_trials_agree_on() -> None:
    scores = [graded(1.0, metadata={"unvalidated": True, "choice": choice}) for choice in "AB"]
    trials = tuple(attempt(output=Output(text=""), scores=(score,)) for score in scores)
    assert fold(CASE, trials).scores[0].metadata == {"unvalidated": True}
    bare = attempt(output=Output(text=""), scores=(graded(1.0),))
    assert fold(CASE, (trials[0], bare)).scores[0].metadata is None


def test_costs_and_tokens_of_a_trial_are_the_targets_and_the_scorers() -> None:
    trial = attempt(
        output=Output(text="", tokens=Tokens(10, 5)),
        scores=(good(tokens=Tokens(2, 1), cost_usd=0.1), good("judge", cost_usd=0.2)),
    )
    assert tokens_of(trial) == 18
    assert cost_of(trial) == pytest.approx(0.3)


def test_unknown_costs_and_tokens_stay_unknown() -> None:
    assert tokens_of(heads()) is None
    assert cost_of(boom()) is None
    result = fold(CASE, (heads(), boom()))
    assert (result.tokens, result.cost_usd, result.scores[0].tokens, result.scores[0].cost_usd) == (None,) * 4


def test_trial_stats_are_over_the_trials_own_means() -> None:
    trials = (open_(0.2), open_(0.8), boom())
    stats = fold(CASE, trials).trial_stats
    assert stats is not None
    assert stats.pass_fraction == 0.0
    assert stats.score_mean == pytest.approx(0.5)
    assert stats.score_range == pytest.approx(0.6)
    nothing = fold(CASE, (boom(), boom())).trial_stats
    assert nothing is not None
    assert (nothing.score_mean, nothing.score_range) == (None, None)


@given(folds)
def test_stricter_policies_pass_no_more(inputs: tuple[tuple[Trial, ...], Policy, ScorerErrors]) -> None:
    trials, _, scorer_errors = inputs
    passes = [fold(CASE, trials, require=p, scorer_errors=scorer_errors).status == "passed" for p in POLICIES]
    assert passes == sorted(passes)


@given(folds)
def test_money_tokens_and_time_add_up_whatever_the_verdict(
    inputs: tuple[tuple[Trial, ...], Policy, ScorerErrors],
) -> None:
    result, trials = folded(inputs), inputs[0]
    costs = [cost for trial in trials if (cost := cost_of(trial)) is not None]
    tokens = [count for trial in trials if (count := tokens_of(trial)) is not None]
    assert result.cost_usd == (math.fsum(costs) if costs else None)
    assert result.tokens == (sum(tokens) if tokens else None)
    assert result.latency_ms == sum(trial.output.latency_ms for trial in trials if trial.output) // len(trials)


@given(folds)
def test_the_scorers_verdicts_are_the_cases(inputs: tuple[tuple[Trial, ...], Policy, ScorerErrors]) -> None:
    result = folded(inputs)
    if not result.trials:
        return
    wanted = {"passed": True, "unjudged": None}.get(result.status, False)
    assert all(score.passed == wanted for score in result.scores if score.error is None)
    assert all(score.value is None for score in result.scores if score.error is not None)


@given(folds)
def test_a_failing_case_says_why(inputs: tuple[tuple[Trial, ...], Policy, ScorerErrors]) -> None:
    result = folded(inputs)
    if result.trials and result.status in ("failed", "errored"):
        assert result.error is not None or any(score.reason for score in result.scores)


@given(folds)
def test_a_mean_lies_between_the_values_it_is_over(inputs: tuple[tuple[Trial, ...], Policy, ScorerErrors]) -> None:
    result, trials = folded(inputs), inputs[0]
    for score in result.scores:
        values = _values(trials, score.scorer)
        if score.value is not None:
            assert min(values) - 1e-12 <= score.value <= max(values) + 1e-12
        else:
            assert values == []


def _values(trials: Sequence[Trial], scorer: str) -> list[float]:
    scores = [score for trial in trials for score in trial.scores if score.scorer == scorer]
    return [score.value for score in scores if score.value is not None]
