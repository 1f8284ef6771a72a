"""`ratio`, as the golden rows have it."""

from typing import Any

from evalci.scorers import ratio
from tests.scoring import scored as scored_in_yaml
from tests.vector_areas.python_scores import check, scored


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    score = scored(ratio, given["output"], given["expected"])
    check(score, want)
    if isinstance(given["output"], str) and isinstance(given["expected"], str):
        same = scored_in_yaml({"type": "ratio"}, given["output"], {"expected": given["expected"]})
        assert (same.value, same.passed) == (score.value, score.passed)
