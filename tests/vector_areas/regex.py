"""`regex`, as the golden rows have it."""

from typing import Any

import pytest

from evalci.scorers import regex_match
from tests.scoring import Refused, scored
from tests.vector_areas import python_scores
from tests.vector_areas.text_scores import check


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    if row["source"] == "evalstand":
        python_scores.check(
            python_scores.scored(regex_match(given["pattern"], full=given["full"]), given["output"]), want
        )
        return
    if want.get("build_error"):
        with pytest.raises(Refused) as refused:
            scored(given["scorer"], "")
        assert all(text in str(refused.value) for text in want["error_contains"])
        return
    check(scored(given["scorer"], given["output"]), want, wanted="", seen=given["output"])
    if not want["passed"]:
        assert f"/{given['scorer']['pattern']}/" in scored(given["scorer"], given["output"]).reason
