"""A history in a folder of the test's own."""

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evalci.history import HistoryStore

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> HistoryStore:
    return HistoryStore.beside(tmp_path / "evals.yaml")


@pytest.fixture
def write(store: HistoryStore) -> Callable[[str], None]:
    """Runs a statement on the history, as only damage would."""

    def run(statement: str) -> None:
        database = sqlite3.connect(store.file)
        with database:
            database.execute(statement)
        database.close()

    return run
