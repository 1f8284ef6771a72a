"""`exact`, as the golden rows have it."""

from typing import Any

from evalci.scorers.exact import expected_text
from tests.scoring import scored
from tests.vector_areas.text_scores import check


def run(row: dict[str, Any]) -> None:
    given = row["given"]
    wanted = given["scorer"].get("value") or expected_text(given["case"].get("expected"))
    score = scored(given["scorer"], given["output"], given["case"])
    check(score, row["want"], wanted=wanted or "", seen=given["output"] if wanted else "")
