"""`exact`, as the golden rows have it."""

from typing import Any

from evalci.scorers import exact
from evalci.scorers.exact_text import expected_text
from tests.scoring import scored
from tests.vector_areas import python_scores
from tests.vector_areas.text_scores import check


def run(row: dict[str, Any]) -> None:
    given = row["given"]
    if row["source"] == "evalstand":
        python_scores.check(python_scores.scored(exact, given["output"], given["expected"]), row["want"])
        return
    wanted = given["scorer"].get("value") or expected_text(given["case"].get("expected"))
    score = scored(given["scorer"], given["output"], given["case"])
    check(score, row["want"], wanted=wanted or "", seen=given["output"] if wanted else "")
