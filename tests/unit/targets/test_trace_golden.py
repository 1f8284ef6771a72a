"""What is made of whole trace files, kept beside them: `tests/golden/targets/trace/*/{trace.json,output.json}`."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalci.calls.cost import CostRates
from evalci.model import Output, TargetError
from evalci.targets.trace import TraceFile
from tests.doubles import tools_in
from tests.factories import case

ROWS = sorted((Path(__file__).parents[2] / "golden" / "targets" / "trace").glob("*/trace.json*"))
RATES = CostRates(input_per_1m=1.0, output_per_1m=10.0)


@pytest.mark.parametrize("path", ROWS, ids=lambda path: path.parent.name)
def test_a_trace_gives_the_output_that_is_kept_beside_it(path: Path, golden: Callable[[Path, str], None]) -> None:
    target = TraceFile(cost=RATES).build(tools_in(path.parent))
    try:
        told = _told(asyncio.run(target.ask(case("c1", trace=path.name), 0)))
    except TargetError as exc:
        told = {"error": str(exc)}
    golden(path.parent / "output.json", json.dumps(told, indent=2, ensure_ascii=False) + "\n")


def test_there_are_traces_that_are_read_and_some_that_are_none() -> None:
    told = [json.loads((path.parent / "output.json").read_text("utf-8")) for path in ROWS]
    assert {"text" in output for output in told} == {True, False}


def _told(output: Output) -> dict[str, Any]:
    assert output.trajectory is not None
    more = {"tokens": output.tokens, "cost_usd": output.cost_usd}
    return {
        "text": output.text,
        "steps": [
            {"tool": step.tool, "input": step.input, **({"output": step.output} if step.has_output else {})}
            for step in output.trajectory.steps
        ],
        "latency_ms": output.latency_ms,
        **{key: value for key, value in more.items() if value is not None},
    }
