"""Every golden row is run, or it stands in the table of those that wait. See `tests/vectors/README.md`."""

import json
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.vector_areas.waiting import AREAS, ROWS

FOLDER = Path(__file__).parent / "vectors"
FILES = {path.stem: path for path in sorted(FOLDER.glob("*.jsonl"))}


def lines(path: Path) -> list[str]:
    return path.read_text("utf-8").strip("\n").split("\n")


def rows() -> Iterator[dict[str, Any]]:
    for path in FILES.values():
        yield from map(json.loads, lines(path))


ALL = {row["id"]: row for row in rows()}
BUILT = {area for area in FILES if find_spec(f"tests.vector_areas.{area}") is not None}
RUN = [row for row in ALL.values() if row["area"] in BUILT and row["id"] not in ROWS]


@pytest.mark.parametrize("row", RUN, ids=lambda row: row["id"])
def test_a_row_holds(row: dict[str, Any]) -> None:
    import_module(f"tests.vector_areas.{row['area']}").run(row)


def test_every_row_is_run_or_is_listed_as_waiting() -> None:
    assert set(FILES) - BUILT - set(AREAS) == set()


def test_an_area_that_is_built_waits_for_nothing() -> None:
    assert BUILT & set(AREAS) == set()
    assert {area for area in BUILT if all(id_ in ROWS for id_, row in ALL.items() if row["area"] == area)} == set()


def test_the_table_lists_only_rows_and_areas_that_there_are() -> None:
    assert set(AREAS) <= set(FILES)
    assert set(ROWS) <= set(ALL)
    assert {ALL[id_]["area"] for id_ in ROWS} <= BUILT, "an area that is not built waits as a whole"


def test_a_rows_area_is_the_name_of_its_file() -> None:
    assert all(row["area"] in FILES for row in ALL.values())
    assert len(ALL) == sum(len(lines(path)) for path in FILES.values())
