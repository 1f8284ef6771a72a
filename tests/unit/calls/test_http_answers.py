"""Reading the output out of bodies as servers really send them."""

import json
from typing import Any

import pytest
from hypothesis import given

from evalci.calls import CallError
from evalci.calls.http_answer import read_answer, value_text
from evalci.calls.transport import HttpResponse
from tests.doubles import as_it_is
from tests.factories import json_values

URL = "https://h/s?q={{input}}"


def read(body: str, pointer: str | None = "/answer", *, status: int = 200) -> str:
    response = HttpResponse(status=status, headers={}, text=body, latency_ms=1)
    return read_answer(response, pointer, URL, as_it_is)


def refusal(body: str, pointer: str = "/answer", *, status: int = 200) -> str:
    with pytest.raises(CallError) as caught:
        read(body, pointer, status=status)
    return str(caught.value)


@pytest.mark.parametrize("body", ["plain text", "", "<html>", '{"answer": "hi"}', "data: x\n\n", " \n"])
def test_without_a_pointer_the_body_is_the_output(body: str) -> None:
    assert read(body, None) == body


@pytest.mark.parametrize(("value", "text"), [
    ('"hi"', "hi"), ('""', ""), ('"\\"q\\""', '"q"'), ("null", "null"), ("true", "true"), ("9", "9"), ("9.0", "9.0"),
    ("1e2", "100.0"), ("-0.0", "-0.0"), ("9007199254740993", "9007199254740993"),
    ('{"b": 1, "a": [2.0]}', '{"a":[2.0],"b":1}'),
    ("[]", "[]"), ('["é", "\\u00e9"]', '["é","é"]'), ('"\\ud83d\\ude00"', "😀"), ('"\\ud83d"', "\ufffd"),
])  # fmt: skip
def test_a_string_is_taken_as_it_is_and_the_rest_as_compact_json(value: str, text: str) -> None:
    assert read(f'{{"answer": {value}, "more": 1}}') == text


@given(json_values())
def test_what_is_shown_of_a_value_reads_back_as_it(value: Any) -> None:
    text = read(json.dumps({"answer": value}))
    assert text == value if isinstance(value, str) else json.loads(text) == json.loads(value_text(value))


def test_the_last_of_two_equal_keys_counts() -> None:
    assert read('{"answer": "a", "answer": "b"}') == "b"


def test_an_error_in_a_200_is_a_missing_answer_with_the_body() -> None:
    body = '{"error": {"message": "queue is full"}}'
    assert refusal(body) == f'{URL} answered 200 without a value at response_path "/answer": {body}'


def test_an_answer_beside_an_error_is_taken() -> None:
    assert read('{"error": null, "answer": "hi"}') == "hi"


@pytest.mark.parametrize(("body", "shown"), [
    ("this is not json", "this is not json"),
    ("<!doctype html>\n<title>Sign in</title>", "<!doctype html> <title>Sign in</title>"),
    ("", "(the body is empty)"),
    ("  \n", "(the body is empty)"),
    ('{"answer": NaN}', '{"answer": NaN}'),
    ('{"answer": 1e999}', '{"answer": 1e999}'),
    ('{"answer": "hi"} trailing', '{"answer": "hi"} trailing'),
    ("x" * 300, "x" * 200),
])  # fmt: skip
def test_a_body_that_is_no_json_is_named_with_pointer_status_and_start(body: str, shown: str) -> None:
    wanted = f'{URL} answered 200 with a non-JSON body, which response_path "/answer" cannot read: {shown}'
    assert refusal(body) == wanted


def test_no_content_is_no_answer() -> None:
    assert "answered 204 with a non-JSON body" in refusal("", status=204)


@pytest.mark.parametrize(
    "body", ["[" * 100_000, '{"answer": ' * 400 + "1" + "}" * 400, '{"answer":' + "9" * 5000 + "}"]
)
def test_a_body_that_nobody_can_walk_is_refused(body: str) -> None:
    assert "answered 200 with" in refusal(body, "/answer")


@pytest.mark.parametrize("stream", [
    'data: {"answer": "hi"}\n\n',
    'event: message\r\nid: 7\r\ndata: {"answer":\r\ndata: "hi"}\r\n\r\n',
    ': keep-alive\n\ndata:{"answer": "hi"}\n\ndata: [DONE]\n\n',
    'retry: 10\rdata: {"answer": "hi"}\r\r',
    'data: {"answer": "hi"}',
])  # fmt: skip
def test_a_stream_of_one_event_that_nobody_asked_for_is_read(stream: str) -> None:
    assert read(stream) == "hi"
    assert read(stream, None) == stream


@pytest.mark.parametrize("stream", [
    'data: {"answer": "h"}\n\ndata: {"answer": "i"}\n\n',
    "data: [DONE]\n\n",
    "data: hi\n\n",
    'data: {"answer": "hi"}\n\nsurprise: 1\n\n',
    'data: {"answer": "h\u2028data: i"}\n\n',
])  # fmt: skip
def test_a_stream_of_several_events_has_no_answer_unless_it_is_one_line(stream: str) -> None:
    if "\u2028" in stream:
        assert read(stream) == "h\u2028data: i"
    else:
        assert "non-JSON body" in refusal(stream)


def test_secrets_go_before_the_body_is_cut() -> None:
    response = HttpResponse(status=200, headers={}, text="x" * 195 + "secret-7", latency_ms=1)
    with pytest.raises(CallError) as caught:
        read_answer(response, "/a", URL, lambda text: text.replace("secret-7", "[redacted]"))
    assert "secr" not in str(caught.value)
