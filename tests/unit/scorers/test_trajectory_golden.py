"""What the trajectory scorer says of given paths, kept as golden rows: `tests/golden/scorers/trajectory/*.json`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from evalci.model import Output
from evalci.targets.traces.native import trajectory_in
from tests.vector_areas.trajectory import score_of, settings

ROWS = sorted((Path(__file__).parents[2] / "golden" / "scorers" / "trajectory").glob("*.json"))


@pytest.mark.parametrize("path", ROWS, ids=lambda path: path.stem)
def test_the_scorer_says_of_a_path_what_its_golden_row_has(path: Path, golden: Callable[[Path, str], None]) -> None:
    row = json.loads(path.read_text("utf-8"))
    given = row["given"]
    scorer, problems = settings(given["scorer"]["rules"])
    assert scorer is not None, problems
    trajectory = trajectory_in(json.dumps(given["trajectory"])) if "trajectory" in given else None
    score = score_of(scorer, Output(text=given["output"], trajectory=trajectory))
    error = {} if score.error is None else {"error": score.error}
    row["want"] = {"value": score.value, "passed": score.passed, "reason": score.reason, **error}
    golden(path, json.dumps(row, indent=2, ensure_ascii=False) + "\n")


def test_there_are_rows_that_pass_that_fail_and_that_break() -> None:
    wants = [json.loads(path.read_text("utf-8"))["want"] for path in ROWS]
    assert {(want["passed"], "error" in want) for want in wants} == {(True, False), (False, False), (False, True)}
