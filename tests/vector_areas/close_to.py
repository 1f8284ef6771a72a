"""`close_to`, as the golden rows have it."""

from typing import Any

import pytest

from evalci.scorers import close_to
from tests.scoring import Refused
from tests.scoring import scored as scored_in_yaml
from tests.vector_areas.python_scores import check, scored


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    tolerances = {name: given[name] for name in ("rel_tol", "abs_tol") if name in given}
    if want.get("build_error"):
        with pytest.raises(ValueError, match=want["error_contains"][0]):
            close_to(**tolerances)
        with pytest.raises(Refused, match=want["error_contains"][0]):
            scored_in_yaml({"type": "close_to", **tolerances}, "5")
        return
    score = scored(close_to(**tolerances), given["output"], given["expected"])
    check(score, want)
    if "metadata_reason_contains" in want:
        assert want["metadata_reason_contains"] in (score.metadata or {})["reason"]
    if isinstance(given["output"], str):
        same = scored_in_yaml({"type": "close_to", **tolerances}, given["output"], {"expected": given["expected"]})
        assert (same.value, same.passed) == (score.value, score.passed)
