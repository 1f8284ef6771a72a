"""What kind of operation a span records, in the words of either convention."""

from typing import Final

from evalci.targets.traces.spans import Span

_MODEL_OPERATIONS: Final = frozenset({"chat", "completion", "text_completion", "generate_content", "embeddings"})
_MODEL_KINDS: Final = frozenset({"llm", "embedding", "reranker"})


def is_tool(span: Span) -> bool:
    """Does it record one call of a tool? A tool's name that OpenInference puts elsewhere proves nothing."""
    return span.text("gen_ai.tool.name") is not None or _kind(span) == "tool" or is_execute_tool(span)


def is_execute_tool(span: Span) -> bool:
    """Does it say so in the words of the GenAI convention?"""
    return _operation(span) == "execute_tool"


def is_model_call(span: Span) -> bool:
    """Does it say of itself that it records one call of a model?"""
    return _operation(span) in _MODEL_OPERATIONS or _kind(span) in _MODEL_KINDS


def is_wrapper(span: Span) -> bool:
    """Does it say of itself that it records something else, such as an agent or a tool, with model calls inside?"""
    declared = _operation(span) or _kind(span) or span.text("gen_ai.tool.name")
    return declared is not None and not is_model_call(span)


def _operation(span: Span) -> str | None:
    found = span.text("gen_ai.operation.name")
    return None if found is None else found.lower()


def _kind(span: Span) -> str | None:
    found = span.text("openinference.span.kind")
    return None if found is None else found.lower()
