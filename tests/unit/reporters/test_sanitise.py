"""Other people's text on a terminal."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.reporters.sanitise import sanitise

BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"


@given(st.text())
def test_no_control_character_and_no_change_of_direction_is_left(text: str) -> None:
    assert not [char for char in sanitise(text) if unicodedata.category(char) == "Cc" or char in BIDI]


@given(st.text(st.characters(exclude_categories=["Cc"], exclude_characters=BIDI)))
def test_everything_else_is_untouched(text: str) -> None:
    assert sanitise(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\r\nb", "a\\r\\nb"),
        ("\x1b[2K", "\\x1b[2K"),
        ("\x00\x7f\x9b", "\\x00\\x7f\\x9b"),
        ("\u061c", "\\u{061c}"),
        ("\u200d\u200b\ufeff", "\u200d\u200b\ufeff"),
    ],
)
def test_what_is_replaced_is_spelled_out(text: str, shown: str) -> None:
    assert sanitise(text) == shown
