"""Which cases a run takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.errors import UsageError
from evalci.model import Case, Shard
from evalci.selection import Selection, read_shard, shard_of

CASES = tuple(Case(id=name) for name in ("refund-1", "refund-2", "greet", "a[b]"))


def _ids(selection: Selection) -> list[str]:
    return [case.id for case in selection.choose(CASES)]


def test_without_a_selection_every_case_is_taken() -> None:
    assert _ids(Selection()) == ["refund-1", "refund-2", "greet", "a[b]"]
    assert not Selection().is_partial


def test_ids_and_globs_choose_cases_in_dataset_order() -> None:
    assert _ids(Selection(filters=("greet", "refund-*"))) == ["refund-1", "refund-2", "greet"]
    assert _ids(Selection(filters=("a[b]",))) == ["a[b]"]


def test_a_filter_that_matches_nothing_is_a_mistake_not_an_empty_run() -> None:
    with pytest.raises(UsageError, match="matches no case"):
        Selection(filters=("refund-*", "nope")).choose(CASES)


@given(st.lists(st.text(min_size=1), unique=True, max_size=40), st.integers(1, 9))
def test_shards_split_the_cases_without_gap_or_overlap(ids: list[str], count: int) -> None:
    cases = [Case(id=name) for name in ids if name.isprintable()]
    parts = [Selection(shard=Shard(index=i + 1, count=count)).choose(cases) for i in range(count)]
    assert sorted(c.id for part in parts for c in part) == sorted(c.id for c in cases)


def test_adding_a_case_moves_no_other_case_to_another_shard() -> None:
    assert [shard_of(f"c{i}", 8) for i in range(5)] == [shard_of(f"c{i}", 8) for i in range(5)]
    assert {shard_of(f"c{i}", 4) for i in range(200)} == {1, 2, 3, 4}


@pytest.mark.parametrize("text", ["0/4", "5/4", "1", "a/b", "1/", "-1/3", "1/0", "²/3", "1/" + "9" * 5000])
def test_a_shard_is_i_of_n(text: str) -> None:
    assert read_shard("2/8") == Shard(index=2, count=8)
    with pytest.raises(UsageError, match="--shard takes I/N"):
        read_shard(text)
