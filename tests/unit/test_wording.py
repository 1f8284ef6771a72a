"""How messages spell numbers, quoted text and suggestions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.wording import choices_hint, closest, count_of, plain_number, quoted, seen, snippet


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.0, "0"), (2.0, "2"), (-1.0, "-1"), (0.5, "0.5"), (1e-7, "0.0000001"), (1.5e-7, "0.00000015")]
    + [(1e21, "1000000000000000000000"), (float("inf"), "inf"), (float("nan"), "NaN"), (12345.678, "12345.678")],
)
def test_a_number_has_no_exponent_and_no_trailing_zero(value: float, text: str) -> None:
    assert plain_number(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_printed_number_reads_back_as_itself(value: float) -> None:
    assert float(plain_number(value)) == value


@pytest.mark.parametrize(
    ("text", "shown"),
    [("plain", '"plain"'), ('say "hi"', '"say \\"hi\\""'), ("a\\b", '"a\\\\b"'), ("a\nb\r\t", '"a\\nb\\r\\t"')]
    + [("\x1b[31m", '"\\u{1b}[31m"'), ("e\u0301", '"e\\u{301}"'), ("\u00a0", '"\\u{a0}"'), ("é", '"é"')],
)
def test_quoted_text_shows_what_cannot_be_seen(text: str, shown: str) -> None:
    assert quoted(text) == shown


@given(st.text())
def test_quoted_text_is_one_printable_line(text: str) -> None:
    assert "\n" not in quoted(text)
    assert "\x1b" not in quoted(text)


def test_a_snippet_says_that_more_was_cut_off() -> None:
    assert snippet("x" * 200) == "x" * 200
    assert snippet("x" * 201) == "x" * 200 + "…"
    assert seen("x" * 300).endswith('…"')


def test_the_word_that_was_probably_meant_is_offered() -> None:
    assert closest("contain", ["contains", "exact"]) == "contains"
    assert closest("zzz", ["contains", "exact"]) is None
    assert choices_hint("types", "Exakt", ["exact", "contains"]) == (
        'known types: contains, exact\ndid you mean "exact"?'
    )
    assert choices_hint("types", "q", []) == "known types: none"


def test_counts_agree_with_their_noun() -> None:
    assert (count_of(1, "case"), count_of(0, "case"), count_of(2, "entry", "entries")) == (
        "1 case",
        "0 cases",
        "2 entries",
    )
