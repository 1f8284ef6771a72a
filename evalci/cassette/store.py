"""Recordings on disk: loads one file or the split form, and writes the same bytes for the same recordings."""

import contextlib
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evalci.cassette.codec import BadLine, Recording, is_conflict_marker, read_line
from evalci.errors import CassetteError
from evalci.wording import seen, snippet

FILE: Final = "cassette.jsonl"
FOLDER: Final = "cassette"
SPLIT_ABOVE_BYTES: Final = 50 * 1024 * 1024
_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, kw_only=True, slots=True)
class Loaded:
    """Recordings by key, and what was lost to a torn last line (one message per file)."""

    recordings: dict[str, Recording]
    notes: tuple[str, ...] = ()


def cassette_files(folder: Path) -> list[Path]:
    """The files that hold recordings: one, or one per first digit of the key, or both after a merge."""
    single = folder / FILE
    return [single] * single.is_file() + sorted((folder / FOLDER).glob("*.jsonl"))


def load(folder: Path, newer: Mapping[str, Recording] | None = None) -> Loaded:
    """Every recording of `.evalci/`. Raises `CassetteError` naming file and line of what cannot be trusted.

    Where two answers stand against each other, `newer` settles it: a crash may have come between two files.
    """
    return load_files(cassette_files(folder), newer or {})


def load_files(paths: Sequence[Path], newer: Mapping[str, Recording] | None = None) -> Loaded:
    """The recordings of some files together; identical doubles are one, different answers to one key an error."""
    recordings: dict[str, Recording] = {}
    notes: list[str] = []
    for path in paths:
        for _, item in read_lines(path):
            if isinstance(item, str):
                notes.append(item)
                continue
            earlier = recordings.setdefault(item.key, item)
            if earlier is item:
                continue
            if earlier.answer == item.answer:
                recordings[item.key] = min(earlier, item, key=lambda recording: recording.line)
            elif newer and item.key in newer:
                recordings[item.key] = newer[item.key]
            else:
                raise _two_answers(item.key, paths)
    return Loaded(recordings=recordings, notes=tuple(notes))


def read_lines(path: Path) -> Iterator[tuple[int, Recording | str]]:
    """Line number and recording of each line; for a torn last line the note that says so instead."""
    try:
        data = path.read_bytes()
    except OSError as exc:
        raise CassetteError(f"{_name(path)}: {exc.strerror or exc}") from exc
    lines = data.removeprefix(_BOM).split(b"\n")
    for number, line in enumerate(lines, start=1):
        line = line.strip()
        if not line:
            continue
        try:
            yield number, read_line(line)
        except BadLine as exc:
            if not exc.torn or any(map(bytes.strip, lines[number:])):
                raise _damaged(path, number, line, str(exc)) from exc
            yield number, f"{_name(path)}:{number}: the last line is cut off; that one answer is lost"


def write(folder: Path, recordings: Mapping[str, Recording], *, split_above: int = SPLIT_ABOVE_BYTES) -> None:
    """Put recordings on disk, sorted by key, by an atomic rename; files that would not change are left alone.

    Raises `OSError` when that fails; then each file is as it was, or as it should be.
    """
    wanted = _files_of(folder, recordings, split_above)
    for stale in (*folder.glob(f".{FILE}.*.tmp"), *(folder / FOLDER).glob(".*.tmp")):
        stale.unlink(missing_ok=True)
    for path, content in wanted.items():
        replace_file(path, b"".join(line + b"\n" for line in content))
    for path in cassette_files(folder):
        if path not in wanted:
            path.unlink()
    with contextlib.suppress(OSError):
        (folder / FOLDER).rmdir()  # only when it is empty


def _files_of(folder: Path, recordings: Mapping[str, Recording], split_above: int) -> dict[Path, list[bytes]]:
    """The lines of each file, one file or one per first digit."""
    keys = sorted(recordings)
    size = sum(len(recordings[key].line) + 1 for key in keys)
    if size <= split_above:
        return {folder / FILE: [recordings[key].line for key in keys]} if keys or cassette_files(folder) else {}
    split: dict[Path, list[bytes]] = {}
    for key in keys:
        split.setdefault(folder / FOLDER / f"{key[0]}.jsonl", []).append(recordings[key].line)
    return split


def replace_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all, and have it on the disk before this returns."""
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
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """A rename is safe only once its folder is; file systems that cannot do this are left to their ways."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


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
    place = max((place for place, part in enumerate(path.parts) if part == ".evalci"), default=-1)
    return "/".join(path.parts[place:])


def _damaged(path: Path, number: int, line: bytes, why: str) -> CassetteError:
    found = seen(snippet(line.decode("utf-8", "replace"), 60))
    hint = "restore the file from git, or delete that line and record its call again with --cache auto"
    if is_conflict_marker(line):
        hint = "settle the conflict with `evalci cassette merge`; any line order loads"
    return CassetteError(f"{_name(path)}:{number}: damaged recording ({why}): {found}", hint=hint)


def _two_answers(key: str, paths: Sequence[Path]) -> CassetteError:
    """Names the first line with that key, and the first that contradicts it."""
    found = [
        (f"{_name(path)}:{number}", item.answer)
        for path in paths
        for number, item in read_lines(path)
        if isinstance(item, Recording) and item.key == key
    ]
    first, answer = found[0]
    second = next(place for place, other in found if other != answer)
    return CassetteError(
        f"two different answers are recorded for the key {key[:12]}…: {first} and {second}",
        hint="choose one with `evalci cassette merge`, or delete the line that is wrong",
    )
