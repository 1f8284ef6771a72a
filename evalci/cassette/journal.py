"""Answers on disk before they are counted: an append-only file beside the cassette, folded in at the end."""

import contextlib
import os
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

    def open(self) -> None:
        """Take the journal for this run. Raises `CassetteError` when another run has it, or nothing can be written."""
        import fcntl

        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        except OSError as exc:
            raise CassetteError(
                f"cannot write recordings to .evalci/{NAME}: {exc.strerror}",
                hint="make the folder writable, or replay with --cache replay, which writes nothing",
            ) from exc
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as exc:
            os.close(self._file)
            self._file = None
            raise CassetteError("another run is recording into this cassette", hint="wait for it to end") from exc

    def append(self, line: bytes) -> None:
        """One answer, handed to the operating system in one piece before this returns."""
        assert self._file is not None
        data = line + b"\n"
        written = os.write(self._file, data)
        if written != len(data):
            raise OSError("the disk is full")

    def fold(self, recordings: dict[str, Recording]) -> None:
        """Write the cassette with these recordings, then empty the journal."""
        write(self._folder, recordings)
        if self._file is not None:
            os.ftruncate(self._file, 0)

    def close(self) -> None:
        """Let the journal go, and remove it when it is empty."""
        if self._file is None:
            return
        if os.fstat(self._file).st_size == 0:
            self._path.unlink(missing_ok=True)
        os.close(self._file)
        self._file = None


def load_with_journal(folder: Path) -> tuple[dict[str, Recording], tuple[str, ...], bool]:
    """Recordings with what a crash left in the journal on top, notes on torn lines, and whether there was any."""
    loaded = load(folder)
    path = folder / NAME
    left: list[Recording] = []
    notes = list(loaded.notes)
    if path.is_file():
        for _, item in read_lines(path):
            if isinstance(item, Recording):
                left.append(item)
            else:
                notes.append(item)
    for recording in left:
        merge_answer(loaded.recordings, recording)
    return loaded.recordings, tuple(notes), bool(left)


def merge_answer(recordings: dict[str, Recording], new: Recording) -> Recording | None:
    """Take a new answer in; one that says the same keeps its old line. The recording it replaced, if it differs."""
    old = recordings.get(new.key)
    if old is not None and old.answer == new.answer:
        return None
    recordings[new.key] = new
    return old


def recover(folder: Path) -> None:
    """Fold in what a crash left, when the folder can be written and nobody else is recording."""
    if not (folder / NAME).is_file():
        return
    journal = Journal(folder)
    with contextlib.suppress(CassetteError, OSError):
        journal.open()
        recordings, _, any_left = load_with_journal(folder)
        if any_left:
            journal.fold(recordings)
    journal.close()
