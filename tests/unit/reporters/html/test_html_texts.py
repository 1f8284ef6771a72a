"""What cannot be seen is spelled out, and nothing that is escaped is markup."""

import json
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from markupsafe import escape

from evalci.reporters.html.texts import as_json, line, plain, shown
from tests.factories import json_values, texts


def read(markup: str) -> str:
    """The text of a piece of HTML."""
    found: list[str] = []
    parser = HTMLParser(convert_charrefs=True)
    parser.handle_data = found.append  # type: ignore[method-assign]
    parser.feed(f"{markup}\n")
    parser.close()
    return "".join(found)[:-1]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("\x1b[31mred\x00\x7f\x9b", "\\x1b[31mred\\x00\\x7f\\x9b"),
        ("a\u202eb\u2066c\u200fd\u061c", "a\\u{202e}b\\u{2066}c\\u{200f}d\\u{061c}"),
        ("a\r\nb\rc", "a\\r\nb\\rc"),
        ("no\u200bspace\ufeff\u2060", "no\\u{200b}space\\u{feff}\\u{2060}"),
        ("line\u2028end\x85", "line\\u{2028}end\\x85"),
        ("hi\U000e0068\U000e0069", "hi\\u{e0068}\\u{e0069}"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("👩‍👩‍👧 café ن\u200cن", "👩‍👩‍👧 café ن\u200cن"),
        ("half \ud800 of", "half \ufffd of"),
    ],
)
def test_what_cannot_be_seen_is_spelled_out_and_the_rest_stays(text: str, seen: str) -> None:
    assert read(str(escape(shown(text)))) == seen


def test_a_line_has_no_breaks() -> None:
    assert read(str(escape(line("a\nb\tc")))) == "a\\nb\\tc"


def test_an_escape_is_marked_apart_from_text_that_looks_like_one() -> None:
    assert escape(shown("\x1b \\x1b")) == '<span class="esc">\\x1b</span> \\x1b'


def test_text_that_is_made_of_escapes_has_no_marks() -> None:
    assert escape(shown("<\x00" * 1000)) == "&lt;\\x00" * 1000


def test_where_no_marks_can_be_there_are_none() -> None:
    assert plain("<b>\x1b\n") == "<b>\\x1b\\n"


@given(texts(40))
def test_text_beside_a_marked_escape_is_escaped_as_any_other(text: str) -> None:
    for told in (shown(text), line(text), shown(f"{text}\x00{text}")):
        markup = str(escape(told)).replace('<span class="esc">', "").replace("</span>", "")
        assert not set(markup) & {"<", ">", '"', "'"}


@given(json_values())
def test_a_value_is_shown_as_the_json_it_is(value: Any) -> None:
    if not isinstance(value, str):
        assert json.loads(as_json(value)) == json.loads(json.dumps(value))


def test_a_value_that_has_no_end_is_cut() -> None:
    value: Any = "deep"
    for _ in range(5000):
        value = [value]
    assert "…" in as_json(value)


def test_text_is_shown_as_it_is_and_keys_are_sorted() -> None:
    assert as_json("a\n<b>") == "a\n<b>"
    assert as_json({"b": 1, "a": [None, True]}) == '{"a": [null, true], "b": 1}'
    assert as_json({"b": "x" * 100, "a": 1}).startswith('{\n  "a": 1')
