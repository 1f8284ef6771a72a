"""`contains`, `exact` and `regex` past what their golden rows show."""

import asyncio
import json
import sys
import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalci.model import PASSED, Case, Output, Score
from evalci.scorers.contains_text import Contains
from evalci.scorers.exact_text import Exact, expected_text
from evalci.scorers.regex import Regex
from evalci.scorers.texts import both_ends, first_difference, one_line
from tests.doubles import tools_in
from tests.factories import HOSTILE, json_values, texts
from tests.scoring import score_of, scored


def ask(scorer: Any, text: str, expected: Any = None) -> Score:
    found: Score = asyncio.run(scorer.score(Case(id="c1", expected=expected), Output(text=text)))
    return found


@given(texts(), texts())
def test_contains_is_pythons_own_question(value: str, text: str) -> None:
    assert ask(Contains(value=value), text).passed == (value in text)
    assert ask(Contains(value=value, case_sensitive=False), text).passed == (value.lower() in text.lower())


@given(texts(), texts())
def test_exact_passes_equal_texts_only(wanted: str, text: str) -> None:
    for score in (ask(Exact(value=wanted), text, "other"), ask(Exact(), text, wanted)):
        assert score.passed == (wanted == text)


@given(json_values().filter(lambda value: value is not None and not isinstance(value, str)))
def test_an_expected_value_is_compared_as_its_compact_json(expected: Any) -> None:
    text = expected_text(expected)
    assert text is not None
    assert ask(Exact(), text, expected) is PASSED
    assert json.loads(text) == json.loads(json.dumps(expected))


@given(texts(), texts())
@example("é", "e\u0301")
@example("\uac10", "\u1100\u1161\u11b7")
@example("x" * 200, "x" * 201)
@example("x" * 300 + "a", "x" * 300 + "b")
@example("", "\u2066")
def test_a_reason_never_shows_two_equal_texts(wanted: str, text: str) -> None:
    if wanted == text:
        return
    reason = ask(Exact(value=wanted), text).reason
    expected, got = reason.removeprefix("expected ").split(", got ", 1)
    assert unicodedata.normalize("NFC", expected) != unicodedata.normalize("NFC", got)
    assert reason.isprintable()


@given(texts(), texts())
def test_the_first_difference_is_where_the_texts_part(wanted: str, text: str) -> None:
    told = first_difference("x" * 200 + wanted, "x" * 200 + text) if wanted != text else ""
    if told:
        place = int(told.split("character ")[1].split(" ")[0]) - 201
        assert wanted[:place] == text[:place]
        assert wanted[place : place + 1] != text[place : place + 1]


@pytest.mark.parametrize("text", HOSTILE)
def test_reasons_are_one_printable_line_whatever_the_output(text: str) -> None:
    for settings in ({"type": "contains", "value": "\x00needle"}, {"type": "regex", "pattern": "needle\n$"}):
        assert scored(settings, text).reason.isprintable()
    assert one_line(text).isprintable()


def test_a_passing_score_is_the_one_that_is_never_made_anew(tmp_path: Path) -> None:
    regex = Regex(pattern="a").build(tools_in(tmp_path))
    assert {id(ask(scorer, "a", "a")) for scorer in (Contains(value="a"), Exact(), regex)} == {id(PASSED)}


def test_ten_thousand_outputs_are_judged_in_a_blink(tmp_path: Path) -> None:
    scorers = [Contains(value="refund"), Regex(pattern=r"policy \d+").build(tools_in(tmp_path))]
    case, output = Case(id="c1"), Output(text="see policy 42: a refund is due. " * 20)

    async def judge() -> None:
        for _ in range(10_000):
            for scorer in scorers:
                await scorer.score(case, output)

    began = time.process_time()
    asyncio.run(judge())
    assert time.process_time() - began < 1.5


def test_a_pattern_that_backtracks_for_ever_is_a_broken_score_with_the_limit_in_it() -> None:
    settings = {"type": "regex", "pattern": "^(?=a)(a|aa)+$", "engine": "backtracking", "timeout_seconds": 0.05}
    assert scored(settings, "a" * 60 + ".").error == "the pattern took too long: more than 0.05s"
    assert scored(settings, "aaaa").passed


def test_full_with_backtracking_means_the_whole_output_too() -> None:
    settings = {"type": "regex", "pattern": r"(a|ab)(c|bcd)(?!x)", "engine": "backtracking", "full": True}
    assert scored(settings, "abcd").passed
    assert not scored(settings, "abcde").passed


def test_the_pattern_is_compiled_once_for_all_outputs(tmp_path: Path) -> None:
    regex = Regex(pattern=r"\bé").build(tools_in(tmp_path))
    assert [score_of(regex, text).passed for text in ("é", "aé", "a é", "_é", "日é")] == [
        True,
        False,
        True,
        False,
        False,
    ]


def test_text_scorers_import_no_schema_library_and_no_http_client() -> None:
    import subprocess

    code = "import evalci.scorers.contains_text, evalci.scorers.exact_text, evalci.scorers.regex as r, sys\n"
    code += "r.Regex(pattern=r'\\d+ [a-z]+').build(None)\n"
    code += "print([m for m in ('jsonschema', 'httpx', 'jinja2', 'regex') if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


@given(st.text(max_size=3000))
def test_a_long_complaint_keeps_its_beginning_and_its_end(text: str) -> None:
    kept = both_ends(text)
    assert len(kept) <= 1003
    assert kept == text or (text.startswith(kept[:300]) and text.endswith(kept[-600:]))
