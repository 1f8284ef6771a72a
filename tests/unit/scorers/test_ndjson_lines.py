"""Requests and answers of protocol ndjson, as lines."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.model import Output
from evalci.scorers import ScorerError
from evalci.scorers.ndjson_lines import read_answer, request_line, score_from
from evalci.scorers.verdicts import payload
from tests.factories import case

ANY_TEXT = st.text(st.characters() | st.sampled_from("\n\r\u0085\u2028\u2029\x0b\x0c\x1c\ud800"), max_size=12)


def test_a_request_is_the_case_of_protocol_v0_with_a_number() -> None:
    about = case("c1", input="in", expected=[1], context=("a",))
    line = request_line(7, about, Output(text="out"))
    assert line == b'{"context":["a"],"expected":[1],"id":7,"input":"in","output":"out"}'
    assert json.loads(line) == {**json.loads(payload(about, Output(text="out"))), "id": 7}


@given(ANY_TEXT, ANY_TEXT, st.none() | st.lists(ANY_TEXT, max_size=2))
def test_a_request_is_one_line_for_whoever_reads_it(asked: str, answer: str, context: list[str] | None) -> None:
    about = case("c1", input=asked, expected={"x": asked}, context=tuple(context) if context else None)
    text = request_line(1, about, Output(text=answer)).decode()
    assert len(text.splitlines()) == 1
    assert json.loads(text)["output"] == json.loads(payload(about, Output(text=answer)))["output"]


def test_a_case_that_is_no_json_cannot_be_asked_about() -> None:
    with pytest.raises(ScorerError, match="cannot be written as JSON"):
        request_line(1, case("c1", expected={1, 2}), Output(text=""))


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"Loading the model",
        b"[1]",
        b'"x"',
        b"{}",
        b'{"score": 1}',
        b'{"id": "1", "score": 1}',
        b'{"id": 1.0, "score": 1}',
        b'{"id": true, "score": 1}',
        b'{"id": null, "score": 1}',
        b'{"id": 1, "score": NaN}',
        b'{"id": 1, "id": 2, "score": 1}',
        b'{"id": 1, "score": 1',
        b'{"id": 1, "score": 1} {"id": 2, "score": 1}',
        b'\xff{"id": 1}',
    ],
)
def test_what_names_no_request_is_no_answer(line: bytes) -> None:
    assert read_answer(line) is None


@pytest.mark.parametrize(
    ("fields", "value", "passed", "reason"),
    [
        ({"score": 1}, 1.0, True, ""),
        ({"score": 0.5}, 0.5, True, ""),
        ({"score": 0.49}, 0.49, False, ""),
        ({"score": 0.9, "passed": False, "reason": "no"}, 0.9, False, "no"),
        ({"score": 0.1, "passed": None, "reason": None, "error": None, "more": [1]}, 0.1, False, ""),
    ],
)
def test_a_verdict_is_read_as_in_protocol_v0(fields: dict[str, Any], value: float, passed: bool, reason: str) -> None:
    answer = read_answer(json.dumps({"id": 3, **fields}).encode() + b"\r")
    assert answer is not None
    score = score_from("cmd", answer)
    assert (answer.number, score.value, score.passed, score.reason) == (3, value, passed, reason)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"error": "no such metric", "score": 1}, "scorer command failed: no such metric"),
        ({"error": {"code": 5}}, 'scorer command failed: {"code":5}'),
        ({}, 'scorer "cmd" printed invalid verdict JSON: "{\\"id\\": 3}"'),
        ({"score": True}, "printed invalid verdict JSON"),
        ({"score": "1"}, "printed invalid verdict JSON"),
        ({"score": 1, "passed": 1}, "printed invalid verdict JSON"),
        ({"score": 1.01}, 'scorer "cmd" returned score 1.01 outside 0.0..=1.0'),
    ],
)
def test_an_answer_without_a_verdict_breaks_its_own_score(fields: dict[str, Any], message: str) -> None:
    answer = read_answer(json.dumps({"id": 3, **fields}).encode())
    assert answer is not None
    with pytest.raises(ScorerError) as caught:
        score_from("cmd", answer)
    assert message in str(caught.value)
