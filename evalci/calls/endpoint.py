"""What identifies a call, and the key of its recording: byte for byte as EvalCore builds it."""

import hashlib
import math
from collections.abc import Mapping
from typing import Any, Final, Literal

import orjson

from evalci.unicode import utf8_text

CallKind = Literal["chat", "http", "embeddings"]

PLACEHOLDER: Final = "{{input}}"


def canonical(value: Any) -> bytes:
    """Compact JSON with keys sorted at every level by code point, non-ASCII raw.

    Floats print as shortest round-trip digits; an integer past 64 bits prints as a float, as in EvalCore.
    """
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return orjson.dumps(_writable(value), option=orjson.OPT_SORT_KEYS)


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON of a value, in hex."""
    return hashlib.sha256(canonical(value)).hexdigest()


def is_json(value: Any) -> bool:
    """Can JSON carry it? NaN and infinity, at any depth, it cannot."""
    if isinstance(value, Mapping):
        return all(map(is_json, value.values()))
    if isinstance(value, list):
        return all(map(is_json, value))
    return not isinstance(value, float) or math.isfinite(value)


def _writable(value: Any) -> Any:
    """The same value as far as JSON in UTF-8 can hold it: big integers as floats, no half surrogate pairs."""
    if isinstance(value, str):
        return utf8_text(value)
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return _as_float(value)
    if isinstance(value, Mapping):
        return {utf8_text(str(key)): _writable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_writable(item) for item in value]
    return value


def _as_float(value: int) -> float | orjson.Fragment:
    try:
        return float(value)
    except OverflowError:
        return orjson.Fragment(str(value))


class Endpoint:
    """Where calls go, as far as it decides the answer: url, model, prompt; no keys, retries, time limits or prices."""

    __slots__ = ("_prefix", "identity", "kind")

    def __init__(self, kind: CallKind, identity: Mapping[str, Any]) -> None:
        self.kind = kind
        self.identity = identity
        self._prefix = hashlib.sha256(b'{"identity":' + canonical(identity) + b',"input":')

    def key(self, text: str, trial: int = 0) -> str:
        """SHA-256, in hex, of `{"identity":…,"input":…}`; a trial past the first is part of it."""
        state = self._prefix.copy()
        state.update(canonical(text) + (b',"trial":%d}' % trial if trial else b"}"))
        return state.hexdigest()

    def request(self, text: str, trial: int = 0) -> dict[str, Any]:
        """What is hashed, as data: the `request` of a recording's line."""
        request: dict[str, Any] = {"identity": dict(self.identity), "input": text}
        return {**request, "trial": trial} if trial else request


def chat_endpoint(
    url: str, model: str, *, system: str | None = None, params: Mapping[str, Any] | None = None
) -> Endpoint:
    """The identity of a chat endpoint: url exactly as written, model, and what is set of system and params."""
    identity: dict[str, Any] = {"type": "openai-compatible", "url": url, "model": model}
    if system is not None:
        identity["system"] = system
    if params:
        identity["params"] = dict(params)
    return Endpoint("chat", identity)


def embeddings_endpoint(url: str, model: str) -> Endpoint:
    """The identity of an embeddings endpoint: url exactly as written, and model."""
    return Endpoint("embeddings", {"type": "embeddings", "url": url, "model": model})


def http_endpoint(
    *, url: str, method: str, headers: Mapping[str, str] | None, body: Any, response_path: str | None
) -> Endpoint:
    """The identity of an HTTP API: the templates as written, and what is set of headers, body and pointer."""
    identity: dict[str, Any] = {"url": url, "method": method.upper()}
    if headers:
        identity["headers"] = {name.lower(): value for name, value in headers.items()}
    if body is not None:
        identity["body"] = body
    if response_path is not None:
        identity["response_path"] = response_path
    return Endpoint("http", {"http": identity})
