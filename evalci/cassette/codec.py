"""One line of a cassette: `{"key":…,"kind":…,"request":…,"response":…}`, keys sorted, compact."""

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import orjson

from evalci.calls import Call, Reply, canonical
from evalci.cassette.vectors import decode_vector, encode_vector, is_vector
from evalci.model import Tokens
from evalci.nesting import MOST_DEPTH, too_deep

KINDS: Final = frozenset({"chat", "http", "embeddings"})
_KEY: Final = re.compile(r"[0-9a-f]{64}")
_CONFLICT: Final = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")


class Recording(NamedTuple):
    """A recorded call and the line it stands on. Only the answer is kept as data: a replay needs no more."""

    key: str
    response: Mapping[str, Any]
    redacted: bool
    line: bytes

    @property
    def row(self) -> dict[str, Any]:
        """The whole line as data."""
        row: dict[str, Any] = orjson.loads(self.line)
        return row

    @property
    def answer(self) -> tuple[Any, ...]:
        """What makes two recordings of one key the same: everything that was answered but the time it took."""
        return tuple(self.response.get(part) for part in ("text", "embedding", "tokens", "notes"))

    @property
    def text(self) -> str:
        """The answer as people compare it; an embedding as its own encoding."""
        return str(self.response.get("text", self.response.get("embedding", "")))


class BadLine(ValueError):
    """A line is no recording; its text says why. `torn` tells a line that may only have been cut off."""

    def __init__(self, why: str, *, torn: bool = False) -> None:
        super().__init__(why)
        self.torn = torn


def is_conflict_marker(line: bytes) -> bool:
    """Is this a line that git leaves where two branches differ?"""
    return line.startswith(_CONFLICT)


def read_line(line: bytes) -> Recording:
    """The recording on a line. Raises `BadLine`."""
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as exc:
        if is_conflict_marker(line):
            raise BadLine("a merge conflict marker") from exc
        # What a crash leaves of a line is its beginning, or the zeros of a block that was never written.
        raise BadLine(f"not valid JSON: {exc.msg}", torn=line[:1] in (b"{", b"\0")) from exc
    try:
        key, response = row["key"], row["response"]
        fits = type(key) is str and _KEY.fullmatch(key) is not None and type(row["request"]) is dict
        fits = fits and row["kind"] in KINDS and _is_answer(row["kind"], response)
    except (KeyError, TypeError, AttributeError):
        fits = False
    if not fits:
        raise BadLine("not a recording: its key, kind, request or response is missing or not as it should be")
    if too_deep(line):
        raise BadLine(f"nested more than {MOST_DEPTH} deep")
    return Recording(key, response, row.get("redacted") is True, line)


def _is_answer(kind: str, response: dict[str, Any]) -> bool:
    """Does a response hold what its kind of call is answered with, each part of the right type?"""
    latency = response.get("latency_ms", 0)
    if type(latency) is not int or latency < 0:
        return False
    tokens = response.get("tokens")
    if tokens is not None and not all(type(tokens[part]) is int and tokens[part] >= 0 for part in ("input", "output")):
        return False
    notes = response.get("notes")
    if notes is not None and not (type(notes) is list and all(type(note) is str for note in notes)):
        return False
    if kind == "embeddings":
        return is_vector(response["embedding"])
    return type(response["text"]) is str


def write_line(call: Call, request: Mapping[str, Any], response: Mapping[str, Any], *, redacted: bool) -> bytes:
    """The line of a call's answer, without its line end."""
    row = {"key": call.key, "kind": call.endpoint.kind, "request": request, "response": response}
    return canonical({**row, "redacted": True} if redacted else row)


def response_of(reply: Reply) -> dict[str, Any]:
    """An answer as data; what is unknown is left out."""
    response: dict[str, Any] = {"latency_ms": reply.latency_ms}
    if reply.vector is None:
        response["text"] = reply.text
    else:
        response["embedding"] = encode_vector(reply.vector)
    if reply.tokens is not None:
        response["tokens"] = {"input": reply.tokens.input, "output": reply.tokens.output}
    if reply.notes:
        response["notes"] = list(reply.notes)
    return response


def reply_of(recording: Recording) -> Reply:
    """The answer as it was given, latency included."""
    response = recording.response
    tokens = response.get("tokens")
    embedding = response.get("embedding")
    return Reply(
        response.get("text", ""),
        response.get("latency_ms", 0),
        None if tokens is None else Tokens(tokens["input"], tokens["output"]),
        None if embedding is None else decode_vector(embedding),
        tuple(response.get("notes") or ()),
    )
