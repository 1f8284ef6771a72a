"""Answers on disk before they are counted: an append-only file beside the cassette, folded in at the end."""

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from evalci.cassette.codec import Recording
from evalci.cassette.store import load, read_lines, write
from evalci.errors import CassetteError

NAME: Final = "cassette.journal"


class Journal:
    """The answers of one recording run. Only one run may hold it; a crash leaves it for the next to fold in."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / NAME
        self._file: int | None = None
        self._size = 0

    def open(self) -> None:
        """Take the journal for this run. Raises `CassetteError` when another run has it, or nothing can be written."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            while self._file is None:
                self._file = _locked(self._path)
        except BlockingIOError as exc:
            raise CassetteError("another run is recording into this cassette", hint="wait for it to end") from exc
        except OSError as exc:
            raise CassetteError(
                f"cannot write recordings to .evalci/{NAME}: {exc.strerror}",
                hint="make the folder writable, or replay with --cache replay, which writes nothing",
            ) from exc
        self._size = os.fstat(self._file).st_size

    @property
    def is_empty(self) -> bool:
        """Is there nothing to fold in, not even a torn line?"""
        return self._size == 0

    def append(self, line: bytes) -> None:
        """One answer, handed to the operating system in one piece before this returns. Raises `CassetteError`."""
        assert self._file is not None
        data = line + b"\n"
        try:
            written = os.write(self._file, data)
        except OSError as exc:
            raise _cannot_write(exc.strerror) from exc
        if written != len(data):
            # Half a line in the middle would spoil the journal; half a line at the end is only lost.
            os.ftruncate(self._file, self._size)
            raise _cannot_write("the disk is full")
        self._size += len(data)

    def fold(self, recordings: Mapping[str, Recording]) -> None:
        """Write the cassette with these recordings, then empty the journal. Raises `CassetteError`."""
        assert self._file is not None
        try:
            write(self._folder, recordings)
            os.ftruncate(self._file, 0)
        except OSError as exc:
            raise _cannot_write(exc.strerror) from exc
        self._size = 0

    def close(self) -> None:
        """Let the journal go, and remove it when it is empty."""
        if self._file is None:
            return
        if self.is_empty:
            with contextlib.suppress(OSError):
                self._path.unlink()
        os.close(self._file)
        self._file = None


def load_with_journal(folder: Path) -> tuple[dict[str, Recording], tuple[str, ...]]:
    """Recordings with what a crash left in the journal on top, and notes on torn lines."""
    # The journal comes first: a run that folds it in between leaves everything in the cassette.
    path = folder / NAME
    left = [item for _, item in read_lines(path)] if path.is_file() else []
    newer = {item.key: item for item in left if isinstance(item, Recording)}
    loaded = load(folder, newer)
    for recording in newer.values():
        merge_answer(loaded.recordings, recording)
    return loaded.recordings, (*loaded.notes, *(item for item in left if isinstance(item, str)))


def merge_answer(recordings: dict[str, Recording], new: Recording) -> Recording | None:
    """Take a new answer in; one that says the same keeps its old line. The recording it replaced, if it differs."""
    old = recordings.get(new.key)
    if old is not None and old.answer == new.answer:
        return None
    recordings[new.key] = new
    return old


def recover(folder: Path) -> tuple[str, ...]:
    """Fold in what a crash left, when the folder can be written and nobody else is recording; notes on torn lines."""
    if not (folder / NAME).is_file():
        return ()
    notes: tuple[str, ...] = ()
    journal = Journal(folder)
    with contextlib.suppress(CassetteError):
        journal.open()
        if not journal.is_empty:
            recordings, found = load_with_journal(folder)
            journal.fold(recordings)
            notes = found
    journal.close()
    return notes


def rewrite(folder: Path, recordings: Mapping[str, Recording]) -> None:
    """Put these recordings in place of what is there, journal included. Raises `CassetteError` while a run records."""
    journal = Journal(folder)
    journal.open()
    try:
        journal.fold(recordings)
    finally:
        journal.close()


def _locked(path: Path) -> int | None:
    """The file, open and held; None when its holder removed it in the meantime. Raises `OSError`."""
    import fcntl

    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    held = False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with contextlib.suppress(FileNotFoundError):
            held = os.path.samestat(os.fstat(file), path.stat())
    finally:
        if not held:
            os.close(file)
    return file if held else None


def _cannot_write(why: str | None) -> CassetteError:
    return CassetteError(
        f"cannot write recordings: {why}",
        hint="what was recorded so far is kept; see to the disk and the folder, then run again",
    )
