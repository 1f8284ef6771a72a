"""EvalCI's own trace format: `{"steps": [{"tool", "input", "output"}], "final_output"}`."""

from typing import Any

from evalci.calls import canonical
from evalci.model import Step, Trajectory
from evalci.targets.traces.strict import NotJson, parse
from evalci.targets.traces.trace import BadTrace, Trace


def read_native(document: dict[str, Any]) -> Trace:
    """The trace in a document that has `steps`. Raises `BadTrace`."""
    steps = document["steps"]
    if not isinstance(steps, list):
        raise BadTrace(_invalid("`steps` must be a list"))
    final_output = document.get("final_output")
    if final_output is not None and not isinstance(final_output, str):
        raise BadTrace("trace file `final_output` must be a string")
    trajectory = Trajectory(steps=tuple(_step(step, place) for place, step in enumerate(steps)))
    return Trace(trajectory=trajectory, final_output=final_output)


def trajectory_in(text: str) -> Trajectory | None:
    """The trajectory that a text holds in the native format, None when it holds none."""
    try:
        document = parse(text)
        return read_native(document).trajectory if isinstance(document, dict) and "steps" in document else None
    except (NotJson, BadTrace):
        return None


def trajectory_text(trajectory: Trajectory) -> str:
    """The trajectory in the native format: compact JSON, a step's keys in the order tool, input, output."""
    return (b'{"steps":[' + b",".join(map(_step_text, trajectory.steps)) + b"]}").decode()


def _step(step: Any, place: int) -> Step:
    if not isinstance(step, dict):
        raise BadTrace(_invalid(f"steps[{place}] must be an object"))
    tool, output = step.get("tool"), step.get("output")
    if not isinstance(tool, str):
        raise BadTrace(_invalid(f"steps[{place}].tool must be text"))
    return Step(tool=tool, input=step.get("input"), output=output, has_output=output is not None)


def _step_text(step: Step) -> bytes:
    output = b',"output":' + canonical(step.output) if step.has_output else b""
    return b'{"tool":' + canonical(step.tool) + b',"input":' + canonical(step.input) + output + b"}"


def _invalid(what: str) -> str:
    return f"trace file is not valid native trajectory format: {what}"
