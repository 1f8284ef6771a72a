"""Which format a trace file is in, and what it says."""

from collections.abc import Sequence
from typing import Any, Final

from evalci.targets.traces.answer import final_answer
from evalci.targets.traces.native import read_native
from evalci.targets.traces.spans import Span, Timeline, spans_in
from evalci.targets.traces.steps import trajectory_of
from evalci.targets.traces.strict import NotJson, parse
from evalci.targets.traces.tokens import tokens_of
from evalci.targets.traces.trace import BadTrace, Trace
from evalci.targets.traces.values import member

_BOM: Final = b"\xef\xbb\xbf"
_NANOSECONDS: Final = 1_000_000
_UNKNOWN: Final = (
    "trace file is in neither format that is known: the native one has `steps`, an OTLP export has `resourceSpans`"
)


def read_trace(data: bytes) -> Trace:
    """The trace in a file: the native format, an OTLP JSON export, or several of them. Raises `BadTrace`."""
    document = _document(data)
    if isinstance(document, dict) and "steps" in document:
        return read_native(document)
    exports = document if isinstance(document, list) else [document]
    if not exports or not all(map(_is_export, exports)):
        raise BadTrace(_UNKNOWN)
    spans = spans_in(exports)
    if not spans:
        raise BadTrace("trace file holds no spans: its OTLP export is empty")
    return _from_spans(spans)


def _from_spans(spans: Sequence[Span]) -> Trace:
    timeline = Timeline(spans)
    return Trace(
        trajectory=trajectory_of(timeline.spans),
        final_output=final_answer(timeline),
        latency_ms=_latency_ms(spans),
        tokens=tokens_of(timeline),
    )


def _latency_ms(spans: Sequence[Span]) -> int:
    """From the first start to the last end, over the spans that have both."""
    timed = [(span.start, span.end) for span in spans if span.start is not None and span.end is not None]
    if not timed:
        return 0
    return max(0, max(end for _, end in timed) - min(start for start, _ in timed)) // _NANOSECONDS


def _document(data: bytes) -> Any:
    """The file's JSON value; of a file of JSON lines, as exporters append to, the list of them."""
    try:
        text = data.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as exc:
        raise BadTrace("trace file is not valid JSON: it is not UTF-8 text") from exc
    try:
        return parse(text)
    except NotJson as exc:
        lines = [(place, line) for place, line in enumerate(text.split("\n"), start=1) if line.strip()]
        if len(lines) < 2 or not _starts_an_export(lines[0][1]):
            raise BadTrace(f"trace file is not valid JSON: {exc}") from exc
        return [_line(line, place) for place, line in lines]


def _starts_an_export(line: str) -> bool:
    try:
        return _is_export(parse(line))
    except NotJson:
        return False


def _line(line: str, place: int) -> Any:
    try:
        return parse(line)
    except NotJson as exc:
        raise BadTrace(f"trace file is not valid JSON: line {place} is not one JSON value") from exc


def _is_export(value: Any) -> bool:
    return isinstance(value, dict) and member(value, "resourceSpans") is not None
