"""`normalised_exact`, as the golden rows have it."""

from typing import Any

from evalci.scorers import normalised_exact
from evalci.scorers.measures.normalise import normalise
from tests.scoring import scored as scored_in_yaml
from tests.vector_areas.python_scores import check, scored


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    score = scored(normalised_exact, given["output"], given["expected"])
    check(score, want)
    if "normalised_expected" in want:
        assert normalise(given["expected"]) == want["normalised_expected"]
    if isinstance(given["output"], str) and isinstance(given["expected"], str):
        same = scored_in_yaml({"type": "normalised_exact"}, given["output"], {"expected": given["expected"]})
        assert (same.value, same.passed) == (score.value, score.passed)
