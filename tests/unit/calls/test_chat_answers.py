"""What comes out of a chat completion, in all the shapes that servers send."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.calls import CallError, Reply
from evalci.calls.chat_answer import read_chat, read_usage
from evalci.calls.transport import Transport
from evalci.model import Tokens
from tests.doubles import Handler, Sleeps, a_call, as_it_is, chat_caller, completion, serving, using


def read(body: Any, **more: Any) -> Reply:
    text = body if isinstance(body, str) else json.dumps(body)
    return read_chat(text, "http://x", **{"latency_ms": 7, "scrub": as_it_is, **more})


def refusal_of(body: Any, **more: Any) -> str:
    with pytest.raises(CallError) as caught:
        read(body, **more)
    return str(caught.value)


def message(**parts: Any) -> dict[str, Any]:
    return {"choices": [{"message": parts}]}


def stream(*events: Any) -> str:
    return "".join(f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n" for event in events)


def delta(content: Any, **more: Any) -> dict[str, Any]:
    return {"choices": [{"delta": {"content": content}, **more}]}


def test_an_answer_keeps_its_text_time_and_usage() -> None:
    assert read(completion(" pong\n")) == Reply(text=" pong\n", latency_ms=7, tokens=Tokens(10, 5))


def test_an_empty_text_is_an_answer() -> None:
    assert read(completion("")).text == ""


@pytest.mark.parametrize(("parts", "text"), [
    ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "ab"),
    ([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "a"}], "a"),
    ([{"type": "text", "text": ""}], ""),
    ([{"type": "text", "text": None}, {"type": "text", "text": "a"}, "stray", 7], "a"),
])  # fmt: skip
def test_parts_of_text_are_joined(parts: Any, text: str) -> None:
    assert read(message(content=parts)).text == text


@pytest.mark.parametrize("content", [None, 7, True, {}, {"text": "a"}, [], [7], [{"type": "image_url"}]])
def test_what_is_no_text_is_no_answer(content: Any) -> None:
    assert "no text in choices[0].message.content" in refusal_of(message(content=content))


@pytest.mark.parametrize("body", [
    {"choices": []}, {"choices": None}, {"choices": "x"}, {"choices": [None]}, {"choices": {"0": {}}}, {},
    {"error": None}, {"error": {"message": "", "code": 0}},
])  # fmt: skip
def test_a_body_without_a_choice_names_what_was_looked_for(body: Any) -> None:
    assert "no choices[0].message.content" in refusal_of(body)


@pytest.mark.parametrize("body", [{"choices": [{}]}, {"choices": [{"message": None}]}, {"choices": [{"text": "old"}]}])
def test_a_choice_without_a_message_names_what_was_looked_for(body: Any) -> None:
    assert "choices[0].message.content" in refusal_of(body)


def test_a_refusal_is_shown() -> None:
    said = refusal_of(message(content=None, refusal="I cannot discuss that."))
    assert said.startswith("the model refused: I cannot discuss that.")


@pytest.mark.parametrize(("calls", "names"), [
    ([{"function": {"name": "get_weather"}}, {"function": {"name": "search"}}], "get_weather, search"),
    ([{"custom": {}}, None], "?, ?"),
    ({"0": "odd"}, ""),
])  # fmt: skip
def test_tool_calls_instead_of_text_are_named(calls: Any, names: str) -> None:
    assert f"asked for tools instead: {names}" in refusal_of(message(content=None, tool_calls=calls))


@pytest.mark.parametrize("key", ["reasoning", "reasoning_content"])
def test_reasoning_without_an_answer_says_what_to_raise(key: str) -> None:
    assert "raise max_tokens" in refusal_of(message(content=None, **{key: "hm"}))


@pytest.mark.parametrize("usage", [
    None, {}, [], "10", {"prompt_tokens": 1}, {"prompt_tokens": 1, "completion_tokens": None},
    {"prompt_tokens": True, "completion_tokens": 1}, {"prompt_tokens": -1, "completion_tokens": 1},
    {"prompt_tokens": 1.0, "completion_tokens": 1}, {"prompt_tokens": "1", "completion_tokens": 1},
    {"prompt_tokens": 10**30, "completion_tokens": 1},
])  # fmt: skip
def test_usage_that_is_not_two_counts_is_unknown_not_zero(usage: Any) -> None:
    assert read({**completion(), "usage": usage}).tokens is None


def test_zero_is_a_count() -> None:
    assert read_usage({"prompt_tokens": 0, "completion_tokens": 0}, "prompt_tokens", "completion_tokens") == Tokens(
        0, 0
    )


def test_embeddings_have_no_output_tokens() -> None:
    assert read_usage({"prompt_tokens": 3}, "prompt_tokens", None) == Tokens(3, 0)


@pytest.mark.parametrize(("body", "shown"), [
    ({"error": {"message": "Provider queue is full", "code": 400}}, "Provider queue is full"),
    ({"error": "queue is full"}, "queue is full"),
    ({"error": {"code": "overloaded"}}, "overloaded"),
    ({"error": {"metadata": {"why": "full"}}}, "full"),
    ({"error": {"message": {"text": "odd"}}}, "odd"),
    ({**completion("half an ans"), "error": {"message": "upstream died"}}, "upstream died"),
    ({"choices": [{"message": {"content": "half"}, "error": {"message": "upstream died"}}]}, "upstream died"),
])  # fmt: skip
def test_an_error_in_a_200_is_an_error_whatever_else_is_there(body: Any, shown: str) -> None:
    said = refusal_of(body)
    assert said.startswith("http://x answered 200 with an error: ")
    assert shown in said


def test_a_long_error_is_cut() -> None:
    assert len(refusal_of({"error": {"message": "x" * 10_000}})) < 300
    assert len(refusal_of(message(content=None, refusal="x" * 10_000))) < 300
    assert len(refusal_of(message(content=None, tool_calls=[{"function": {"name": "x" * 10_000}}]))) < 600


@pytest.mark.parametrize("text", [
    "<!doctype html><title>Sign in</title>", "", "not json", "[" * 100_000, '{"a":' * 50_000, "{", "\0",
    '{"choices": [{"message": {"content": "a"}}], "x": NaN}', '{"a": -Infinity}',
])  # fmt: skip
def test_a_body_that_is_not_strict_json_names_the_url_and_shows_its_start(text: str) -> None:
    assert refusal_of(text).startswith("http://x answered with a non-JSON body: " + text[:5])


@pytest.mark.parametrize("text", ["[]", "7", "null", '"text"'])
def test_json_that_is_no_object_is_refused(text: str) -> None:
    assert "no JSON object" in refusal_of(text)


@pytest.mark.parametrize(("reason", "notes"), [
    ("stop", ()), (None, ()), (7, ()), ([], ()),
    ("length", ("cut off by length (finish_reason: length)",)),
    ("content_filter", ("cut off by the content filter (finish_reason: content_filter)",)),
])  # fmt: skip
def test_an_answer_that_was_cut_off_says_so(reason: Any, notes: tuple[str, ...]) -> None:
    assert read(completion("a", finish_reason=reason)).notes == notes


def test_half_a_surrogate_pair_becomes_a_replacement_character() -> None:
    assert read('{"choices":[{"message":{"content":"a\\ud83d b \\ud83d\\ude00"}}]}').text == "a\ufffd b 😀"


def test_secrets_in_what_is_quoted_are_scrubbed_before_it_is_cut() -> None:
    secret = "s3cret-" * 40
    said = refusal_of(f"{'x' * 150} {secret}", scrub=lambda text: text.replace(secret, "[redacted]"))
    assert "s3cret" not in said
    assert "[redacted]" in said


# --- answers that were streamed though nobody asked ------------------------------------------------------------------


def test_a_stream_adds_up_to_its_answer() -> None:
    usage = {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2}}
    text = ": comment\nevent: x\n" + stream(
        delta("he"), delta(None), delta("llo"), delta("", finish_reason="length"), usage
    )
    reply = read(text + "data: [DONE]\n\n", streamed=True)
    assert (reply.text, reply.tokens) == ("hello", Tokens(1, 2))
    assert reply.notes == ("cut off by length (finish_reason: length)",)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_only_line_ends_end_a_streams_lines(end: str) -> None:
    event = json.dumps(delta("a\u2028b\u0085c\x0bd"), ensure_ascii=False)
    assert read(f"data: {event}{end}{end}data: [DONE]{end}", streamed=True).text == "a\u2028b\u0085c\x0bd"


def test_a_stream_that_breaks_off_is_no_answer() -> None:
    assert "ends in the middle" in refusal_of(stream(delta("he"), delta("llo")), streamed=True)


def test_an_event_that_cannot_be_read_is_not_left_out() -> None:
    assert "no JSON" in refusal_of(stream(delta("he"), '{"choices": [{"del', delta("llo"), "[DONE]"), streamed=True)


@pytest.mark.parametrize(
    "event", [{"error": {"message": "died"}}, {"choices": [{"delta": {}, "error": {"message": "died"}}]}]
)
def test_an_error_within_a_stream_is_an_error(event: Any) -> None:
    said = refusal_of(stream(delta("half"), event, "[DONE]"), streamed=True)
    assert said == "http://x answered 200 with an error: died"


@pytest.mark.parametrize("events", [[], ["[DONE]"], [7, [], "[DONE]"], [{"choices": [{"delta": None}]}, "[DONE]"]])
def test_a_stream_without_text_is_no_answer(events: list[Any]) -> None:
    assert "http://x answered with" in refusal_of(stream(*events), streamed=True)


# --- anything at all -------------------------------------------------------------------------------------------------

PIECES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.just("text"),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from([
            "choices", "message", "content", "error", "usage", "delta", "text", "tool_calls", "function", "name",
            "refusal", "finish_reason", "prompt_tokens", "completion_tokens", "reasoning", "code",
        ]),
        inner,
        max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip


@given(PIECES | st.fixed_dictionaries({"choices": st.lists(st.fixed_dictionaries({"message": PIECES}), max_size=1)}))
def test_any_json_is_an_answer_or_a_call_error(body: Any) -> None:
    try:
        assert isinstance(read(body).text, str)
    except CallError as exc:
        assert str(exc)


@given(st.text(), st.booleans())
def test_any_text_is_an_answer_or_a_call_error(text: str, streamed: bool) -> None:
    try:
        read(text, streamed=streamed)
    except CallError as exc:
        assert str(exc)


# --- over a real connection ------------------------------------------------------------------------------------------


def test_a_question_reaches_a_server_and_its_answer_comes_back() -> None:
    seen: list[Any] = []

    class Chat(Handler):
        def do_POST(self) -> None:
            seen.append((self.path, self.headers["authorization"], json.loads(self.body())))
            self.reply(json.dumps(completion("pong")).encode())

    with serving(Chat) as url:
        call = a_call("ping", endpoint=a_chat(url))
        reply = using(Transport(as_it_is), lambda ours: chat_caller(ours, Sleeps(), api_key="key-1")(call))
    assert (reply.text, reply.tokens) == ("pong", Tokens(10, 5))
    assert seen == [(
        "/v1/chat/completions", "Bearer key-1", {"model": "m", "messages": [{"role": "user", "content": "ping"}]},
    )]  # fmt: skip


def test_a_streamed_answer_is_known_by_its_content_type() -> None:
    class Chat(Handler):
        def do_POST(self) -> None:
            self.body()
            self.reply(
                stream(delta("po"), delta("ng"), "[DONE]").encode(), content_type="Text/Event-Stream; charset=utf-8"
            )

    with serving(Chat) as url:
        call = a_call("ping", endpoint=a_chat(url))
        assert using(Transport(as_it_is), lambda ours: chat_caller(ours, Sleeps())(call)).text == "pong"


def a_chat(url: str) -> Any:
    from evalci.calls.endpoint import chat_endpoint

    return chat_endpoint(f"{url}/v1", "m")
