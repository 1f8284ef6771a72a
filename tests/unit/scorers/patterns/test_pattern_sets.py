"""Sets of code points."""

from functools import cache

import re2
from hypothesis import given, settings
from hypothesis import strategies as st

from evalci.scorers.patterns.names import WORD, property_set
from evalci.scorers.patterns.sets import (
    CharSet,
    complement,
    difference,
    intersection,
    merged,
    symmetric_difference,
    union,
)

CODES = [*range(0x20, 0x80), 0xE9, 0xC9, 0x17F, 0x212A, 0x3A3, 0x3C2, 0x3C3, 0x663, 0x203F, 0x2028, 0x10FFFF]

_codes = st.sampled_from(CODES)
_ranges = st.tuples(_codes, _codes).map(lambda pair: (min(pair), max(pair)))
_named = st.sampled_from([r"\p{L}", r"\p{Lu}", r"\p{Nd}", r"\p{P}", r"\p{Greek}"])
_sets = st.builds(
    CharSet, st.lists(_ranges | _named, max_size=3).map(tuple), folded=st.booleans(), negated=st.booleans()
)


def members(chars: CharSet) -> frozenset[int]:
    """Which of the codes a set holds, as RE2 sees it."""
    matches = re2.compile(chars.re2()).fullmatch
    return frozenset(code for code in CODES if matches(chr(code)))


@cache
def everything() -> frozenset[int]:
    return frozenset(CODES)


@settings(max_examples=30)
@given(_sets)
def test_the_ranges_of_a_set_are_what_re2_finds_in_it(chars: CharSet) -> None:
    ranges = chars.ranges()
    assert members(chars) == {code for code in CODES if any(low <= code <= high for low, high in ranges)}
    assert members(chars.exact()) == members(chars)
    assert ranges == merged(ranges)


@settings(max_examples=30)
@given(_sets, _sets)
def test_operations_do_to_sets_what_they_do_to_their_members(a: CharSet, b: CharSet) -> None:
    assert members(union((a, b))) == members(a) | members(b)
    assert members(intersection(a, b)) == members(a) & members(b)
    assert members(difference(a, b)) == members(a) - members(b)
    assert members(symmetric_difference(a, b)) == members(a) ^ members(b)
    assert members(a.opposite()) == everything() - members(a)


@given(_sets)
def test_a_set_without_the_underscore_holds_all_else(chars: CharSet) -> None:
    assert members(chars.without(0x5F)) == members(chars) - {0x5F}
    assert chars.has(0x5F) == (0x5F in members(chars))


@given(st.lists(_ranges, max_size=4))
def test_twice_the_complement_is_the_same(ranges: list[tuple[int, int]]) -> None:
    assert complement(complement(merged(ranges))) == merged(ranges)


def test_the_connectors_written_out_for_words_are_all_that_re2_knows() -> None:
    assert intersection(WORD, property_set("Pc")).ranges() == property_set("Pc").ranges()


def test_names_are_read_without_case_blanks_and_dashes() -> None:
    assert property_set("upper case-letter") == property_set("Lu") == property_set("gc=uppercase_letter")
    assert property_set("isGreek").ranges() == property_set("sc=Grek").ranges()
