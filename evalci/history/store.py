"""`.evalci/history.db`: one row per run, and per arm of a matrix run, newest last. The report is kept compressed."""

import contextlib
import sqlite3
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from evalci.errors import EvalciError
from evalci.model import Report
from evalci.reporters.json_reader import read_report
from evalci.reporters.json_report import render
from evalci.reporters.style import PLAIN

FILE: Final = "history.db"
KEPT_RUNS: Final = 500
KEPT_BYTES: Final = 200 * 1024 * 1024
READ_BYTES: Final = 1024 * 1024
BUSY_TIMEOUT_S: Final = 5.0
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS run_history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    created_at TEXT NOT NULL,
    config TEXT NOT NULL,
    target TEXT NOT NULL,
    passed INTEGER NOT NULL,
    total INTEGER NOT NULL,
    verdict INTEGER NOT NULL,
    report BLOB NOT NULL
)
"""
# The oldest runs go first, once there are too many or they take too much room; the newest always stays.
_FORGET: Final = """
DELETE FROM run_history WHERE id < (SELECT max(id) FROM run_history) AND id NOT IN (
    SELECT id FROM (
        SELECT id, sum(length(report)) OVER newest AS bytes, row_number() OVER newest AS place
        FROM run_history WINDOW newest AS (ORDER BY id DESC)
    ) WHERE bytes <= :bytes AND place <= :runs
)
"""


class HistoryError(EvalciError):
    """The history cannot be read or written; a run goes on without it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PastRun:
    """A row without its report: when (UTC, ISO 8601), what, how many cases passed, and whether the run did."""

    id: int
    created_at: str
    config: str
    target: str
    passed: int
    total: int
    verdict: bool

    @property
    def pass_rate(self) -> float | None:
        """Passed cases over all, 0 to 1; None without cases."""
        return self.passed / self.total if self.total else None


@dataclass(frozen=True, slots=True)
class HistoryStore:
    """The runs of the suites in one folder."""

    file: Path

    @classmethod
    def beside(cls, config: Path) -> "HistoryStore":
        """The history of the suites that lie beside this config."""
        return cls(config.absolute().parent / ".evalci" / FILE)

    def add(self, report: Report, now: datetime, text: str | None = None) -> None:
        """Keep a run; a matrix run is one row per arm. Raises `HistoryError` when it cannot be written.

        `text` is the JSON report where it was made already.
        """
        created = now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        rows = [_row(arm, created, text if arm is report else None) for arm in (report.arms or (report,))]
        with _reported("write"), contextlib.closing(self._connect(create=True)) as database, database:
            database.execute(_TABLE)
            database.executemany(
                "INSERT INTO run_history (created_at, config, target, passed, total, verdict, report)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                rows,
            )
            database.execute(_FORGET, {"runs": KEPT_RUNS, "bytes": KEPT_BYTES})

    def runs(self, limit: int = KEPT_RUNS) -> tuple[PastRun, ...]:
        """The newest runs first; none when there is no history yet. Raises `HistoryError` when it cannot be read."""
        if not self.file.is_file():
            return ()
        with _reported("read"), contextlib.closing(self._connect()) as database:
            database.execute(_TABLE)
            found = database.execute(
                "SELECT id, created_at, config, target, passed, total, verdict FROM run_history"
                " ORDER BY id DESC LIMIT ?",
                (limit,),
            ).fetchall()
        names = ("id", "created_at", "config", "target", "passed", "total")
        return tuple(PastRun(**dict(zip(names, row, strict=False)), verdict=bool(row[6])) for row in found)

    def report(self, run_id: int) -> Report | None:
        """The report of one run, None when there is no such run. Raises `HistoryError` when its row is damaged."""
        if not self.file.is_file():
            return None
        with _reported("read"), contextlib.closing(self._connect()) as database:
            found = database.execute("SELECT report FROM run_history WHERE id = ?", (run_id,)).fetchone()
        if found is None:
            return None
        try:
            return read_report(zlib.decompress(found[0]))
        except (zlib.error, TypeError, EvalciError) as exc:
            raise HistoryError(f"run {run_id} of the history is damaged: {exc}") from exc

    def damage(self, run_id: int) -> str | None:
        """Why a run's report cannot be read, None when it can. A large one is unpacked only; a checksum guards it."""
        try:
            with _reported("read"), contextlib.closing(self._connect()) as database:
                found = database.execute("SELECT report FROM run_history WHERE id = ?", (run_id,)).fetchone()
            if found is not None and len(data := zlib.decompress(found[0])) <= READ_BYTES:
                read_report(data)
        except (zlib.error, TypeError, EvalciError) as exc:
            return f"run {run_id} of the history is damaged: {exc}"
        return None

    def _connect(self, *, create: bool = False) -> sqlite3.Connection:
        if create:
            self.file.parent.mkdir(parents=True, exist_ok=True)
        return sqlite3.connect(self.file, timeout=BUSY_TIMEOUT_S)


def keep(store: HistoryStore, report: Report, now: datetime, text: str | None = None) -> str | None:
    """Add a run; when that fails, the warning to show instead. The run's verdict is none of its business."""
    try:
        store.add(report, now, text)
    except HistoryError as exc:
        return f"warning: could not record run history: {exc}"
    return None


def _row(report: Report, created: str, text: str | None) -> tuple[str, str, str, int, int, int, bytes]:
    data = zlib.compress((text or render(report, PLAIN)).encode("utf-8"), level=1)
    total = report.summary
    passed = int(report.verdict.passed)
    return (created, report.suite.config, report.suite.target, total.passed, total.total, passed, data)


@contextlib.contextmanager
def _reported(what: str) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError) as exc:
        raise HistoryError(f"cannot {what} .evalci/{FILE}: {exc}") from exc
