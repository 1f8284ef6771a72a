"""The final answer of a trace: from which span, under which name, and which part of a message is said aloud."""

import json
from typing import Any

import pytest

from tests.otlp import event, span, trace_of


def answer_of(values: dict[str, Any], events: list[dict[str, Any]] | None = None) -> str | None:
    return trace_of(span(values, events=events)).final_output


def text(content: str) -> dict[str, Any]:
    return {"type": "text", "content": content}


def said(*parts: Any, role: str | None = "assistant") -> dict[str, Any]:
    return {"role": role, "parts": list(parts), "finish_reason": "stop"}


CALL = {"type": "tool_call", "id": "c1", "name": "t", "arguments": {"a": "text"}}
THOUGHT = {"type": "reasoning", "content": "hm"}


# --- which span -----------------------------------------------------------------------------------------------------


def test_the_root_that_started_last_has_the_answer_under_whichever_name() -> None:
    trace = trace_of(
        span({"output.value": "plan"}, start="1"),
        span({"gen_ai.output.messages": json.dumps([said(text("answer"))])}, start="3"),
        span({"gen_ai.completion": "draft"}, start="2"),
        span({}, start="4"),
    )
    assert trace.final_output == "answer"


def test_a_span_inside_another_has_no_final_answer() -> None:
    outer, inner = span({}, id="a", start="1"), span({"output.value": "inner"}, parent="a", start="2")
    assert trace_of(outer, inner).final_output is None


def test_a_span_whose_parent_was_not_exported_is_a_root() -> None:
    assert trace_of(span({"output.value": "x"}, id="a", parent="gone")).final_output == "x"


def test_an_untimed_root_counts_as_the_earliest() -> None:
    untimed, timed = span({"output.value": "untimed"}), span({"output.value": "timed"}, start="1")
    assert trace_of(untimed, timed).final_output == "timed"
    assert trace_of(untimed, span({"output.value": "second"})).final_output == "second"


# --- which name -----------------------------------------------------------------------------------------------------


def test_what_came_out_as_text_stays_as_it_is() -> None:
    assert answer_of({"output.value": '{"answer": 42}', "gen_ai.completion": "b"}) == '{"answer": 42}'
    messages = json.dumps([{"role": "assistant", "content": "x"}])
    assert answer_of({"gen_ai.completion": messages, "gen_ai.output.messages": "y"}) == messages


def test_what_came_out_as_no_text_is_passed_over() -> None:
    assert answer_of({"output.value": True, "gen_ai.completion": "fallback"}) == "fallback"
    assert answer_of({"output.value": ["x"], "gen_ai.completion": 5}) is None


FLAT = {
    "GenAI of old": {"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": "answer"},
    "OpenInference": {
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "answer",
    },
    "OpenInference in items": {
        "llm.output_messages.0.message.contents.0.message_content.type": "reasoning",
        "llm.output_messages.0.message.contents.0.message_content.text": "hm",
        "llm.output_messages.0.message.contents.1.message_content.type": "text",
        "llm.output_messages.0.message.contents.1.message_content.text": "ans",
        "llm.output_messages.0.message.contents.2.message_content.text": "wer",
    },
    "a completions API": {"llm.choices.0.completion.text": "answer"},
    "the last with text": {
        "llm.output_messages.10.message.content": "answer",
        "llm.output_messages.9.message.content": "earlier",
        "llm.output_messages.11.message.tool_calls.0.tool_call.function.name": "t",
    },
    "no number": {"llm.output_messages.x.message.content": "no", "gen_ai.completion.0.content": "answer"},
    "too long a number": {
        f"llm.output_messages.{'9' * 5000}.message.content": "no",
        "llm.choices.0.completion.text": "answer",
    },
}


@pytest.mark.parametrize("values", FLAT.values(), ids=FLAT)
def test_messages_that_are_spelled_out_in_attributes_are_read(values: dict[str, Any]) -> None:
    assert answer_of(values) == "answer"


EVENTS = {
    "present": event("gen_ai.client.inference.operation.details", {"gen_ai.output.messages": [said(text("answer"))]}),
    "first": event("gen_ai.content.completion", {"gen_ai.completion": '[{"role": "assistant", "content": "answer"}]'}),
    "first, plain": event("gen_ai.content.completion", {"gen_ai.completion": "answer"}),
    "choice": event("gen_ai.choice", {"index": 0, "message": '{"role": "assistant", "content": "answer"}'}),
    "choice, wrapped": event("gen_ai.choice", {"message": {"role": "assistant", "content": "answer"}}),
    "choice, blocks": event("gen_ai.choice", {"message": '[{"text": "ans"}, {"text": "wer"}]'}),
    "choice, flat": event("gen_ai.choice", {"content": "answer", "role": "assistant"}),
    "choice, body": event("gen_ai.choice", {"gen_ai.event.content": '{"index": 0, "message": {"content": "answer"}}'}),
    "choice, short body": event(
        "gen_ai.choice", {"gen_ai.event.content": '{"content": "answer", "role": "assistant"}'}
    ),
}


@pytest.mark.parametrize("noted", EVENTS.values(), ids=EVENTS)
def test_an_answer_noted_as_an_event_is_read(noted: dict[str, Any]) -> None:
    question = event("gen_ai.user.message", {"content": "question"})
    assert answer_of({}, [question, event("log", {"message": "no"}), noted, event("done", {})]) == "answer"


def test_of_several_events_the_last_has_the_answer() -> None:
    first, last = (event("gen_ai.choice", {"content": name}) for name in ("first", "last"))
    assert answer_of({}, [first, last]) == "last"


def test_attributes_come_before_events() -> None:
    assert answer_of({"llm.choices.0.completion.text": "a"}, [event("gen_ai.choice", {"content": "b"})]) == "a"


# --- which part of a message ----------------------------------------------------------------------------------------

MESSAGES = {
    "text beside a tool call": ([said(CALL, text("answer"))], "answer"),
    "texts in a row": ([said(text("ans"), THOUGHT, text("wer"))], "answer"),
    "the last with text": ([said(text("plan"), CALL), said(text("answer")), said(CALL)], "answer"),
    "nobody but the assistant": ([said(text("answer")), said(text("result"), role="tool")], "answer"),
    "a model": ([said(text("answer"), role="model")], "answer"),
    "no role": ([{"parts": [text("answer")]}], "answer"),
    "content as text": ([{"role": "assistant", "content": "answer"}], "answer"),
    "content in parts": ([{"role": "assistant", "content": [{"type": "text", "text": "answer"}]}], "answer"),
    "content in output parts": (
        [{"role": "assistant", "content": [{"type": "output_text", "text": "answer"}]}],
        "answer",
    ),
    "parts that are text": ([said("ans", "wer")], "answer"),
    "one message": (said(text("answer")), "answer"),
    "a choice": ([{"index": 0, "message": {"role": "assistant", "content": "answer"}}], "answer"),
    "only a tool call": ([said(CALL)], None),
    "only a call part": ([CALL], None),
    "only a thought": ([said(THOUGHT)], None),
    "empty text": ([said(text(""))], None),
    "parts of no kind": ([said(5, None, {"type": "text", "content": 5})], None),
    "content of no kind": ([{"role": "assistant", "content": 5}], None),
    "a role of no kind": ([{"role": 5, "content": "x"}, {"role": ["assistant"], "content": "x"}], None),
    "none": ([], None),
}


@pytest.mark.parametrize("wrap", [json.dumps, lambda messages: messages], ids=["as JSON", "as values"])
@pytest.mark.parametrize(("messages", "want"), MESSAGES.values(), ids=MESSAGES)
def test_the_answer_is_the_text_that_the_assistant_said_last(messages: Any, want: str | None, wrap: Any) -> None:
    if "None" in repr(messages) and wrap is not json.dumps:
        messages = json.loads(json.dumps(messages).replace("null", '{"type": "image"}'))
    assert answer_of({"gen_ai.output.messages": wrap(messages)}) == want


@pytest.mark.parametrize("value", ["Order 77 ships.", "42", '{"answer": 42}', '["a", "b"]', '[{"a": 1}]'])
def test_text_that_holds_no_messages_is_the_answer_itself(value: str) -> None:
    assert answer_of({"gen_ai.output.messages": value}) == value
