"""What identifies a call, and the key of its recording: byte for byte as EvalCore builds it."""

import hashlib
from collections.abc import Mapping
from typing import Any, Literal

import orjson

CallKind = Literal["chat", "http", "embeddings"]


def canonical(value: Any) -> bytes:
    """Compact JSON with keys sorted at every level by code point, non-ASCII raw.

    Floats print as shortest round-trip digits; an integer past 64 bits prints as a float, as in EvalCore.
    """
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return orjson.dumps(_with_small_integers(value), option=orjson.OPT_SORT_KEYS)


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON of a value, in hex."""
    return hashlib.sha256(canonical(value)).hexdigest()


def _with_small_integers(value: Any) -> Any:
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return float(value)
    if isinstance(value, Mapping):
        return {str(key): _with_small_integers(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_with_small_integers(item) for item in value]
    return value


class Endpoint:
    """Where calls go, as far as it decides the answer: url, model, prompt; never keys, retries, time limits or prices."""

    __slots__ = ("_prefix", "identity", "kind")

    def __init__(self, kind: CallKind, identity: Mapping[str, Any]) -> None:
        self.kind = kind
        self.identity = identity
        self._prefix = hashlib.sha256(b'{"identity":' + canonical(identity) + b',"input":')

    def key(self, text: str, trial: int = 0) -> str:
        """SHA-256, in hex, of `{"identity":…,"input":…}`; a trial past the first is part of it."""
        state = self._prefix.copy()
        state.update(orjson.dumps(text) + (b',"trial":%d}' % trial if trial else b"}"))
        return state.hexdigest()

    def request(self, text: str, trial: int = 0) -> dict[str, Any]:
        """What is hashed, as data: the `request` of a recording's line."""
        request: dict[str, Any] = {"identity": dict(self.identity), "input": text}
        return {**request, "trial": trial} if trial else request
