"""OTLP exports: how values are wrapped, how old and new layouts lie, which spans are steps and in which order."""

import base64
import json
import random
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.model import Step
from evalci.targets.traces import Trace, read_trace
from tests.factories import json_values
from tests.otlp import export, span, trace_of

TOOL = {"gen_ai.tool.name": "t"}


def step_of(values: dict[str, Any], **more: Any) -> Step:
    (step,) = trace_of(span(values, **more)).trajectory.steps
    return step


def read(*documents: Any, joined: str = "\n") -> Trace:
    return read_trace(joined.join(map(json.dumps, documents)).encode())


def tools(trace: Trace) -> list[str]:
    return [step.tool for step in trace.trajectory.steps]


# --- values ---------------------------------------------------------------------------------------------------------

ENCODINGS = [
    ({"stringValue": "a"}, "a"),
    ({"intValue": "5"}, 5),
    ({"intValue": 5}, 5),
    ({"intValue": 5.0}, 5),
    ({"intValue": "-9223372036854775808"}, -(2**63)),
    ({"doubleValue": 0.5}, 0.5),
    ({"doubleValue": 5}, 5.0),
    ({"doubleValue": "2.5e1"}, 25.0),
    ({"doubleValue": "NaN"}, "NaN"),
    ({"doubleValue": "-Infinity"}, "-Infinity"),
    ({"doubleValue": "1e999"}, "1e999"),
    ({"doubleValue": 10**400}, 10**400),
    ({"doubleValue": True}, True),
    ({"boolValue": True}, True),
    ({"boolValue": False}, False),
    ({"bytesValue": "3q2+7w=="}, "3q2+7w=="),
    ({"arrayValue": {"values": [{"intValue": "1"}, {"stringValue": "b"}, {}]}}, [1, "b", None]),
    ({"arrayValue": {}}, []),
    ({"kvlistValue": {"values": [{"key": "k", "value": {"boolValue": False}}, {"value": {}}, 5]}}, {"k": False}),
    ({"kvlistValue": {}}, {}),
    ({"kvlistValue": {"values": None}}, {}),
    ({"string_value": "a"}, "a"),
    ({"int_value": "7"}, 7),
    ({"array_value": {"values": [{"double_value": 1.5}]}}, [1.5]),
    ({"kvlist_value": {"values": [{"key": "k", "value": {"bool_value": True}}]}}, {"k": True}),
    ({}, None),
    ({"futureValue": 1}, None),
    (None, None),
    ("bare", "bare"),
    (5, 5),
]


@pytest.mark.parametrize(("wrapper", "want"), ENCODINGS, ids=[json.dumps(wrapper)[:40] for wrapper, _ in ENCODINGS])
def test_a_value_is_read_out_of_whatever_wraps_it(wrapper: Any, want: Any) -> None:
    given_ = span(TOOL)
    given_["attributes"].append({"key": "gen_ai.tool.call.arguments", "value": wrapper})
    (step,) = trace_of(given_).trajectory.steps
    assert (step.input, type(step.input)) == (want, type(want))


@given(json_values().filter(lambda value: not re.search(r"null|\d{20}", json.dumps(value))))
def test_a_wrapped_value_comes_out_as_it_went_in(value: Any) -> None:
    assert step_of({**TOOL, "gen_ai.tool.call.arguments": [value]}).input == [value]


JSON_TEXTS = [
    ('{"q": "x"}', {"q": "x"}),
    ("42", 42),
    ("true", True),
    ("null", None),
    ('"quoted"', "quoted"),
    (" [1] ", [1]),
    ("plain text", "plain text"),
    ("", ""),
    ("NaN", "NaN"),
    ("{'q': 'x'}", "{'q': 'x'}"),
    ("[" * 200 + "]" * 200, "[" * 200 + "]" * 200),
]


@pytest.mark.parametrize(("text", "want"), JSON_TEXTS, ids=[text[:20] or "empty" for text, _ in JSON_TEXTS])
def test_a_text_that_is_json_is_unwrapped_and_other_text_stays(text: str, want: Any) -> None:
    step = step_of({**TOOL, "gen_ai.tool.call.arguments": text, "gen_ai.tool.call.result": text})
    assert (step.input, step.output, step.has_output) == (want, want, True)
    assert type(step.input) is type(want)


def test_half_a_surrogate_pair_is_replaced() -> None:
    document = export(span({**TOOL, "input.value": "?"}))
    data = json.dumps(document).replace('"?"', '"\\ud800"').encode()
    assert read_trace(data).trajectory.steps[0].input == "\ufffd"


# --- which spans are steps ------------------------------------------------------------------------------------------

CALLS = [
    ({"gen_ai.tool.name": "a"}, "a"),
    ({"gen_ai.tool.name": "a", "openinference.span.kind": "TOOL", "tool.name": "b"}, "a"),
    ({"openinference.span.kind": "TOOL", "tool.name": "b"}, "b"),
    ({"openinference.span.kind": "tool", "tool.name": "b"}, "b"),
    ({"openinference.span.kind": "Tool"}, "execute_tool n"),
    ({"gen_ai.operation.name": "execute_tool"}, "n"),
    ({"gen_ai.operation.name": "execute_tool", "tool.name": "b"}, "b"),
]


@pytest.mark.parametrize(("values", "tool"), CALLS, ids=[json.dumps(values) for values, _ in CALLS])
def test_a_tool_call_is_known_by_the_names_of_either_convention(values: dict[str, Any], tool: str) -> None:
    assert step_of(values, name="execute_tool n").tool == tool


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"tool.name": "t"},
        {"openinference.span.kind": "LLM", "tool.name": "t"},
        {"gen_ai.operation.name": "chat", "gen_ai.tool.definitions": '[{"name": "t"}]'},
        {"gen_ai.tool.name": ""},
        {"gen_ai.tool.name": 5},
        {"openinference.span.kind": 5},
    ],
    ids=json.dumps,
)
def test_other_spans_are_no_tool_calls(values: dict[str, Any]) -> None:
    assert trace_of(span(values, name="t")).trajectory.steps == ()


def test_the_names_of_the_genai_convention_come_first() -> None:
    values = {"gen_ai.tool.call.arguments": "a", "input.value": "b"}
    outputs = {"gen_ai.tool.call.result": "c", "output.value": "d"}
    step = step_of({**TOOL, **values, **outputs})
    assert (step.input, step.output) == ("a", "c")
    other = step_of({**TOOL, "input.value": "b", "output.value": "d"})
    assert (other.input, other.output) == ("b", "d")


def test_a_call_without_input_has_null_and_without_output_has_none() -> None:
    assert step_of(TOOL) == Step(tool="t", input=None, output=None, has_output=False)


# --- layouts --------------------------------------------------------------------------------------------------------


def test_keys_of_the_proto_files_are_read() -> None:
    ids = {"span_id": "b", "parent_span_id": "a", "start_time_unix_nano": "3000000", "end_time_unix_nano": "9000000"}
    attribute = {"key": "gen_ai.tool.name", "value": {"string_value": "t"}}
    inner = {**ids, "attributes": [attribute, {"key": "output.value", "value": {"string_value": "no answer"}}]}
    outer = {"span_id": "a", "attributes": [{"key": "output.value", "value": {"string_value": "yes"}}]}
    trace = read({"resource_spans": [{"scope_spans": [{"spans": [inner, outer]}]}]})
    assert (tools(trace), trace.latency_ms, trace.final_output) == (["t"], 6, "yes")


@pytest.mark.parametrize("key", ["instrumentationLibrarySpans", "instrumentation_library_spans"])
def test_the_layout_before_scopes_is_read(key: str) -> None:
    assert tools(read({"resourceSpans": [{key: [{"spans": [span(TOOL)]}]}]})) == ["t"]


def test_an_exporter_that_writes_both_layouts_has_each_span_once() -> None:
    spans = [{"spans": [span(TOOL, id="a")]}]
    assert tools(read({"resourceSpans": [{"scopeSpans": spans, "instrumentationLibrarySpans": spans}]})) == ["t"]


def test_several_exports_are_one_trace_as_json_lines_and_as_a_list() -> None:
    late, early = export(span({"gen_ai.tool.name": "b"}, start="2")), export(span({"gen_ai.tool.name": "a"}, start="1"))
    assert tools(read(late, early)) == ["a", "b"]
    assert tools(read(late, early, joined="\r\n\n")) == ["a", "b"]
    assert tools(read([late, early])) == ["a", "b"]


def test_a_byte_order_mark_is_no_part_of_the_file() -> None:
    assert tools(read_trace(b"\xef\xbb\xbf" + json.dumps(export(span(TOOL))).encode())) == ["t"]


def test_several_resources_and_scopes_are_flattened_in_document_order() -> None:
    spans = [[{"gen_ai.tool.name": name} for name in names] for names in ("ab", "c", "de")]
    scopes = [{"spans": [span(values) for values in group]} for group in spans]
    found = read({"resourceSpans": [{"scopeSpans": scopes[:2]}, {}, {"scopeSpans": None}, {"scopeSpans": scopes[2:]}]})
    assert tools(found) == list("abcde")


def test_steps_win_when_both_shapes_are_there() -> None:
    assert tools(read({"steps": [{"tool": "native"}], **export(span(TOOL))})) == ["native"]


# --- order and time -------------------------------------------------------------------------------------------------


def test_starts_are_compared_as_numbers_whatever_their_length_and_spelling() -> None:
    starts: list[Any] = ["1000000001", 999999990, "18446744073709551615", 2e9, None, "later", -1, True]
    trace = trace_of(*(span({"gen_ai.tool.name": str(start)}, start=start) for start in starts))
    timed = ["999999990", "1000000001", "2000000000.0", "18446744073709551615"]
    assert tools(trace) == [*timed, "None", "later", "-1", "True"]


def test_equal_starts_keep_the_order_of_the_file() -> None:
    assert tools(trace_of(*(span({"gen_ai.tool.name": name}, start="5") for name in "bac"))) == list("bac")


@given(st.permutations(range(6)), st.randoms(use_true_random=False))
def test_the_order_of_timed_spans_in_the_file_changes_nothing(order: list[int], seeded: random.Random) -> None:
    spans = [
        span(
            {"gen_ai.tool.name": f"t{i}", "output.value": f"o{i}", "gen_ai.usage.input_tokens": seeded.randint(0, 9)},
            id=f"s{i}",
            parent=None if i < 2 else f"s{seeded.randint(0, i - 1)}",
            start=str(10**9 + i * 10**7),
            end=str(10**9 + i * 10**7 + seeded.randint(0, 10**8)),
        )
        for i in range(6)
    ]
    assert trace_of(*(spans[i] for i in order)) == trace_of(*spans)


@pytest.mark.parametrize(
    ("times", "want"),
    [
        ([], 0),
        ([("1000000000", "3499999999")], 2499),
        ([("5000000000", "6000000000"), ("1000000000", "2000000000"), ("7000000000", None)], 5000),
        ([(None, "9000000000"), ("1000000000", "2000000000")], 1000),
        ([("2000000000", "1000000000")], 0),
        ([("1", "2")], 0),
        ([("0", "1000000")], 1),
    ],
)
def test_latency_runs_from_the_first_start_to_the_last_end(times: list[tuple[Any, Any]], want: int) -> None:
    trace = trace_of(span(TOOL), *(span(start=start, end=end) for start, end in times))
    assert trace.latency_ms == want


# --- odd trees ------------------------------------------------------------------------------------------------------


def test_a_span_exported_twice_counts_once() -> None:
    twin = span({**TOOL, "gen_ai.usage.input_tokens": 5}, id="a", start="1")
    trace = read(export(twin), export(twin))
    assert (tools(trace), trace.tokens) == (["t"], (5, 0))


def test_two_calls_that_look_alike_are_two_calls() -> None:
    assert tools(trace_of(span(TOOL), span(TOOL))) == ["t", "t"]
    assert tools(trace_of(span(TOOL, id="a", start="1"), span(TOOL, id="a", start="2"))) == ["t", "t"]


def test_spans_that_are_around_each_other_end_nowhere_and_have_no_root() -> None:
    values = {"output.value": "x", "gen_ai.usage.input_tokens": 1}
    trace = trace_of(span(values, id="a", parent="b"), span(values, id="b", parent="a"))
    assert trace.final_output is None


def test_a_span_that_names_itself_as_its_parent_is_a_root() -> None:
    assert trace_of(span({"output.value": "x"}, id="a", parent="a")).final_output == "x"


def test_a_long_chain_of_spans_is_read_in_a_moment() -> None:
    usage = {"gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 1}
    chain = [span(usage, id=f"s{i}", parent=f"s{i - 1}" if i else None) for i in range(3000)]
    assert trace_of(*chain).tokens == (1, 0)


def test_ids_are_compared_without_case_in_hex_and_with_it_in_base64() -> None:
    child = span({"output.value": "inner"}, parent="00F067AA0BA902B7", start="2")
    assert trace_of(span({"output.value": "outer"}, id="00f067aa0ba902b7", start="1"), child).final_output == "outer"
    ids = [base64.b64encode(bytes([0] * 7 + [n])).decode() for n in (1, 2)]
    outer = span({"output.value": "outer"}, id=ids[0], start="1")
    assert trace_of(outer, span({"output.value": "inner"}, id=ids[1], parent=ids[0], start="2")).final_output == "outer"


def test_a_parent_of_another_trace_is_no_parent() -> None:
    outer = {**span({"output.value": "first"}, id="a", start="1"), "traceId": "1"}
    other = {**span({"output.value": "second"}, id="b", parent="a", start="2"), "traceId": "2"}
    assert trace_of(outer, other).final_output == "second"
