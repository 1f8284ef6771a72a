"""The budget: what is spent, and what it leaves out."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.model import CaseResult
from evalci.summary.budget import Budget, charge, skipped_result
from tests.factories import case, passed, result_lists, skipped


def costing(*costs: float | None) -> list[CaseResult]:
    return [passed(f"c{number}", cost_usd=cost) for number, cost in enumerate(costs)]


def ran(results: tuple[CaseResult, ...]) -> list[bool]:
    return [result.status != "skipped" for result in results]


def test_a_case_starts_while_spend_is_below_the_cap_so_the_last_may_overshoot() -> None:
    assert ran(charge(costing(2e-05, 2e-05, 2e-05), 3e-05)) == [True, True, False]


def test_the_cap_is_reached_when_spend_equals_it() -> None:
    assert ran(charge(costing(2e-05, 2e-05), 2e-05)) == [True, False]


def test_amounts_add_up_as_they_are_written() -> None:
    assert ran(charge(costing(0.3, 0.3, 0.3, 0.3), 0.9)) == [True, True, True, False]
    assert ran(charge(costing(*[0.1] * 11), 1.0)) == [True] * 10 + [False]


def test_unknown_costs_never_exhaust_a_budget_and_no_budget_never_skips() -> None:
    assert ran(charge(costing(None, None), 1e-9)) == [True, True]
    assert ran(charge(costing(1e9, 1e9), None)) == [True, True]


def test_a_skipped_case_says_what_was_spent_of_what() -> None:
    result = skipped_result(case("c9"), 5.0, 5.25)
    assert result == CaseResult(
        case=case("c9"), status="skipped", error="skipped: run budget of $5 exhausted (spent $5.2500)"
    )
    assert result.failures() == ("target error: skipped: run budget of $5 exhausted (spent $5.2500)",)


def test_a_small_budget_is_written_without_an_exponent() -> None:
    assert skipped_result(case(), 2e-05, 2e-05).error == "skipped: run budget of $0.00002 exhausted (spent $0.0000)"


def test_skipping_without_a_budget_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="without a budget"):
        Budget(None).skip(case())


def test_what_a_live_run_already_skipped_stays_as_it_was() -> None:
    late = skipped("late")
    assert charge([passed("a", cost_usd=9.0), late], 5.0) == (passed("a", cost_usd=9.0), late)
    assert charge([late, passed("a")], 5.0) == (late, passed("a"))


@given(result_lists(6), st.floats(0.01, 200))
def test_charging_twice_changes_nothing(results: tuple[CaseResult, ...], budget: float) -> None:
    once = charge(results, budget)
    assert charge(once, budget) == once


@given(result_lists(6), st.floats(0.01, 200))
def test_a_budget_leaves_out_a_tail_and_touches_nothing_before_it(
    results: tuple[CaseResult, ...], budget: float
) -> None:
    results = tuple(replace(result, status="passed") if result.status == "skipped" else result for result in results)
    charged = charge(results, budget)
    kept = sum(ran(charged))
    assert charged[:kept] == results[:kept]
    assert ran(charged) == [True] * kept + [False] * (len(results) - kept)
    assert [result.case for result in charged] == [result.case for result in results]
