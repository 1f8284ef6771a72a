from hypothesis import given
from hypothesis import strategies as st

from evalci.evidence.statistics import FEWEST_CASES, compare

RATES = st.sampled_from([0.0, 1 / 3, 0.5, 2 / 3, 1.0])


def test_five_cases_that_all_get_better_are_too_few_and_six_are_not() -> None:
    few, enough = compare([(0.0, 1.0)] * 5), compare([(0.0, 1.0)] * 6)
    assert few is not None and enough is not None
    assert (few.p_value, few.low) == (2 / 32, None)
    assert "5 cases are too few to tell" in few.words
    assert (enough.p_value, enough.low, enough.high) == (2 / 64, 1.0, 1.0)
    assert enough.words == "the treatment is better, by more than chance alone would explain"


def test_no_cases_are_no_comparison() -> None:
    assert compare([]) is None


@given(st.lists(st.tuples(RATES, RATES), min_size=FEWEST_CASES, max_size=9))
def test_the_interval_holds_the_difference_and_the_mirror_image_has_the_same_p_value(
    pairs: list[tuple[float, float]],
) -> None:
    found, mirrored = compare(pairs), compare([(treatment, control) for control, treatment in pairs])
    assert found is not None and mirrored is not None
    assert found.low is not None and found.high is not None
    assert -1 <= found.low <= found.difference + 1e-9
    assert found.difference - 1e-9 <= found.high <= 1
    assert abs(found.p_value - mirrored.p_value) < 1e-9
    assert (found.better, found.worse) == (mirrored.worse, mirrored.better)


@given(st.lists(RATES, min_size=1, max_size=40))
def test_equal_conditions_never_differ(rates: list[float]) -> None:
    found = compare([(rate, rate) for rate in rates])
    assert found is not None
    assert (found.difference, found.p_value) == (0.0, 1.0)
