"""The spans of one or more OTLP exports, flattened, and how they hang together."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from evalci.calls import canonical
from evalci.targets.traces.trace import BadTrace
from evalci.targets.traces.values import attributes_in, member, whole_number

_SCOPES: Final = ("scopeSpans", "instrumentationLibrarySpans")
_HEX_ID: Final = re.compile(r"[0-9a-fA-F]{16}|[0-9a-fA-F]{32}")

# A trace's id and a span's id in it.
Key = tuple[str | None, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """Something noted while a span lasted."""

    name: str = ""
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """One timed operation. Times are nanoseconds, None when they are not known."""

    name: str = ""
    key: Key | None = None
    parent: Key | None = None
    start: int | None = None
    end: int | None = None
    attributes: dict[str, Any] = field(default_factory=dict)
    events: tuple[Event, ...] = ()

    def text(self, *keys: str) -> str | None:
        """The first of these attributes that is text and not empty."""
        found = (self.attributes.get(key) for key in keys)
        return next((value for value in found if isinstance(value, str) and value), None)


class Timeline:
    """Spans in order: by their start, those without one last, and else as the file has them."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self.spans = sorted(spans, key=lambda span: (span.start is None, span.start or 0))

    @cached_property
    def parents(self) -> dict[Key, Span]:
        """The spans that can be found by their id."""
        return {span.key: span for span in self.spans if span.key is not None}

    def parent(self, span: Span) -> Span | None:
        """The span around this one, None when there is none or it was not exported."""
        found = None if span.parent is None else self.parents.get(span.parent)
        return None if found is span else found

    @property
    def roots(self) -> Iterator[Span]:
        """The spans without another around them."""
        return (span for span in self.spans if self.parent(span) is None)


def spans_in(exports: Sequence[dict[str, Any]]) -> list[Span]:
    """Every span in document order; one that was exported twice comes once. Raises `BadTrace`."""
    found: list[Span] = []
    seen: set[bytes] = set()
    for raw, where in _raw_spans(exports):
        span = _span(raw, where)
        whole = canonical(raw)
        if span.key is None or whole not in seen:
            found.append(span)
        seen.add(whole)
    return found


def _raw_spans(exports: Sequence[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], str]]:
    """Each span as it stands in the file, and where."""
    for export in exports:
        for resource, at in _objects(export, "resourceSpans", ""):
            for scopes in _SCOPES:
                for scope, below in _objects(resource, scopes, at):
                    yield from _objects(scope, "spans", below)


def _span(raw: dict[str, Any], where: str) -> Span:
    name = raw.get("name")
    trace = _id(member(raw, "traceId"))
    key, parent = _id(member(raw, "spanId")), _id(member(raw, "parentSpanId"))
    return Span(
        name=name if isinstance(name, str) else "",
        key=None if key is None else (trace, key),
        parent=None if parent is None else (trace, parent),
        start=_time(member(raw, "startTimeUnixNano")),
        end=_time(member(raw, "endTimeUnixNano")),
        attributes=_attributes(raw, where),
        events=tuple(_event(event, at) for event, at in _objects(raw, "events", where)),
    )


def _event(raw: dict[str, Any], where: str) -> Event:
    name = raw.get("name")
    return Event(name=name if isinstance(name, str) else "", attributes=_attributes(raw, where))


def _attributes(raw: dict[str, Any], where: str) -> dict[str, Any]:
    return attributes_in([entry for entry, _ in _objects(raw, "attributes", where)])


def _objects(node: dict[str, Any], key: str, where: str) -> Iterator[tuple[dict[str, Any], str]]:
    """The objects of a list and where each stands; a list that is missing is empty."""
    items = member(node, key)
    path = f"{where}.{key}" if where else key
    if items is None:
        return
    if not isinstance(items, list):
        raise BadTrace(f"trace file is not a valid OTLP export: {path} must be a list")
    for place, item in enumerate(items):
        if not isinstance(item, dict):
            raise BadTrace(f"trace file is not a valid OTLP export: {path}[{place}] must be an object")
        yield item, f"{path}[{place}]"


def _id(value: Any) -> str | None:
    """An id as the file has it; the hex form in lower case, because its case says nothing."""
    if not isinstance(value, str) or not value:
        return None
    return value.lower() if _HEX_ID.fullmatch(value) else value


def _time(value: Any) -> int | None:
    number = whole_number(value)
    return None if number is None or number < 0 else number
