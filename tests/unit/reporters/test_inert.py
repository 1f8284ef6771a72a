"""Other people's text in Markdown: shown as it is, and able to do nothing."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.reporters.inert import block, code, diff_block, fenced, html_code
from tests.factories import HOSTILE
from tests.unit.reporters.markdown_tree import tree

TEXTS = st.one_of(
    st.sampled_from(HOSTILE),
    st.text("`~<>&|\\@#*_[]()!-:/ \n\r\taw.", max_size=30),
    st.text(st.characters(codec=None), max_size=20),
)
BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"
STRIPPED = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f{BIDI}]")


def bare(text: str) -> str:
    """What is left to compare: no white space, no joiners, nothing that was stripped."""
    plain = "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return re.sub(r"[\s\u200d]", "", STRIPPED.sub("", plain))


@given(TEXTS)
def test_a_code_span_shows_the_text_and_nothing_of_it_is_live(text: str) -> None:
    page = tree(f"before {code(text)} after")
    assert page.live_text.replace("\n", "") in ("before  after", "before (empty) after")
    assert bare(page.inert_text) == bare(text)
    assert set(page.tags) <= {"p", "code", "em"}


@given(TEXTS, TEXTS)
def test_two_code_spans_on_a_line_do_not_mix(one: str, other: str) -> None:
    page = tree(f"- {code(one)} · {code(other)}")
    assert bare(page.inert_text) == bare(one) + bare(other)


@given(TEXTS)
def test_code_in_raw_html_shows_the_text_and_nothing_of_it_is_live(text: str) -> None:
    page = tree(f"<details><summary>❌ {html_code(text)}</summary>\n\nbelow\n\n</details>")
    assert bare(page.inert_text) == bare(text)
    assert set(page.tags) <= {"details", "summary", "code", "i", "p"}
    assert not page.mistakes
    assert not page.open


@given(TEXTS)
def test_a_block_shows_the_text_and_what_follows_renders(text: str) -> None:
    page = tree(f"{block(text)}\n\nafter")
    assert page.live_text.strip() == "after"
    assert bare(page.inert_text) == bare(text)
    assert page.tags == ["pre", "p"]
    assert not page.mistakes


@given(TEXTS, TEXTS)
def test_a_diff_shows_both_texts_and_what_follows_renders(before: str, after: str) -> None:
    page = tree(f"{diff_block(before, after)}\n\nafter")
    assert page.live_text.strip() == "after"
    assert page.tags == ["pre", "p"]
    lines = page.inert_text.split("\n")
    assert bare("".join(line[2:] for line in lines if line[:1] in (" ", "+"))) == bare(after)
    assert bare("".join(line[2:] for line in lines if line[:1] in (" ", "-"))) == bare(before)


@given(TEXTS, TEXTS)
def test_no_line_of_a_block_starts_with_what_it_shows(before: str, after: str) -> None:
    for text in (block(before), diff_block(before, after)):
        assert all(line[:2] in ("  ", "- ", "+ ", "<p", "</") for line in text.split("\n"))


@given(TEXTS)
def test_no_control_character_and_no_change_of_direction_is_left(text: str) -> None:
    for shown in (code(text), html_code(text), block(text), diff_block(text, text)):
        assert not [
            char for char in shown if char in BIDI or (unicodedata.category(char) == "Cc" and char not in "\t\n")
        ]
        shown.encode()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "`plain`"),
        ("a`b", "``a`b``"),
        ("`````", "`````` ````` ``````"),
        ("`a", "`` `a ``"),
        ("a\nb\tc", "`a b c`"),
        ("", "_(empty)_"),
        (" \n ", "_(empty)_"),
        ("\x1b[31m", "`[31m`"),
    ],
)
def test_a_fence_is_longer_than_any_run_inside(text: str, shown: str) -> None:
    assert code(text) == shown


def test_a_comment_inside_text_neither_opens_nor_closes() -> None:
    for shown in (code("<!-- evalci:1 -->"), html_code("<!-- evalci:1 -->"), block("<!-- evalci:1 -->")):
        assert "<!--" not in shown
        assert "-->" not in shown


@pytest.mark.parametrize(
    "word",
    [
        "@org/team",
        "fixes #12",
        "<script>",
        "https://example.com",
        "www.example.com",
        "::error",
        "#12",
        "#60",
        "GH-4",
        "[a](b)",
        "a|b",
    ],
)
def test_the_letters_of_what_would_be_live_are_in_no_raw_html(word: str) -> None:
    assert word not in html_code(word) + block(word) + diff_block(word, f"{word}!")
    assert word in tree(block(word)).inert_text


def test_lines_that_stayed_are_neither_gone_nor_new() -> None:
    assert diff_block("a\nb\nc\n", "a\nx\nc") == '<pre lang="diff">\n  a\n- b\n+ x\n  c\n</pre>'


def test_a_command_is_fenced_so_that_it_can_be_copied() -> None:
    assert fenced("evalci run a.yaml") == "```sh\nevalci run a.yaml\n```"


@pytest.mark.parametrize("command", ["evalci run '`x`'", "evalci run 'a\n```\nb'", "evalci run '\u202e'"])
def test_an_odd_command_gets_no_fence_it_could_break(command: str) -> None:
    assert tree(fenced(command) + "\n\nafter").tags == ["pre", "p"]
