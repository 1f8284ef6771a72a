"""One line of a cassette: `{"key":…,"kind":…,"request":…,"response":…}`, keys sorted, compact."""

import base64
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

from evalci.calls import Call, Reply, canonical
from evalci.model import Tokens

KINDS: Final = frozenset({"chat", "http", "embeddings"})
_HEX: Final = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class Recording:
    """A recorded call and the line it stands on."""

    key: str
    row: Mapping[str, Any]
    line: bytes

    @property
    def answer(self) -> tuple[Any, ...]:
        """What makes two recordings of one key the same: everything that was answered but the time it took."""
        response = self.row["response"]
        return tuple(response.get(part) for part in ("text", "embedding", "tokens", "notes", "trajectory"))

    @property
    def text(self) -> str:
        """The answer as people compare it; an embedding as its own encoding."""
        response = self.row["response"]
        return str(response.get("text", response.get("embedding", "")))


class BadLine(ValueError):
    """A line is no recording; its text says why."""


def read_line(line: bytes) -> Recording:
    """The recording on a line. Raises `BadLine`."""
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as exc:
        if line.startswith((b"<<<<<<<", b"=======", b">>>>>>>")):
            raise BadLine("a merge conflict marker") from exc
        raise BadLine(f"not valid JSON: {exc.msg}") from exc
    try:
        key, response = row["key"], row["response"]
        fits = len(key) == 64 and _HEX.issuperset(key) and row["kind"] in KINDS and type(row["request"]) is dict
        fits = fits and type(response.get("latency_ms", 0)) is int and _has_answer(response)
    except (KeyError, TypeError, AttributeError) as exc:
        raise BadLine("not a recording: it lacks a key, kind, request or response of the right type") from exc
    if not fits:
        raise BadLine("not a recording: its key, kind, request or response is not as it should be")
    return Recording(key, row, line)


def _has_answer(response: dict[str, Any]) -> bool:
    tokens = response.get("tokens")
    if tokens is not None and not all(type(tokens[part]) is int and tokens[part] >= 0 for part in ("input", "output")):
        return False
    embedding = response.get("embedding")
    if embedding is None:
        return type(response.get("text")) is str
    return len(base64.b64decode(embedding, validate=True)) % 4 == 0


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
    response = recording.row["response"]
    tokens = response.get("tokens")
    embedding = response.get("embedding")
    return Reply(
        text=response.get("text", ""),
        latency_ms=response.get("latency_ms", 0),
        tokens=None if tokens is None else Tokens(tokens["input"], tokens["output"]),
        vector=None if embedding is None else decode_vector(embedding),
        notes=tuple(response.get("notes", ())),
    )


def encode_vector(vector: tuple[float, ...]) -> str:
    """Numbers as base64 of little-endian float32."""
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode("ascii")


def decode_vector(text: str) -> tuple[float, ...]:
    """The numbers again, each as the shortest decimal that names its float32.

    Servers print float32 as such decimals, so 0.6 comes back as 0.6 and not as 0.6000000238.
    """
    data = base64.b64decode(text)
    return tuple(map(_shortest, struct.unpack(f"<{len(data) // 4}f", data)))


def _shortest(value: float) -> float:
    for digits in range(6, 9):
        short = float(f"{value:.{digits}g}")
        if struct.unpack("<f", struct.pack("<f", short))[0] == value:
            return short
    return float(f"{value:.9g}")
