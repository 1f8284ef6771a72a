"""Recordings on disk: loads one file or the split form, and writes the same bytes for the same recordings."""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evalci.cassette.codec import BadLine, Recording, read_line
from evalci.errors import CassetteError
from evalci.wording import snippet

FILE: Final = "cassette.jsonl"
FOLDER: Final = "cassette"
SPLIT_ABOVE_BYTES: Final = 50 * 1024 * 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class Loaded:
    """Recordings by key, and what was lost to a torn last line (one message per file)."""

    recordings: dict[str, Recording]
    notes: tuple[str, ...] = ()


def cassette_files(folder: Path) -> list[Path]:
    """The files that hold recordings: one, or one per first digit of the key, or both after a merge."""
    single = folder / FILE
    return [single] * single.is_file() + sorted((folder / FOLDER).glob("*.jsonl"))


def load(folder: Path) -> Loaded:
    """Every recording of `.evalci/`. Raises `CassetteError` naming file and line of what cannot be trusted."""
    return load_files(cassette_files(folder))


def load_files(paths: Iterable[Path]) -> Loaded:
    """The recordings of some files together; identical doubles are one, different answers to one key an error."""
    recordings: dict[str, Recording] = {}
    places: dict[str, tuple[Path, int]] = {}
    notes: list[str] = []
    for path in paths:
        for number, item in read_lines(path):
            if isinstance(item, str):
                notes.append(item)
                continue
            earlier = recordings.get(item.key)
            if earlier is None:
                recordings[item.key] = item
                places[item.key] = (path, number)
            elif earlier.answer != item.answer:
                raise _two_answers(item.key, places[item.key], (path, number))
            elif item.line < earlier.line:
                recordings[item.key] = item
    return Loaded(recordings=recordings, notes=tuple(notes))


def read_lines(path: Path) -> Iterator[tuple[int, Recording | str]]:
    """Line number and recording of each line; for a torn last line the note that says so instead."""
    try:
        data = path.read_bytes()
    except OSError as exc:
        raise CassetteError(f"{_name(path)}: {exc.strerror or exc}") from exc
    lines = data.split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line or line.isspace():
            continue
        try:
            yield number, read_line(line.strip())
        except BadLine as exc:
            if number == len(lines):
                yield number, f"{_name(path)}:{number}: the last line is cut off; that one answer is lost"
                return
            raise _damaged(path, number, line, str(exc)) from exc


def write(folder: Path, recordings: Mapping[str, Recording]) -> None:
    """Put recordings on disk, sorted by key, by an atomic rename; files that would not change are left alone."""
    lines = [recordings[key].line for key in sorted(recordings)]
    folder.mkdir(parents=True, exist_ok=True)
    if sum(map(len, lines)) + len(lines) <= SPLIT_ABOVE_BYTES:
        wanted = {folder / FILE: lines}
    else:
        split: dict[Path, list[bytes]] = {}
        for key in sorted(recordings):
            split.setdefault(folder / FOLDER / f"{key[0]}.jsonl", []).append(recordings[key].line)
        wanted = split
    for path, content in wanted.items():
        replace_file(path, b"".join(line + b"\n" for line in content))
    for path in cassette_files(folder):
        if path not in wanted:
            path.unlink()


def replace_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    if path.is_file() and path.stat().st_size == len(data) and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def digest(recordings: Mapping[str, Recording]) -> str | None:
    """SHA-256 of the recordings as one sorted file; None when there is none. The same for both forms on disk."""
    if not recordings:
        return None
    hasher = hashlib.sha256()
    for key in sorted(recordings):
        hasher.update(recordings[key].line + b"\n")
    return hasher.hexdigest()


def _name(path: Path) -> str:
    """The file as messages name it: with the folders below `.evalci`, the same on any machine."""
    parts = path.parts
    return "/".join(parts[parts.index(".evalci") :] if ".evalci" in parts else parts[-1:])


def _damaged(path: Path, number: int, line: bytes, why: str) -> CassetteError:
    found = snippet(line.decode("utf-8", "replace"), 60)
    hint = "restore the file from git, or delete that line and record its call again with --cache auto"
    if "conflict" in why:
        hint = "settle the conflict with `evalci cassette merge`; any line order loads"
    return CassetteError(f"{_name(path)}:{number}: damaged recording ({why}): {found}", hint=hint)


def _two_answers(key: str, first: tuple[Path, int], second: tuple[Path, int]) -> CassetteError:
    where = " and ".join(f"{_name(path)}:{number}" for path, number in (first, second))
    return CassetteError(
        f"two different answers are recorded for the key {key[:12]}…: {where}",
        hint="choose one with `evalci cassette merge`, or delete the line that is wrong",
    )
