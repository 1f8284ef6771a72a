"""Work on recordings as they lie there: totals, keys recomputed, two branches merged, secrets taken out."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from evalci.calls import canonical
from evalci.cassette.codec import BadLine, Recording, is_conflict_marker, read_line
from evalci.cassette.redact import Redactor
from evalci.errors import CassetteError


@dataclass(frozen=True, kw_only=True, slots=True)
class Stats:
    """Totals over recordings; `tokens` counts those that say how many they took."""

    recordings: int
    bytes: int
    kinds: Mapping[str, int]
    models: Mapping[str, int]
    tokens: int
    redacted: int


def stats(recordings: Iterable[Recording]) -> Stats:
    """What a cassette holds."""
    found = list(recordings)
    tokens = [r.response.get("tokens") for r in found]
    return Stats(
        recordings=len(found),
        bytes=sum(len(r.line) + 1 for r in found),
        kinds=dict(sorted(Counter(str(r.row["kind"]) for r in found).items())),
        models=dict(sorted(Counter(filter(None, map(_model, found))).items())),
        tokens=sum(t["input"] + t["output"] for t in tokens if t),
        redacted=sum(r.redacted for r in found),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Verified:
    """Which keys are the hash of their request, which are not, and which cannot be known since a secret was masked."""

    right: int
    wrong: tuple[str, ...]
    unknowable: tuple[str, ...]


def verify(recordings: Iterable[Recording]) -> Verified:
    """Recompute every key from its request."""
    right = 0
    wrong: list[str] = []
    unknowable: list[str] = []
    for recording in sorted(recordings, key=lambda r: r.key):
        if hashlib.sha256(canonical(recording.row["request"])).hexdigest() == recording.key:
            right += 1
        else:
            (unknowable if recording.redacted else wrong).append(recording.key)
    return Verified(right=right, wrong=tuple(wrong), unknowable=tuple(unknowable))


@dataclass(frozen=True, kw_only=True, slots=True)
class Conflict:
    """Two different answers to one key, in the order in which they were read."""

    key: str
    first: Recording
    last: Recording


def merge(
    paths: Sequence[Path], prefer: Literal["first", "last"] | None
) -> tuple[dict[str, Recording], tuple[Conflict, ...]]:
    """All recordings of some files, and the keys with two answers; `prefer` settles those.

    Conflict markers that git left are skipped, and so is a last line that was cut off.
    """
    merged: dict[str, Recording] = {}
    conflicts: dict[str, Conflict] = {}
    for path in paths:
        for recording in _readable(path):
            earlier = merged.get(recording.key)
            if earlier is None or (earlier.answer == recording.answer and recording.line < earlier.line):
                merged[recording.key] = recording
            elif earlier.answer != recording.answer:
                conflicts[recording.key] = Conflict(key=recording.key, first=earlier, last=recording)
                if prefer == "last":
                    merged[recording.key] = recording
    return merged, tuple(conflicts[key] for key in sorted(conflicts))


def _readable(path: Path) -> Iterable[Recording]:
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as exc:
        raise CassetteError(f"{path}: {exc.strerror or exc}") from exc
    for number, line in enumerate(lines, start=1):
        if not line.strip() or is_conflict_marker(line):
            continue
        try:
            yield read_line(line.strip())
        except BadLine as exc:
            if not exc.torn or any(map(bytes.strip, lines[number:])):
                raise CassetteError(f"{path}:{number}: damaged recording ({exc})") from exc


def redact(recordings: Mapping[str, Recording], redactor: Redactor) -> tuple[dict[str, Recording], int]:
    """The recordings without what looks like a secret, and how many lines that changed."""
    cleaned: dict[str, Recording] = {}
    changed = 0
    for key, recording in recordings.items():
        row = recording.row
        scrubbed = {**row, "request": redactor.scrub_value(row["request"]), "response": _scrubbed(row, redactor)}
        if scrubbed != row:
            changed += 1
            recording = read_line(canonical({**scrubbed, "redacted": True}))
        cleaned[key] = recording
    return cleaned, changed


def _scrubbed(row: Mapping[str, Any], redactor: Redactor) -> dict[str, Any]:
    """A response without secrets; an embedding is numbers and stays as it is."""
    return {k: v if k == "embedding" else redactor.scrub_value(v) for k, v in row["response"].items()}


def _model(recording: Recording) -> str | None:
    identity = recording.row["request"].get("identity")
    model = identity.get("model") if isinstance(identity, dict) else None
    return model if isinstance(model, str) else None
