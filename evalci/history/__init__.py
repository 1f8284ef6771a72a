"""Past runs, kept locally in SQLite: never needed, never fatal."""

from evalci.history.store import HistoryError, HistoryStore, PastRun, keep

__all__ = ["HistoryError", "HistoryStore", "PastRun", "keep"]
