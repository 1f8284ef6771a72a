"""Floors and ceilings, and the settings that set them."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.config.decode import Decoder
from evalci.config.yaml_nodes import read_yaml
from evalci.gates import GATES
from evalci.gates.bounds import at_least, at_most, telling
from evalci.gates.facts import Gate, GateFacts, evaluate, needs_classification
from evalci.gates.mean_score import MeanScore
from evalci.gates.pass_rate import PassRate
from evalci.model import CaseResult, Classification
from tests.factories import finite, passed, result_lists


def decoded(kind: str, text: str) -> tuple[Any, list[str]]:
    root, problems = read_yaml(text.encode(), name="evals.yaml")
    assert root is not None
    assert not problems
    decoder = Decoder("evals.yaml")
    gate: Any = decoder.block(
        root, GATES[kind].settings(), "run.gates[0]", f"run.gates: {kind} ", ignore=frozenset({"type"})
    )
    return gate, [problem.message for problem in decoder.problems]


SMALLEST = {"cost": "max_usd: 1", "latency": "max_ms: 1", "regression": "confidence: 0.9"}
ALL_KINDS = sorted(GATES)
FLOORS = ("accuracy", "macro_f1", "pass_rate")


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_an_outcome_has_the_type_of_its_row_in_the_table(kind: str) -> None:
    gate, problems = decoded(kind, SMALLEST.get(kind, "min: 0.5"))
    assert problems == []
    assert gate.judge(GateFacts(results=())).type == kind


@pytest.mark.parametrize("kind", FLOORS)
@pytest.mark.parametrize(("written", "shown"), [("-0.1", "-0.1"), ("1.5", "1.5"), (".nan", "NaN"), (".inf", "inf")])
def test_a_share_outside_zero_to_one_is_refused(kind: str, written: str, shown: str) -> None:
    _, problems = decoded(kind, f"min: {written}")
    assert problems == [f"run.gates: {kind} min must be within [0, 1], got {shown}"]


@pytest.mark.parametrize(("written", "shown"), [(".nan", "NaN"), (".inf", "inf"), ("-.inf", "-inf")])
def test_a_mean_score_floor_must_be_finite(written: str, shown: str) -> None:
    _, problems = decoded("mean_score", f"min: {written}")
    assert problems == [f"run.gates: mean_score min must be finite, got {shown}"]


@pytest.mark.parametrize(
    ("kind", "text", "problem"),
    [
        ("cost", "max_usd: -1", "run.gates: cost max_usd must be at least 0"),
        ("cost", "max_usd: .nan", "run.gates: cost max_usd must be at least 0"),
        ("latency", "max_ms: .inf", "run.gates: latency max_ms must be at least 0"),
        ("latency", "{max_ms: 1, statistic: p99}", "run.gates[0].statistic cannot be p99"),
        ("regression", "confidence: 1", "run.gates: regression confidence must be within [0.5, 0.999], got 1"),
        ("regression", "max_drop: -0.1", "run.gates: regression max_drop must be at least 0"),
        ("pass_rate", "minimum: 1", 'unknown key "minimum" in run.gates[0]'),
    ],
)
def test_settings_that_no_run_could_meet_are_refused(kind: str, text: str, problem: str) -> None:
    assert problem in decoded(kind, text)[1]


def test_gates_are_judged_in_the_order_of_the_config() -> None:
    gates: list[Gate] = [MeanScore(min=0.5), PassRate(min=0.5), MeanScore(min=0.1, scorer="contains")]
    outcomes = evaluate(gates, GateFacts(results=(passed(),)))
    assert [outcome.gate for outcome in outcomes] == [
        "mean_score >= 0.5",
        "pass_rate >= 0.5",
        "mean_score(contains) >= 0.1",
    ]


def test_gates_on_labels_ask_for_the_classification() -> None:
    asking = [kind for kind in ALL_KINDS if needs_classification([GATES[kind].settings()])]
    assert asking == ["accuracy", "macro_f1"]
    assert not needs_classification([])


@pytest.mark.parametrize("kind", ["accuracy", "macro_f1"])
def test_a_classification_that_is_no_number_or_was_not_made_fails(kind: str) -> None:
    gate, _ = decoded(kind, "min: 0")
    lost = Classification(labeled_cases=1, accuracy=math.nan, macro_f1=math.nan)
    outcome = gate.judge(GateFacts(results=(passed(),), classification=lost))
    assert (outcome.passed, outcome.actual) == (False, None)
    assert gate.judge(GateFacts(results=(passed(),))).reason == "no labeled cases"


def test_a_floor_stands_but_for_a_rounding_error() -> None:
    assert at_least("x", 0.3, 0.3 - 9e-10).passed
    assert not at_least("x", 0.3, 0.3 - 2e-9).passed
    assert at_most("x", 0.3, 0.1 + 0.2, label="x").passed
    assert not at_most("x", 0.3, 0.3 + 2e-9, label="x").passed


@pytest.mark.parametrize("actual", [None, math.nan, math.inf, -math.inf])
def test_what_is_no_number_meets_neither_floor_nor_ceiling(actual: float | None) -> None:
    for outcome in (at_least("x", -1e300, actual), at_most("x", 1e300, actual, label="x")):
        assert not outcome.passed
        assert outcome.actual is None


@given(finite(), finite())
def test_a_floor_passes_exactly_what_reaches_it(floor: float, actual: float) -> None:
    outcome = at_least("x", floor, actual)
    assert outcome.passed == (actual >= floor - 1e-9)
    assert not (outcome.passed and outcome.reason)


@given(st.floats(-2, 2), st.floats(-2, 2))
def test_a_shown_number_is_on_its_own_side_of_the_bound(actual: float, bound: float) -> None:
    shown = float(telling(actual, bound))
    if abs(actual - bound) > 1e-9:
        assert (shown < bound) == (actual < bound)
        assert shown != bound


def test_a_shown_number_has_two_decimals_or_as_many_as_it_takes() -> None:
    assert telling(0.75, 0.9) == "0.75"
    assert telling(0.899, 0.9) == "0.899"
    assert telling(0.4, 0.400001) == "0.400000"
    assert telling(0.5, 0.5) == "0.5"


@given(result_lists(), st.sampled_from(ALL_KINDS))
def test_no_gate_lets_a_run_without_cases_pass(results: tuple[CaseResult, ...], kind: str) -> None:
    gate, _ = decoded(kind, SMALLEST.get(kind, "min: 0"))
    outcome = gate.judge(GateFacts(results=(), before={}))
    assert not outcome.passed
    assert outcome.reason
    judged = gate.judge(GateFacts(results=results, before={}))
    assert judged.actual is None or math.isfinite(judged.actual)
