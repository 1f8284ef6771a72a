"""What is read out of traces, as the golden rows have it."""

import json
from typing import Any

import pytest

from evalci.model import Step, Tokens
from evalci.targets.traces import BadTrace, read_trace
from evalci.targets.traces.native import trajectory_text


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    data = given["raw"].encode() if "raw" in given else json.dumps(given["trace"]).encode()
    if want.get("error"):
        with pytest.raises(BadTrace) as caught:
            read_trace(data)
        assert all(text in str(caught.value) for text in want["error_contains"])
        return
    trace = read_trace(data)
    answer = trace.final_output
    seen = {
        "steps": [_step(step) for step in trace.trajectory.steps],
        "tokens": _tokens(trace.tokens),
        "latency_ms": trace.latency_ms,
        "final_output": answer,
        "text": trajectory_text(trace.trajectory) if answer is None else answer,
    }
    assert {key: seen[key] for key in want} == want
    assert repr(_types(seen["steps"])) == repr(_types(want.get("steps", seen["steps"])))


def _step(step: Step) -> dict[str, Any]:
    output = {"output": step.output} if step.has_output else {}
    return {"tool": step.tool, "input": step.input, **output}


def _tokens(tokens: Tokens | None) -> dict[str, int] | None:
    return None if tokens is None else {"input": tokens.input, "output": tokens.output}


def _types(value: Any) -> Any:
    """The value with each leaf's type beside it: 5 is not 5.0."""
    if isinstance(value, list):
        return [_types(item) for item in value]
    if isinstance(value, dict):
        return {key: _types(value[key]) for key in sorted(value)}
    return type(value).__name__, value
