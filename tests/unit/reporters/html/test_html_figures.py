"""Numbers as the page writes them."""

import pytest

from evalci.model import GateOutcome, Summary
from evalci.reporters.html import figures


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "not measured"), (0.42, "0.42"), (1.0, "1.00"), (0, "0.00"), (0.9999, "0.9999"), (0.0004, "0.0004"),
     (-0.5, "-0.50"), (-0.0, "0.00"), (1e-9, "0.000000"), (0.995, "0.99"), (5.003, "5.003"), (1e300, "1.000e+300")],
)  # fmt: skip
def test_a_score_is_not_rounded_into_a_perfect_or_an_empty_one(value: float | None, text: str) -> None:
    assert figures.score(value) == text


@pytest.mark.parametrize(
    ("before", "after", "texts"),
    [
        (0.9, 0.4, ("0.90", "0.40")),
        (0.801, 0.804, ("0.801", "0.804")),
        (None, 0.5, ("not measured", "0.50")),
        (0.5, 0.5, ("0.50", "0.50")),
        (0.5, 0.5 + 1e-12, ("0.500000", "0.500000")),
    ],
)
def test_two_values_are_told_apart(before: float | None, after: float, texts: tuple[str, str]) -> None:
    assert figures.pair(before, after) == texts


@pytest.mark.parametrize(
    ("milliseconds", "text"), [(0, "0 ms"), (999, "999 ms"), (1000, "1.0 s"), (4213, "4.2 s"), (3_600_000, "3,600 s")]
)
def test_a_duration_has_a_unit_that_fits(milliseconds: int, text: str) -> None:
    assert figures.duration(milliseconds) == text


def test_a_gate_is_told_in_its_unit() -> None:
    slow = GateOutcome(gate="latency", type="latency", passed=False, actual=4213, max=2000)
    dear = GateOutcome(gate="cost", type="cost", passed=True, actual=0.0123, max=0.05)
    none = GateOutcome(gate="x", type="pass_rate", passed=False, min=0.5, max=0.9)
    assert [figures.seen(gate) for gate in (slow, dear, none)] == ["4213 ms", "$0.01", "not measured"]


@pytest.mark.parametrize(("value", "width"), [(-1, "0.00%"), (0.4167, "41.67%"), (7, "100.00%")])
def test_a_bar_stays_within_its_ends(value: float, width: str) -> None:
    assert figures.meter(value) == width


def test_failing_cases_are_told_by_kind_when_there_are_several() -> None:
    assert (
        figures.failing(Summary(total=9, passed=3, failed=6, errored=2, skipped=1)) == "3 failed, 2 errored, 1 skipped"
    )
    assert figures.failing(Summary(total=9, passed=7, failed=2, errored=2)) == "2 errored"
    assert figures.failing(Summary(total=9, passed=7, failed=2)) == ""
