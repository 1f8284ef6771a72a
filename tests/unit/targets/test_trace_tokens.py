"""Tokens of a trace: each model call once, under whichever names, however many spans around it repeat its counts."""

from typing import Any

import pytest

from evalci.model import Tokens
from tests.otlp import span, trace_of


def usage(asked: Any, answered: Any, **more: str) -> dict[str, Any]:
    """A span's attributes: counts, and what kind of operation it says it is."""
    names = {"operation": "gen_ai.operation.name", "kind": "openinference.span.kind", "tool": "gen_ai.tool.name"}
    counts = {"gen_ai.usage.input_tokens": asked, "gen_ai.usage.output_tokens": answered}
    return {**counts, **{names[key]: value for key, value in more.items()}}


NAMES = {
    "GenAI": ({"gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 5}, (10, 5)),
    "GenAI of old": ({"gen_ai.usage.prompt_tokens": 10, "gen_ai.usage.completion_tokens": 5}, (10, 5)),
    "OpenInference": ({"llm.token_count.prompt": 10, "llm.token_count.completion": 5}, (10, 5)),
    "before GenAI": ({"llm.usage.prompt_tokens": 10, "llm.usage.completion_tokens": 5}, (10, 5)),
    "all at once": (
        {
            "gen_ai.usage.input_tokens": 10,
            "gen_ai.usage.output_tokens": 5,
            "gen_ai.usage.prompt_tokens": 10,
            "llm.token_count.prompt": 10,
            "llm.token_count.completion": 5,
            "llm.token_count.total": 15,
            "llm.token_count.prompt_details.cache_read": 8,
        },
        (10, 5),
    ),
    "halves of two": ({"gen_ai.usage.input_tokens": 10, "llm.token_count.completion": 5}, (10, 5)),
    "only one half": ({"gen_ai.usage.output_tokens": 5}, (0, 5)),
    "as text": ({"gen_ai.usage.input_tokens": "10", "gen_ai.usage.output_tokens": "5"}, (10, 5)),
    "as floats": ({"gen_ai.usage.input_tokens": 10.0, "gen_ai.usage.output_tokens": 5.0}, (10, 5)),
    "zero": ({"gen_ai.usage.input_tokens": 0, "gen_ai.usage.output_tokens": 0}, (0, 0)),
    "unreadable, then readable": ({"gen_ai.usage.input_tokens": "many", "llm.token_count.prompt": 10}, (10, 0)),
    "none": ({"gen_ai.request.model": "m"}, None),
    "a total alone": ({"llm.token_count.total": 15}, None),
    "no counts": ({"gen_ai.usage.input_tokens": -1, "gen_ai.usage.output_tokens": True}, None),
    "half a token": ({"gen_ai.usage.input_tokens": 0.5}, None),
    "beyond all counting": ({"gen_ai.usage.input_tokens": 2**53}, None),
}


@pytest.mark.parametrize(("values", "want"), NAMES.values(), ids=NAMES)
def test_a_span_has_its_counts_once_under_whichever_names(values: dict[str, Any], want: Tokens | None) -> None:
    assert trace_of(span(values)).tokens == want


def test_calls_side_by_side_add_up() -> None:
    calls = (span(usage(10, 1)), span(usage(20, 2, operation="chat")), span(usage(40, 4, kind="TOOL")))
    assert trace_of(*calls).tokens == (70, 7)


AGENT, CHAT, TOOL = {"operation": "invoke_agent"}, {"operation": "chat"}, {"operation": "execute_tool"}
UNSAID: dict[str, str] = {}


def tree(*levels: tuple[int | None, dict[str, str]]) -> Tokens | None:
    """The tokens of spans each inside the one before; None for a span without counts."""
    spans = [
        span(
            usage(asked, 0, **kind) if asked is not None else {k: v for k, v in usage("", "", **kind).items() if v},
            id=f"s{i}",
            parent=f"s{i - 1}" if i else None,
        )
        for i, (asked, kind) in enumerate(levels)
    ]
    return trace_of(*spans).tokens


@pytest.mark.parametrize(
    "around",
    [AGENT, TOOL, UNSAID, {"kind": "AGENT"}, {"kind": "CHAIN"}, {"tool": "t"}, {"operation": "invoke_workflow"}],
    ids=str,
)
def test_a_sum_around_calls_is_not_added_to_them(around: dict[str, str]) -> None:
    assert tree((30, around), (30, CHAT)) == (30, 0)
    assert tree((30, around), (None, UNSAID), (None, TOOL), (30, {"kind": "LLM"})) == (30, 0)


def test_an_agent_whose_calls_carry_no_counts_has_its_own_counted() -> None:
    assert tree((30, AGENT), (None, CHAT)) == (30, 0)
    assert tree((30, AGENT), (0, CHAT)) == (30, 0)


def test_agents_inside_agents_count_where_the_calls_are() -> None:
    outer = span(usage(60, 0, **AGENT), id="outer")
    chat = span(usage(20, 0, **CHAT), parent="outer")
    tool = span({"gen_ai.tool.name": "ask"}, id="tool", parent="outer")
    inner = span(usage(40, 0, **AGENT), id="inner", parent="tool")
    calls = [span(usage(n, 0, **CHAT), id=f"c{n}", parent="inner") for n in (15, 25)]
    assert trace_of(*calls, inner, tool, chat, outer).tokens == (60, 0)
    assert trace_of(inner, tool, chat, outer).tokens == (60, 0)


@pytest.mark.parametrize("kind", [CHAT, {"kind": "LLM"}, {"operation": "generate_content"}], ids=str)
def test_one_call_seen_by_two_libraries_counts_once(kind: dict[str, str]) -> None:
    assert tree((30, kind), (30, CHAT)) == (30, 0)
    assert tree((30, kind), (None, UNSAID), (28, CHAT)) == (28, 0)
    assert tree((30, kind), (30, UNSAID)) == (30, 0)


@pytest.mark.parametrize("between", [TOOL, AGENT, {"kind": "TOOL"}, {"tool": "t"}], ids=str)
def test_a_call_by_a_tool_or_agent_that_a_call_started_is_another_call(between: dict[str, str]) -> None:
    assert tree((30, CHAT), (None, between), (12, CHAT)) == (42, 0)
    assert tree((30, CHAT), (12, between), (12, CHAT)) == (42, 0)
    assert tree((30, CHAT), (12, between)) == (42, 0)


def test_a_call_with_a_tool_beside_a_second_sight_of_it_counts_once_and_the_tools_too() -> None:
    outer = span(usage(30, 0, **CHAT), id="outer")
    tool = span({"gen_ai.tool.name": "ask"}, id="tool", parent="outer")
    by_tool, again = span(usage(12, 0, **CHAT), parent="tool"), span(usage(30, 0, **CHAT), parent="outer")
    for order in ((outer, tool, by_tool, again), (by_tool, again, tool, outer), (again, by_tool, outer, tool)):
        assert trace_of(*order).tokens == (42, 0)


def test_spans_around_each_other_are_read_all_the_same() -> None:
    ring = [span(usage(5, 0), id=a, parent=b) for a, b in ("ab", "bc", "ca")]
    assert trace_of(*ring, span(usage(7, 0))).tokens == (7, 0)
