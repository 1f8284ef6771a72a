"""Takes over the recordings of an EvalCore suite: `.evalcore/cache.db`, every target and embedding hit kept."""

import contextlib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evalci.calls import canonical
from evalci.cassette.codec import BadLine, Recording, read_line
from evalci.cassette.redact import Redactor
from evalci.cassette.vectors import encode_vector
from evalci.errors import CassetteError
from evalci.unicode import without_surrogates


def read_cache(path: Path, redactor: Redactor) -> Iterator[Recording]:
    """The recordings of an EvalCore cache, in the order of their keys. Raises `CassetteError` for what is none."""
    if not path.is_file():
        raise CassetteError(f"{path}: there is no such file", hint="EvalCore keeps it as .evalcore/cache.db")
    try:
        # Read as it lies there: no lock, no journal, nothing written beside it.
        with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            rows = database.execute("SELECT key, request, response FROM llm_cache ORDER BY key").fetchall()
    except sqlite3.Error as exc:
        raise CassetteError(f"{path}: not an EvalCore cache: {exc}") from exc
    for key, request, response in rows:
        try:
            yield _recording(key, _object(request), _object(response), redactor)
        except (BadLine, ValueError, KeyError, TypeError) as exc:
            raise CassetteError(f"{path}: the row of key {str(key)[:12]}… cannot be read: {exc}") from exc


def _object(text: str) -> dict[str, Any]:
    value = without_surrogates(json.loads(text))
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    return value


def _recording(key: str, request: dict[str, Any], response: dict[str, Any], redactor: Redactor) -> Recording:
    kind = _kind(request["identity"])
    answer: dict[str, Any] = {"latency_ms": int(response.get("latency_ms", 0))}
    if kind == "embeddings":
        answer["embedding"] = encode_vector(tuple(float(number) for number in json.loads(response["text"])))
    else:
        answer["text"] = redactor.scrub(response["text"])
    if response.get("tokens"):
        answer["tokens"] = {part: response["tokens"][part] for part in ("input", "output")}
    shown = redactor.scrub_value(request)
    row = {"key": key, "kind": kind, "request": shown, "response": answer}
    if shown != request or (kind != "embeddings" and answer["text"] != response["text"]):
        row["redacted"] = True
    return read_line(canonical(row))


def _kind(identity: Mapping[str, Any]) -> str:
    if "http" in identity:
        return "http"
    return "embeddings" if identity.get("type") == "embeddings" else "chat"
