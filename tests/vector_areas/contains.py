"""`contains`, as the golden rows have it."""

from typing import Any

from evalci.scorers import contains
from tests.scoring import scored
from tests.vector_areas import python_scores
from tests.vector_areas.text_scores import check


def run(row: dict[str, Any]) -> None:
    given = row["given"]
    if row["source"] == "evalstand":
        python_scores.check(python_scores.scored(contains, given["output"], given["expected"]), row["want"])
        return
    check(scored(given["scorer"], given["output"]), row["want"], wanted=given["scorer"]["value"], seen=given["output"])
