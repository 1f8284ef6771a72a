"""Which spans are tool calls, and what went in and came out of each."""

from collections.abc import Iterable
from typing import Any, Final

from evalci.model import Step, Trajectory
from evalci.targets.traces.kinds import is_execute_tool, is_tool
from evalci.targets.traces.spans import Span
from evalci.targets.traces.strict import unwrapped

_INPUTS: Final = ("gen_ai.tool.call.arguments", "input.value")
_OUTPUTS: Final = ("gen_ai.tool.call.result", "output.value")
_PREFIX: Final = "execute_tool "


def trajectory_of(spans: Iterable[Span]) -> Trajectory:
    """The tool calls among the spans, in their order."""
    return Trajectory(steps=tuple(_step(span) for span in spans if is_tool(span)))


def _step(span: Span) -> Step:
    output = _first(span, _OUTPUTS)
    return Step(
        tool=span.text("gen_ai.tool.name", "tool.name") or _tool_in_name(span),
        input=unwrapped(_first(span, _INPUTS)),
        output=unwrapped(output),
        has_output=output is not None,
    )


def _tool_in_name(span: Span) -> str:
    """The span's name, which the GenAI convention makes `execute_tool` and the tool's name."""
    return span.name.removeprefix(_PREFIX) if is_execute_tool(span) else span.name


def _first(span: Span, keys: tuple[str, ...]) -> Any:
    """The first of these attributes that is there; None when none is."""
    return next((value for key in keys if (value := span.attributes.get(key)) is not None), None)
