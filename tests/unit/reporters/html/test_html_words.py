"""Two texts word by word: the pieces add up to the texts, and people read phrases."""

import time

from hypothesis import given
from hypothesis import strategies as st

from evalci.reporters.html.words import MOST_WORDS, Piece, compare_words
from tests.factories import texts

LONG = st.text("ab .,\n日本é", max_size=60) | texts(40)


def marked(pieces: tuple[Piece, ...]) -> str:
    """Changed stretches in brackets."""
    return "".join(f"[{piece.text}]" if piece.changed else piece.text for piece in pieces)


def both(before: str, after: str) -> tuple[str, str]:
    first, second = compare_words(before, after)
    return marked(first), marked(second)


def test_only_the_words_that_differ_are_marked() -> None:
    assert both("within 30 days, free", "within 14 days, free") == ("within [30] days, free", "within [14] days, free")


def test_changes_that_only_a_space_or_a_comma_keeps_apart_are_one() -> None:
    before, after = both("We refund the full price, always.", "We refund store credit, sometimes.")
    assert before == "We refund [the full price, always]."
    assert after == "We refund [store credit, sometimes]."


def test_what_is_only_on_one_side_is_marked_there_alone() -> None:
    assert both("It ships on Friday.", "It ships on Friday, we hope.") == (
        "It ships on Friday.",
        "It ships on Friday[, we hope].",
    )


def test_texts_with_hardly_a_word_in_common_are_left_unmarked() -> None:
    assert both("Gift cards never expire.", "Please call us on Monday morning.") == (
        "Gift cards never expire.",
        "Please call us on Monday morning.",
    )


def test_scripts_without_spaces_are_compared_by_the_character() -> None:
    assert both("返品は三十日以内に可能です", "返品は十四日以内に可能です") == (
        "返品は[三]十日以内に可能です",
        "返品は十[四]日以内に可能です",
    )


def test_no_mark_is_torn_from_its_letter_and_no_emoji_apart() -> None:
    before, after = both("cafe\u0301 is open 👩‍👩‍👧 today", "cafe is open 👩‍👧 today")
    assert before == "[cafe\u0301] is open [👩‍👩‍👧] today"
    assert after == "[cafe] is open [👩‍👧] today"


@given(LONG, LONG)
def test_the_pieces_add_up_to_the_texts(before: str, after: str) -> None:
    first, second = compare_words(before, after)
    assert "".join(piece.text for piece in first) == before
    assert "".join(piece.text for piece in second) == after


@given(LONG)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    for pieces in compare_words(text, text):
        assert not any(piece.changed for piece in pieces)


@given(LONG, LONG)
def test_what_is_unmarked_is_common_to_both_in_order(before: str, after: str) -> None:
    first, second = compare_words(before, after)
    if any(piece.changed for piece in (*first, *second)):
        kept = ["".join(piece.text for piece in pieces if not piece.changed) for pieces in (first, second)]
        assert kept[0] == kept[1]


def test_the_longest_texts_that_are_compared_take_no_time() -> None:
    before = "a " * (MOST_WORDS // 2)
    began = time.perf_counter()
    compare_words(before, "b a " * (MOST_WORDS // 4))
    compare_words(before + "more", before)
    assert time.perf_counter() - began < 2
