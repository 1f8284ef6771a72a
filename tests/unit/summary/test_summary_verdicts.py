"""What the scores of one attempt add up to."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.model import Output, Score
from evalci.summary.verdicts import ScorerErrors, attempt, case_passed, is_failing, status_of, verdict_of
from tests.factories import STATUSES, broken, errored, good, graded, missed, passed

OUTPUT = Output(text="soon")
POLICIES: tuple[ScorerErrors, ...] = ("fail", "exclude")
some_scores = st.lists(st.sampled_from((good(), missed(), graded(0.4), broken())), max_size=4).map(tuple)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_target_error_outranks_every_score(policy: ScorerErrors) -> None:
    assert status_of("boom", (good(),), policy) == "errored"


@pytest.mark.parametrize(
    ("scores", "under_fail", "under_exclude"),
    [
        ((good(), good()), "passed", "passed"),
        ((good(), missed()), "failed", "failed"),
        ((good(), graded(0.0)), "passed", "passed"),
        ((missed(), graded(1.0)), "failed", "failed"),
        ((graded(1.0),), "unjudged", "unjudged"),
        ((), "unjudged", "unjudged"),
        ((good(), broken()), "errored", "passed"),
        ((missed(), broken()), "errored", "failed"),
        ((graded(0.5), broken()), "errored", "unjudged"),
        ((broken(), broken("tone")), "errored", "errored"),
    ],
)
def test_a_broken_scorer_fails_its_case_or_is_left_out(
    scores: tuple[Score, ...], under_fail: str, under_exclude: str
) -> None:
    assert status_of(None, scores, "fail") == under_fail
    assert status_of(None, scores, "exclude") == under_exclude


@given(some_scores, st.sampled_from(POLICIES))
def test_only_verdicts_that_all_say_passed_pass(scores: tuple[Score, ...], policy: ScorerErrors) -> None:
    status = status_of(None, scores, policy)
    measured = [score for score in scores if score.error is None]
    if status == "passed":
        assert {score.passed for score in measured} - {None} == {True}
    if any(score.passed is False for score in measured):
        assert status in ("failed", "errored")


@given(some_scores)
def test_excluding_broken_scorers_never_turns_a_judged_failure_green(scores: tuple[Score, ...]) -> None:
    if status_of(None, scores, "exclude") == "failed":
        assert status_of(None, scores, "fail") != "passed"


@given(some_scores)
def test_the_order_of_scorers_does_not_matter(scores: tuple[Score, ...]) -> None:
    orders = [scores, scores[::-1], tuple(sorted(scores, key=lambda score: score.scorer))]
    assert all(status_of(None, a) == status_of(None, b) for a, b in pairwise(orders))


def test_an_attempt_carries_its_verdict() -> None:
    assert attempt(output=OUTPUT, scores=(good(),)).passed is True
    assert attempt(output=OUTPUT, scores=(missed(),)).passed is False
    assert attempt(output=OUTPUT, scores=(graded(1.0),)).passed is None
    assert attempt(error="boom").passed is False
    assert attempt(output=OUTPUT, scores=(good(), broken()), scorer_errors="exclude").passed is True
    assert attempt(output=OUTPUT, scores=(good(), broken())).passed is False


def test_only_passed_counts_as_passed_and_only_unjudged_is_no_verdict() -> None:
    assert [status for status in STATUSES if verdict_of(status)] == ["passed"]
    assert [status for status in STATUSES if verdict_of(status) is None] == ["unjudged"]
    assert [status for status in STATUSES if is_failing(status)] == ["failed", "errored", "skipped"]
    assert case_passed(passed())
    assert not case_passed(errored())
