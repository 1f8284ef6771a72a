"""What judge adapters are told and what their answers prove: `tests/golden/scorers/judge/adapter/*.json`."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from evalci.model import Output
from tests.adapter_rows import ENVIRON, ROOT, command, shown
from tests.doubles import tools_in
from tests.factories import case
from tests.scoring import built

ROWS = sorted((ROOT / "scorers" / "judge" / "adapter").glob("*.json"))


@pytest.mark.parametrize("path", ROWS, ids=lambda path: path.stem)
def test_a_judge_proves_what_its_golden_row_has(
    path: Path, tmp_path: Path, golden: Callable[[Path, str], None]
) -> None:
    row = json.loads(path.read_text("utf-8"))
    given = row["given"]
    adapter = {"command": command(tmp_path, given["says"]), **given.get("adapter", {})}
    scorer = {"type": "judge", "adapter": adapter, **given["scorer"]}
    judge = built(scorer, replace(tools_in(tmp_path, environ=ENVIRON), name=given["name"]))
    score = asyncio.run(judge.score(case("c1", expected="hidden", **given["case"]), Output(text=given["output"])))
    told = json.loads((tmp_path / "says.told").read_text("utf-8"))
    assert "hidden" not in json.dumps(told)
    assert score.cost_usd is None
    more = {"error": score.error, "tokens": score.tokens}
    row["want"] = {
        "value": score.value,
        "passed": score.passed,
        "reason": score.reason,
        "metadata": score.metadata,
        **{key: value for key, value in more.items() if value is not None},
        "told": told,
    }
    golden(path, shown(row, {}))


def test_there_are_rows_that_pass_that_fail_and_that_break() -> None:
    wants = [json.loads(path.read_text("utf-8"))["want"] for path in ROWS]
    assert {(want["passed"], "error" in want) for want in wants} == {(True, False), (False, False), (False, True)}
