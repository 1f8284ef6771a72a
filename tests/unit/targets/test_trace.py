"""The trace target: which files it reads, and how a file that is no trace fails its own case and shows nothing."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.calls.cost import CostRates
from evalci.cassette import Redactor
from evalci.model import Output, TargetError, Tokens
from evalci.targets.trace import TraceFile
from evalci.targets.traces import BadTrace, read_trace
from tests.doubles import tools_in
from tests.factories import case

KEY = "sk-abcdefghijklmnopqrstuvwxyz012345"


def ask(folder: Path, trace: str | None, *, settings: TraceFile | None = None, **more: Any) -> Output:
    target = (settings or TraceFile()).build(tools_in(folder, **more))
    return asyncio.run(target.ask(case("c1", trace=trace), 0))


def written(folder: Path, document: Any, name: str = "t.json") -> Path:
    (folder / name).write_text(document if isinstance(document, str) else json.dumps(document), "utf-8")
    return folder


def refusal(folder: Path, trace: str | None, **more: Any) -> str:
    with pytest.raises(TargetError) as caught:
        ask(folder, trace, **more)
    return str(caught.value)


def test_the_final_answer_is_the_output_and_the_steps_are_its_trajectory(tmp_path: Path) -> None:
    output = ask(written(tmp_path, {"steps": [{"tool": "t"}], "final_output": "fine"}), "t.json")
    assert output.text == "fine"
    assert output.trajectory is not None
    assert [step.tool for step in output.trajectory.steps] == ["t"]
    assert (output.latency_ms, output.tokens, output.cost_usd) == (0, None, None)


def test_without_an_answer_the_output_is_the_trajectory_as_json(tmp_path: Path) -> None:
    steps = [{"tool": "é", "input": {"b": 1, "a": 2.0}, "output": None}, {"tool": "u", "output": False}]
    output = ask(written(tmp_path, {"steps": steps}), "t.json")
    want = '{"steps":[{"tool":"é","input":{"a":2.0,"b":1}},{"tool":"u","input":null,"output":false}]}'
    assert output.text == want


def test_an_empty_answer_is_an_answer(tmp_path: Path) -> None:
    assert ask(written(tmp_path, {"steps": [], "final_output": ""}), "t.json").text == ""


def test_tokens_cost_what_the_rates_say_and_unknown_tokens_cost_nothing_known(tmp_path: Path) -> None:
    rates = TraceFile(cost=CostRates(input_per_1m=1.0, output_per_1m=2.0))
    usage = [{"key": "gen_ai.usage.input_tokens", "value": {"intValue": "500000"}}]
    written(tmp_path, {"resourceSpans": [{"scopeSpans": [{"spans": [{"attributes": usage}]}]}]}, "priced.json")
    written(tmp_path, {"steps": []}, "plain.json")
    priced, plain = (ask(tmp_path, name, settings=rates) for name in ("priced.json", "plain.json"))
    assert (priced.tokens, priced.cost_usd) == (Tokens(500_000, 0), 0.5)
    assert (plain.tokens, plain.cost_usd) == (None, None)


def test_negative_rates_are_refused() -> None:
    faults = list(TraceFile(cost=CostRates(input_per_1m=-1.0, output_per_1m=0.0)).check('target "t"'))
    assert [(fault.field, fault.message) for fault in faults] == [
        ("cost.input_per_1m", 'target "t" has negative cost rates')
    ]


def test_what_looks_like_a_secret_is_masked_in_answer_and_steps(tmp_path: Path) -> None:
    step = {"tool": f"t {KEY}", "input": {KEY: [KEY, 1]}, "output": {"deep": [{"er": KEY}]}}
    output = ask(written(tmp_path, {"steps": [step], "final_output": f"use {KEY}!"}), "t.json")
    assert KEY not in repr(output)
    assert output.text == "use [redacted]!"
    text = ask(written(tmp_path, {"steps": [step]}), "t.json").text
    assert KEY not in text
    assert text.count("[redacted]") == 4


def test_what_a_key_variable_holds_is_masked_too(tmp_path: Path) -> None:
    redactor = Redactor(["hunter2hunter2"])
    written(tmp_path, {"steps": [], "final_output": "it is hunter2hunter2"})
    assert ask(tmp_path, "t.json", redactor=redactor).text == "it is [redacted]"


# --- what is no trace -----------------------------------------------------------------------------------------------


def test_a_case_without_a_trace_says_so(tmp_path: Path) -> None:
    assert refusal(tmp_path, None) == "the case names no trace; a trace target reads the file in its `trace`"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert refusal(tmp_path, "data/no.json") == "failed to read trace data/no.json: No such file or directory"


def test_a_folder_is_no_trace(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    assert refusal(tmp_path, "data") == "failed to read trace data: Is a directory"


@pytest.mark.parametrize("how", ["climbing", "absolute", "symlink"])
def test_a_file_outside_the_project_is_named_and_never_read(how: str, tmp_path: Path) -> None:
    written(tmp_path, {"steps": [], "final_output": "TOKEN"}, "outside.json")
    project = tmp_path / "project"
    project.mkdir()
    (project / "link.json").symlink_to(tmp_path / "outside.json")
    paths = {"climbing": "../outside.json", "absolute": str(tmp_path / "outside.json"), "symlink": "link.json"}
    message = refusal(project, paths[how])
    assert message.startswith(f"failed to read trace {paths[how]}: it lies outside the project")
    assert "TOKEN" not in message
    assert ask(project, paths[how], allow_outside=True).text == "TOKEN"


NO_TRACES = {
    "no JSON": ("not json", "not valid JSON: it goes wrong at line 1, column 1"),
    "empty": ("", "not valid JSON: it goes wrong at line 1, column 1"),
    "cut off": ('{"steps": [', "not valid JSON: it goes wrong at line 1, column 12"),
    "not UTF-8": (b"\xff\xfe{\x00}\x00", "not valid JSON: it is not UTF-8 text"),
    "NaN": ('{"steps": [{"tool": "t", "input": NaN}]}', "not valid JSON: NaN is no JSON number"),
    "too large": ('{"steps": [{"tool": "t", "input": 1e999}]}', "not valid JSON: it holds a number that is too large"),
    "too long": ('{"steps": [' + "9" * 5000 + "]}", "not valid JSON: it holds a number that is too long"),
    "too deep": ('{"steps": ' + "[" * 5000 + "]" * 5000 + "}", "not valid JSON: it is nested more than 100 deep"),
    "a number": ("42", "in neither format that is known"),
    "null": ("null", "in neither format that is known"),
    "no exports": ("[]", "in neither format that is known"),
    "other keys": ('{"whatever": []}', "the native one has `steps`, an OTLP export has `resourceSpans`"),
    "metrics": ('{"resourceMetrics": []}', "in neither format that is known"),
    "one is none": ('[{"resourceSpans": []}, 5]', "in neither format that is known"),
    "no spans": ('{"resourceSpans": []}', "holds no spans: its OTLP export is empty"),
    "no spans in scopes": ('{"resourceSpans": [{"scopeSpans": [{"spans": []}]}]}', "holds no spans"),
    "steps as an object": ('{"steps": {}}', "not valid native trajectory format: `steps` must be a list"),
    "a step of text": ('{"steps": ["t"]}', "not valid native trajectory format: steps[0] must be an object"),
    "no tool": ('{"steps": [{"input": {}}]}', "not valid native trajectory format: steps[0].tool must be text"),
    "tool as number": ('{"steps": [{"tool": "a"}, {"tool": 5}]}', "trajectory format: steps[1].tool must be text"),
    "answer as number": ('{"steps": [], "final_output": 5}', "trace file `final_output` must be a string"),
    "spans as text": (
        '{"resourceSpans": [{"scopeSpans": [{"spans": "x"}]}]}',
        "not a valid OTLP export: resourceSpans[0].scopeSpans[0].spans must be a list",
    ),
    "a span of text": (
        '{"resourceSpans": [{"scopeSpans": [{"spans": [{}, "x"]}]}]}',
        "not a valid OTLP export: resourceSpans[0].scopeSpans[0].spans[1] must be an object",
    ),
    "attributes as an object": (
        '{"resourceSpans": [{"scopeSpans": [{"spans": [{"attributes": {"a": 1}}]}]}]}',
        "resourceSpans[0].scopeSpans[0].spans[0].attributes must be a list",
    ),
    "a broken line": (
        '{"resourceSpans": []}\n\n{"resourceSpans": [{"sco\n',
        "not valid JSON: line 3 is not one JSON value",
    ),
}


@pytest.mark.parametrize(("data", "why"), NO_TRACES.values(), ids=NO_TRACES)
def test_a_file_that_is_no_trace_is_named_with_the_reason(data: str | bytes, why: str, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_bytes(data if isinstance(data, bytes) else data.encode())
    message = refusal(tmp_path, "t.json")
    assert message.startswith("t.json: trace file ")
    assert why in message


@pytest.mark.parametrize(
    "text",
    [
        "TOKEN=1\nHOME=/x",
        '"TOKEN"',
        '{"TOKEN": "TOKEN"}',
        '{"steps": [{"TOKEN": 1}]}',
        '{"steps": ["TOKEN"]}',
        '{"steps": [], "final_output": ["TOKEN"]}',
        '{"resourceSpans": "TOKEN"}',
        '{"resourceSpans": [{"scopeSpans": [{"spans": ["TOKEN"]}]}]}',
        '{"resourceSpans": [{"TOKEN": 1}]}',
        '{"resourceSpans": []}\nTOKEN',
    ],
)
def test_nothing_of_a_file_that_is_no_trace_is_shown(text: str, tmp_path: Path) -> None:
    assert "TOKEN" not in refusal(written(tmp_path, text), "t.json")


# --- anything at all ------------------------------------------------------------------------------------------------

NAMES = st.sampled_from([
    "steps", "tool", "input", "output", "final_output", "resourceSpans", "scopeSpans", "spans", "attributes", "key",
    "value", "events", "stringValue", "intValue", "doubleValue", "kvlistValue", "arrayValue", "values", "spanId",
    "parentSpanId", "startTimeUnixNano", "endTimeUnixNano", "name", "gen_ai.tool.name", "gen_ai.output.messages",
    "gen_ai.usage.input_tokens", "llm.output_messages.0.message.content", "role", "parts", "content", "x",
])  # fmt: skip
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | NAMES | st.text()
)
ANYTHING = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=20
)
ATTRIBUTES = st.lists(st.fixed_dictionaries({"key": NAMES, "value": ANYTHING}), max_size=4)
SPANS = st.lists(
    st.fixed_dictionaries({"attributes": ATTRIBUTES}, optional={"startTimeUnixNano": ANYTHING, "events": ANYTHING}),
    max_size=3,
)


@given(
    ANYTHING
    | st.fixed_dictionaries({"steps": ANYTHING})
    | SPANS.map(lambda spans: {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})
)
def test_any_json_is_either_a_trace_or_a_target_error(document: Any) -> None:
    try:
        trace = read_trace(json.dumps(document).encode())
    except BadTrace as exc:
        assert str(exc).startswith("trace file ")
    else:
        assert trace.final_output is None or isinstance(trace.final_output, str)
        assert trace.latency_ms >= 0


@given(st.binary(max_size=60))
def test_any_bytes_are_either_a_trace_or_a_target_error(data: bytes) -> None:
    with pytest.raises(BadTrace):
        read_trace(data)
