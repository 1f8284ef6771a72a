"""Ceilings on what a run costs and how long its answers take."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.gates.cost import Cost
from evalci.gates.facts import GateFacts
from evalci.gates.latency import Latency, statistic_of
from evalci.model import CaseResult, Output
from tests.factories import case, passed, result_lists, tried

times = st.lists(st.integers(0, 10_000).map(float), min_size=1, max_size=30)


@given(times)
def test_percentiles_are_times_that_were_taken_and_keep_their_share(taken: list[float]) -> None:
    for statistic, share in (("p50", 0.5), ("p95", 0.95)):
        found = statistic_of(taken, statistic)
        assert found in taken
        assert found is not None
        assert sum(time <= found for time in taken) >= share * len(taken) - 1e-9
        assert sum(time < found for time in taken) < share * len(taken)


@given(times, st.sampled_from(("mean", "p50", "p95")))
def test_a_lost_answer_never_makes_a_run_look_faster(taken: list[float], statistic: str) -> None:
    before, after = statistic_of(taken, statistic), statistic_of([*taken, math.inf], statistic)
    assert before is not None
    assert after is not None
    assert after >= before


def test_a_statistic_over_nothing_is_unknown() -> None:
    assert statistic_of([], "mean") is None


def test_every_trial_is_an_answer() -> None:
    outcome = Latency(max_ms=5).judge(GateFacts(results=(tried("coin", True, False),)))
    assert (outcome.passed, outcome.actual) == (False, 10.0)


@given(result_lists(), st.floats(0, 500))
def test_a_cost_gate_that_passes_saw_a_cost_within_its_ceiling(results: tuple[CaseResult, ...], ceiling: float) -> None:
    outcome = Cost(max_usd=ceiling).judge(GateFacts(results=results))
    if outcome.passed:
        assert outcome.actual is not None
        assert outcome.actual <= ceiling + 1e-9
    else:
        assert outcome.reason or (outcome.actual is not None and outcome.actual > ceiling)


@pytest.mark.parametrize("known", [0.0, 0.5])
def test_a_known_cost_of_one_case_does_not_vouch_for_another(known: float) -> None:
    priced = CaseResult(case=case("a"), status="passed", output=Output(text="", cost_usd=known), cost_usd=known)
    outcome = Cost(max_usd=1).judge(GateFacts(results=(priced, passed("b"))))
    assert (outcome.passed, outcome.actual) == (False, known)
