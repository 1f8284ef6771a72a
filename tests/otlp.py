"""Builds OTLP exports for tests."""

import json
from typing import Any

from evalci.targets.traces import Trace, read_trace


def wrapped(value: Any) -> dict[str, Any]:
    """A value as OTLP JSON wraps it."""
    if isinstance(value, dict):
        return {"kvlistValue": {"values": attributes(value)}}
    if isinstance(value, list):
        return {"arrayValue": {"values": [wrapped(item) for item in value]}}
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": value}


def attributes(values: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": wrapped(value)} for key, value in values.items()]


def span(
    values: dict[str, Any] | None = None,
    *,
    id: str | None = None,  # noqa: A002
    parent: str | None = None,
    start: Any = None,
    end: Any = None,
    name: str = "",
    events: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """One span; members that are not given are left out, as exporters do."""
    members = {
        "name": name,
        "spanId": id,
        "parentSpanId": parent,
        "startTimeUnixNano": start,
        "endTimeUnixNano": end,
        "attributes": attributes(values or {}),
        "events": events,
    }
    return {key: value for key, value in members.items() if value is not None}


def event(name: str, values: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "attributes": attributes(values)}


def export(*spans: dict[str, Any]) -> dict[str, Any]:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


def trace_of(*spans: dict[str, Any]) -> Trace:
    return read_trace(json.dumps(export(*spans)).encode())
