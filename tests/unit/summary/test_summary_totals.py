"""The totals of a run, and the numbers under them."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.model import CaseResult, Output, Score
from evalci.summary.attempts import attempts_of, labels_of, scores_by_label
from evalci.summary.numbers import mean, total
from evalci.summary.summarize import summarize
from evalci.summary.trials import fold
from evalci.summary.verdicts import attempt
from tests.factories import (
    broken,
    case,
    errored,
    failed,
    finite,
    good,
    graded,
    passed,
    result_lists,
    skipped,
    tried,
    unjudged,
)


def test_nothing_has_neither_a_sum_nor_a_mean() -> None:
    assert total([]) is total([None]) is mean([]) is mean([None]) is None


def test_sums_and_means_leave_out_what_is_unknown() -> None:
    assert total([0.5, None, 0.25]) == 0.75
    assert mean([1.0, None, 0.0]) == 0.5


@given(st.lists(finite(), min_size=1, max_size=6))
def test_a_mean_of_finite_numbers_is_finite_and_right(values: list[float]) -> None:
    exact = sum(map(Fraction, values)) / len(values)
    assert mean(values) == pytest.approx(float(exact), rel=1e-12, abs=5e-324)


@given(st.permutations([0.1, 0.7, 1e16, -1e16, 1e-9]))
def test_a_mean_does_not_depend_on_the_order(values: list[float]) -> None:
    assert mean(values) == mean(sorted(values))


@given(st.lists(st.sampled_from(("judge", "judge#2", "contains")), max_size=6))
def test_score_labels_are_distinct_and_begin_with_the_scorers_name(names: list[str]) -> None:
    labels = labels_of([good(name) for name in names])
    assert len(set(labels)) == len(names)
    assert all(label.startswith(name) for label, name in zip(labels, names, strict=True))


def test_a_label_is_the_name_where_it_can_be() -> None:
    assert labels_of([good("judge"), good("contains"), good("judge"), good("judge")]) == (
        "judge",
        "contains",
        "judge#2",
        "judge#3",
    )


def test_a_single_trial_is_the_case_itself() -> None:
    assert attempts_of(failed())[0].scores == failed().scores
    assert attempts_of(errored())[0].error == "connection refused"
    assert len(attempts_of(tried("coin", True, False, True))) == 3


def test_scores_are_found_by_label_with_the_number_of_their_trial() -> None:
    first = attempt(output=Output(text=""), scores=(good(), graded(0.5)))
    found = scores_by_label((attempt(error="boom"), first))
    assert found == {"contains": [(1, good())], "levenshtein": [(1, graded(0.5))]}


def test_each_status_is_counted_and_failed_is_all_but_passed_and_unjudged() -> None:
    summary = summarize([passed("a"), failed("b"), errored("c"), skipped("d"), unjudged("e"), tried("f", True, False)])
    assert (summary.total, summary.passed, summary.failed, summary.errored) == (6, 1, 4, 1)
    assert (summary.skipped, summary.unjudged, summary.flaky) == (1, 1, 1)


def test_means_leave_out_broken_scores_and_say_how_many() -> None:
    results = [
        passed("a", scores=(good("judge"), graded(0.5))),
        errored("b"),
        passed("c", status="errored", output=Output(text=""), scores=(broken("judge"), graded(0.25))),
    ]
    summary = summarize(results, ("levenshtein", "judge", "regex"))
    assert summary.mean_score == {"levenshtein": 0.375, "judge": 1.0}
    assert list(summary.mean_score) == ["levenshtein", "judge"]
    assert summary.left_out == {"judge": 1}


def test_a_broken_score_in_one_trial_is_counted_as_left_out() -> None:
    trials = (
        attempt(output=Output(text=""), scores=(broken("judge"),)),
        attempt(output=Output(text=""), scores=(good("judge"),)),
    )
    summary = summarize([fold(case(), trials)], ("judge",))
    assert (summary.mean_score, summary.left_out) == ({"judge": 1.0}, {"judge": 1})


def test_a_scorer_that_the_suite_did_not_name_is_told_after_those_it_did() -> None:
    summary = summarize([passed(scores=(good("program"), good("exact")))], ("exact",))
    assert list(summary.mean_score) == ["exact", "program"]


def test_unknown_totals_are_none_and_known_ones_exact() -> None:
    assert summarize([passed("a")]).cost_usd is summarize([passed("a")]).tokens is None
    summary = summarize([passed(str(i), tokens=3, cost_usd=0.1) for i in range(10)] + [passed("free")])
    assert (summary.tokens, summary.cost_usd) == (30, 1.0)


def test_a_run_of_nothing_is_all_zero_and_unknown() -> None:
    summary = summarize([])
    assert (summary.total, summary.failed, summary.mean_score, summary.cost_usd) == (0, 0, {}, None)


@given(result_lists(6))
def test_the_parts_add_up_to_the_total(results: tuple[CaseResult, ...]) -> None:
    summary = summarize(results)
    assert summary.passed + summary.failed + summary.unjudged == summary.total == len(results)
    assert summary.errored + summary.skipped <= summary.failed


@given(result_lists(6))
def test_means_are_finite_and_over_the_scorers_of_the_run(results: tuple[CaseResult, ...]) -> None:
    names: set[str] = {score.scorer for result in results for score in _all(result)}
    summary = summarize(results)
    assert set(summary.mean_score) <= names
    assert set(summary.left_out) <= names
    assert all(math.isfinite(value) for value in summary.mean_score.values())


def _all(result: CaseResult) -> list[Score]:
    return [*result.scores, *(score for trial in result.trials for score in trial.scores)]
