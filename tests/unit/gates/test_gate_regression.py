"""A drop against the baseline, and how likely chance alone is to bring it about."""

import math
from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalci.gates.chance import chance_of_drop
from evalci.gates.facts import GateFacts
from evalci.gates.pairs import Pair, score_pairs, verdict_pairs
from evalci.gates.regression import Regression
from evalci.model import CaseResult, Output, Score, Snapshot
from tests.factories import broken, errored, failed, graded, passed, unjudged

tenths = st.integers(-10, 10).map(lambda tenth: tenth / 10)


def by_hand(differences: Sequence[float]) -> float:
    """Every choice of signs, one by one."""
    seen = math.fsum(differences)
    totals = [
        math.fsum(sign * abs(d) for sign, d in zip(signs, differences, strict=True)) for signs in _signs(differences)
    ]
    return sum(total <= seen + 1e-9 for total in totals) / len(totals)


def _signs(differences: Sequence[float]) -> list[tuple[int, ...]]:
    return list(product((1, -1), repeat=len(differences)))


@given(st.lists(tenths, max_size=8))
def test_the_chance_is_the_share_of_signs_that_give_a_total_so_low(differences: list[float]) -> None:
    assert chance_of_drop(differences) == pytest.approx(by_hand(differences))


@pytest.mark.parametrize(("fell", "rose"), [(5, 0), (5, 1), (9, 2), (3, 3), (0, 4)])
def test_passes_and_failures_are_mcnemars_exact_test(fell: int, rose: int) -> None:
    n = fell + rose
    exact = sum(math.comb(n, k) for k in range(fell, n + 1)) / 2**n
    assert chance_of_drop([-1.0] * fell + [1.0] * rose + [0.0] * 7) == pytest.approx(exact)


@given(st.lists(tenths, max_size=8))
def test_cases_that_did_not_move_say_nothing(differences: list[float]) -> None:
    assert chance_of_drop([*differences, 0.0, 0.0]) == chance_of_drop(differences)


@given(st.lists(tenths, max_size=8).flatmap(lambda found: st.tuples(st.just(found), st.permutations(found))))
def test_the_order_of_cases_does_not_matter_to_chance(orders: tuple[list[float], list[float]]) -> None:
    assert chance_of_drop(orders[0]) == chance_of_drop(orders[1])


def test_no_change_is_certain() -> None:
    assert chance_of_drop([]) == chance_of_drop([0.0, 1e-14]) == 1.0


def test_many_uneven_differences_are_resampled_alike_each_time_and_close_to_exact() -> None:
    uneven = [((-1) ** n) * (0.1 + n / 1000) - 0.05 for n in range(60)]
    estimate = chance_of_drop(uneven)
    assert estimate == chance_of_drop(list(reversed(uneven)))
    deviations = math.fsum(uneven) / math.sqrt(math.fsum(d * d for d in uneven))
    normal = (1 + math.erf(deviations / math.sqrt(2))) / 2
    assert estimate == pytest.approx(normal, abs=0.02)


def test_several_cases_of_one_size_are_resampled_together() -> None:
    mixed = [-0.3] * 20 + [0.2 + n / 100 for n in range(20)]
    assert 0.4 < chance_of_drop(mixed) < 0.9


def test_a_real_drop_is_never_estimated_as_impossible() -> None:
    assert 0 < chance_of_drop([-0.1 - n / 1000 for n in range(100)]) < 0.001


@pytest.mark.parametrize("differences", [[-1.0] * 20_000, [-(n + 1) / 10_000 for n in range(10_000)]])
@pytest.mark.slow
def test_a_large_suite_is_judged_without_enumerating_it(differences: list[float]) -> None:
    assert chance_of_drop(differences) < 0.01


def snapshot(status: str = "passed", **scores: float | None) -> Snapshot:
    return Snapshot(status=status, scores=scores)  # type: ignore[arg-type]


def facts(results: Sequence[CaseResult], before: dict[str, Snapshot] | None) -> GateFacts:
    return GateFacts(results=results, before=before)


def test_cases_that_the_baseline_does_not_hold_unchanged_are_no_pairs() -> None:
    assert verdict_pairs(facts([passed("a"), failed("new")], {"a": snapshot(), "gone": snapshot()})) == [Pair(1.0, 1.0)]


@pytest.mark.parametrize(
    ("before", "after", "pair"),
    [
        ("passed", passed("a"), Pair(1.0, 1.0)),
        ("passed", failed("a"), Pair(1.0, 0.0)),
        ("passed", errored("a"), Pair(1.0, 0.0)),
        ("passed", unjudged("a"), Pair(1.0, 0.0)),
        ("failed", passed("a"), Pair(0.0, 1.0)),
        ("skipped", unjudged("a"), Pair(0.0, 0.0)),
        ("unjudged", failed("a"), None),
    ],
)
def test_a_verdict_that_was_lost_has_dropped_and_one_that_never_was_has_not(
    before: str, after: CaseResult, pair: Pair | None
) -> None:
    assert verdict_pairs(facts([after], {"a": snapshot(before)})) == ([] if pair is None else [pair])


def judged(case_id: str, *scores: Score) -> CaseResult:
    return passed(case_id, output=Output(text=""), scores=scores)


def test_a_type_pairs_the_mean_of_all_its_scorers() -> None:
    tone, facts_ = graded(0.4).named("tone", "judge"), graded(0.8).named("facts", "judge")
    before = {"a": snapshot(tone=0.5, facts=0.5, contains=1.0)}
    assert score_pairs(facts([judged("a", tone, facts_)], before), "judge") == [Pair(0.5, (0.4 + 0.8) / 2)]
    assert score_pairs(facts([judged("a", tone, facts_)], before), "tone") == [Pair(0.5, 0.4)]


def test_what_the_baseline_could_not_measure_is_no_pair() -> None:
    assert score_pairs(facts([judged("a", graded(0.4, "judge"))], {"a": snapshot(judge=None)}), "judge") == []


def test_what_cannot_be_measured_now_is_zero() -> None:
    before = {"a": snapshot(judge=0.5), "b": snapshot(judge=0.5)}
    assert score_pairs(facts([judged("a", broken("judge")), errored("b")], before), "judge") == [Pair(0.5, 0.0)] * 2


def test_a_drop_of_one_case_is_chance_but_a_drop_of_all_is_not() -> None:
    before = {str(n): snapshot() for n in range(6)}
    one = [failed("0"), *(passed(str(n)) for n in range(1, 6))]
    assert Regression().judge(facts(one, before)).passed
    assert not Regression().judge(facts([failed(str(n)) for n in range(6)], before)).passed


def test_a_drop_of_exactly_the_most_that_may_be_passes() -> None:
    before = {str(n): snapshot() for n in range(10)}
    results = [*(failed(str(n)) for n in range(3)), *(passed(str(n)) for n in range(3, 10))]
    assert Regression(max_drop=0.3).judge(facts(results, before)).passed
    assert not Regression(max_drop=0.29).judge(facts(results, before)).passed


@settings(max_examples=50)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=14), st.floats(0.5, 0.999))
def test_a_run_that_is_no_worse_never_regressed(moves: list[tuple[bool, bool]], confidence: float) -> None:
    before = {str(n): snapshot("passed" if was else "failed") for n, (was, _) in enumerate(moves)}
    results = [passed(str(n)) if now else failed(str(n)) for n, (_, now) in enumerate(moves)]
    outcome = Regression(confidence=confidence).judge(facts(results, before))
    if sum(now for _, now in moves) >= sum(was for was, _ in moves):
        assert outcome.passed
    if not outcome.passed:
        assert not Regression(confidence=0.5).judge(facts(results, before)).passed
