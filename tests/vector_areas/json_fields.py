"""`json_fields`, as the golden rows have it."""

from typing import Any

from evalci.scorers import json_fields
from tests.scoring import scored as scored_in_yaml
from tests.vector_areas.python_scores import check, scored


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    score = scored(json_fields(require_all=given["require_all"]), given["output"], given["expected"])
    check(score, want)
    if "unexpected" in want:
        assert (score.metadata or {})["unexpected"] == want["unexpected"]
    if isinstance(given["output"], str):
        settings = {"type": "json_fields", "require_all": given["require_all"]}
        same = scored_in_yaml(settings, given["output"], {"expected": given["expected"]})
        assert (same.value, same.error) == (score.value, score.error)
        if same.error is None:
            assert same.passed is score.passed
