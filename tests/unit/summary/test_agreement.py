"""Agreement with people, held against computations of another kind."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.summary.agreement import Agreement, Labelled, agreement, best_threshold, parted, wilson

COUNTS = st.integers(0, 400)
TABLES = st.builds(Agreement, both=COUNTS, scorer_only=COUNTS, people_only=COUNTS, neither=COUNTS)
VALUES = st.none() | st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0])
ANSWERS = st.lists(st.tuples(st.booleans(), VALUES), max_size=20).map(
    lambda rows: [Labelled(case_id=str(n), human=human, value=value) for n, (human, value) in enumerate(rows)]
)


def independent_kappa(table: Agreement) -> float | None:
    """(observed - expected) / (1 - expected), in fractions, from lists of both raters' words."""
    pairs = (
        [(1, 1)] * table.both + [(1, 0)] * table.scorer_only + [(0, 1)] * table.people_only + [(0, 0)] * table.neither
    )
    if not pairs:
        return None
    n = len(pairs)
    observed = Fraction(sum(a == b for a, b in pairs), n)
    expected = sum(
        Fraction(sum(a == word for a, _ in pairs), n) * Fraction(sum(b == word for _, b in pairs), n) for word in (0, 1)
    )
    return None if expected == 1 else float((observed - expected) / (1 - expected))


def normal_quantile(probability: float) -> float:
    """By halving, from the error function alone."""
    low, high = 0.0, 10.0
    for _ in range(200):
        middle = (low + high) / 2
        if 0.5 * (1 + math.erf(middle / math.sqrt(2))) < probability:
            low = middle
        else:
            high = middle
    return low


def independent_wilson(successes: int, total: int) -> tuple[float, float]:
    """All shares p for which the seen share is within z standard errors of p, found by halving on either side."""
    z, seen = normal_quantile(0.975), successes / total

    def fits(p: float) -> bool:
        return (seen - p) ** 2 <= z * z * p * (1 - p) / total

    def edge(inside: float, outside: float) -> float:
        for _ in range(200):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if fits(middle) else (inside, middle)
        return inside

    return edge(seen, 0.0), edge(seen, 1.0)


@given(TABLES)
def test_kappa_agrees_with_an_independent_computation(table: Agreement) -> None:
    wanted = independent_kappa(table)
    if wanted is None:
        assert table.kappa is None
    else:
        assert table.kappa == pytest.approx(wanted, abs=1e-9)


@given(st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_agrees_with_an_independent_computation(counts: tuple[int, int]) -> None:
    successes, total = counts
    low, high = wilson(successes, total)
    assert 0 <= low <= successes / total + 1e-12 and successes / total - 1e-12 <= high <= 1
    assert (low, high) == pytest.approx(independent_wilson(successes, total), abs=1e-9)


@pytest.mark.parametrize(
    ("table", "kappa", "interval"),
    # kappa of 20, 5, 10, 15: the textbook's 0.4. Wilson for 8 of 10: 0.4902 to 0.9433.
    [
        (Agreement(both=20, scorer_only=5, people_only=10, neither=15), 0.4, None),
        (Agreement(both=4, scorer_only=1, people_only=1, neither=4), 0.6, (0.4901625, 0.9433178)),
    ],
)
def test_values_known_from_elsewhere(table: Agreement, kappa: float, interval: tuple[float, float] | None) -> None:
    assert table.kappa == pytest.approx(kappa, abs=1e-9)
    if interval is not None:
        assert table.interval() == pytest.approx(interval, abs=1e-6)


def test_nothing_has_no_agreement() -> None:
    empty = agreement([], 0.5)
    assert (empty.accuracy, empty.kappa, empty.interval(), best_threshold([])) == (None, None, None, None)


@given(ANSWERS, st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_every_measured_answer_is_in_the_table_and_those_that_part_are_listed(
    answers: list[Labelled], threshold: float
) -> None:
    table = agreement(answers, threshold)
    measured = [answer for answer in answers if answer.value is not None]
    assert table.total == len(measured)
    assert len(parted(answers, threshold)) == table.scorer_only + table.people_only


@given(ANSWERS)
def test_no_threshold_that_was_seen_agrees_better_than_the_best(answers: list[Labelled]) -> None:
    best = best_threshold(answers)
    measured = [answer.value for answer in answers if answer.value is not None]
    if not measured:
        assert best is None
        return
    assert best is not None
    assert best.threshold in measured
    assert best.agreement == agreement(answers, best.threshold)
    assert all(agreement(answers, value).agreed <= best.agreement.agreed for value in measured)
