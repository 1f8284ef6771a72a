"""`contains`, as the golden rows have it."""

from typing import Any

from tests.scoring import scored
from tests.vector_areas.text_scores import check


def run(row: dict[str, Any]) -> None:
    given = row["given"]
    check(scored(given["scorer"], given["output"]), row["want"], wanted=given["scorer"]["value"], seen=given["output"])
