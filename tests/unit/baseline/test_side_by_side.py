"""Two states laid side by side."""

from hypothesis import given
from hypothesis import strategies as st

from evalci.baseline.side_by_side import Standing, lay_side_by_side

standings = st.dictionaries(
    st.text(max_size=3),
    st.builds(
        Standing,
        value=st.none() | st.floats(0, 1),
        passed=st.none() | st.booleans(),
        errored=st.booleans(),
        content=st.none() | st.sampled_from(["x", "y"]),
    ),
)


@given(standings)
def test_a_state_beside_itself_differs_in_nothing(state: dict[str, Standing]) -> None:
    assert lay_side_by_side(state, state).nothing_differs


@given(standings, standings)
def test_every_case_is_accounted_for_once(before: dict[str, Standing], after: dict[str, Standing]) -> None:
    found = lay_side_by_side(before, after)
    assert found.common + len(found.only_before) == len(before)
    assert found.common + len(found.only_after) == len(after)
    told = [*(i for i, *_ in found.flips), *(i for i, _ in found.moves), *found.amended]
    told += [i for i, *_ in found.measurement_changes]
    assert len(told) == len(set(told))


def test_an_edited_case_is_amended_and_nothing_else() -> None:
    before, after = Standing(value=1, passed=True, content="x"), Standing(value=0, passed=False, content="y")
    found = lay_side_by_side({"a": before}, {"a": after})
    assert (found.amended, found.flips, found.mean_delta) == (("a",), (), None)
