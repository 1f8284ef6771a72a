"""The golden rows that are not run yet, and what each waits for."""

from typing import Final

AREAS: Final[dict[str, str]] = {}
ROWS: Final[dict[str, str]] = {}
