"""Matrix winners, as the golden rows have them. Rows about reports and flags are the reporters' and the command's."""

from typing import Any

import pytest

from evalci.config.suite import matrix_problems
from evalci.model import Case, CaseResult, Output, Score
from evalci.summary.comparison import compare_arms


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    if "matrix" in given:
        problems = list(matrix_problems(tuple(given["matrix"]), dict.fromkeys(given["targets"])))
        for text in want["error_contains"]:
            assert any(text in problem for problem in problems), problems
        return
    arms = [(arm["target"], [_result(*cell) for cell in arm["scores_by_case"].items()]) for arm in given["arms"]]
    found = compare_arms(arms)
    assert [each.case_id for each in found.rows] == list(want["winners"])
    assert {each.case_id: each.winner for each in found.rows} == want["winners"]
    for each in found.rows:
        for seen, wanted in zip(each.means, want["mean_scores"][each.case_id], strict=True):
            assert seen == (wanted if wanted is None else pytest.approx(wanted, abs=1e-12))
    assert [(arm.target, arm.wins) for arm in found.arms] == list(want["wins"].items())
    assert found.ties == want["ties"]


def _result(case_id: str, values: list[float] | None) -> CaseResult:
    if values is None:
        return CaseResult(case=Case(id=case_id), status="errored", error="boom")
    scores = tuple(Score(scorer=f"s{i}", type="contains", value=value) for i, value in enumerate(values))
    return CaseResult(case=Case(id=case_id), status="unjudged", output=Output(text=""), scores=scores)
