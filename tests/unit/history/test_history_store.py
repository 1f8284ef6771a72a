"""Past runs in SQLite: kept, listed, read back, and never fatal."""

import sqlite3
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from evalci.history import HistoryError, HistoryStore, keep
from evalci.history import store as history_store
from evalci.model import Report
from tests import factories

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> HistoryStore:
    return HistoryStore.beside(tmp_path / "evals.yaml")


def _report() -> Report:
    return factories.report_of(factories.passed(), factories.failed())


def test_a_run_is_read_back_as_it_was(store: HistoryStore) -> None:
    store.add(_report(), NOW)
    (run,) = store.runs()
    assert run.created_at == "2026-01-02T03:04:05Z"
    assert store.report(run.id) == _report()


def test_the_newest_run_comes_first_and_times_are_utc(store: HistoryStore) -> None:
    store.add(_report(), NOW)
    store.add(_report(), datetime(2026, 1, 2, 5, 0, tzinfo=timezone(timedelta(hours=2))))
    assert [run.created_at for run in store.runs()] == ["2026-01-02T03:00:00Z", "2026-01-02T03:04:05Z"]


def test_without_a_file_there_are_no_runs(store: HistoryStore) -> None:
    assert store.runs() == ()
    assert store.report(1) is None
    assert not store.file.exists()


def test_an_unknown_run_is_none(store: HistoryStore) -> None:
    store.add(_report(), NOW)
    assert store.report(99) is None


def test_a_damaged_row_is_told_and_the_list_still_works(store: HistoryStore) -> None:
    store.add(_report(), NOW)
    with sqlite3.connect(store.file) as database:
        database.execute("UPDATE run_history SET report = x'00ff'")
    database.close()
    assert len(store.runs()) == 1
    with pytest.raises(HistoryError, match="run 1 of the history is damaged"):
        store.report(1)


def test_a_file_that_is_no_database_is_a_warning(store: HistoryStore) -> None:
    store.file.parent.mkdir()
    store.file.write_text("not a database, but long enough to look at" * 10)
    warning = keep(store, _report(), NOW)
    assert warning is not None
    assert warning.startswith("warning: could not record run history: cannot write .evalci/history.db")


def test_old_runs_make_room(store: HistoryStore) -> None:
    for _ in range(4):
        store.add(_report(), NOW)
    with sqlite3.connect(store.file) as database:
        database.execute(history_store._FORGET, {"runs": 2, "bytes": 10**9})
    database.close()
    assert [run.id for run in store.runs()] == [4, 3]
    with sqlite3.connect(store.file) as database:
        database.execute(history_store._FORGET, {"runs": 2, "bytes": 1})
    database.close()
    assert [run.id for run in store.runs()] == [4]
