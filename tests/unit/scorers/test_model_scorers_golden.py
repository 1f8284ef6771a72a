"""What the scorers that ask a model say of given answers, kept as golden rows: `tests/golden/scorers/<type>/*.json`."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evalci.calls import Call, CallError, Reply
from evalci.config.decode import Decoder
from evalci.config.yaml_nodes import read_yaml
from evalci.model import Output, Score, Tokens
from evalci.scorers import SCORERS, ScorerError
from tests.doubles import Model, tools_in
from tests.factories import case

FOLDER = Path(__file__).parents[2] / "golden" / "scorers"
KINDS = ("factuality", "judge", "similarity")
ROWS = sorted(path for kind in KINDS for path in FOLDER.glob(f"{kind}/*.json"))


@pytest.mark.parametrize("path", ROWS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_scorer_says_of_an_output_what_its_golden_row_has(
    path: Path, tmp_path: Path, golden: Callable[[Path, str], None]
) -> None:
    row = json.loads(path.read_text("utf-8"))
    given = row["given"]
    assert given["scorer"]["type"] == path.parent.name
    model = Model(lambda call: _reply(given["replies"][call.label.partition(":")[0]]))
    tools = replace(tools_in(tmp_path), record=lambda live: model)
    scorer = _settings(given["scorer"]).build(tools)
    row["want"] = _told(_score(scorer, given), model.asked)
    golden(path, json.dumps(row, indent=2, ensure_ascii=False) + "\n")


@pytest.mark.parametrize("kind", KINDS)
def test_there_are_rows_that_pass_that_fail_and_that_break(kind: str) -> None:
    wants = [json.loads(path.read_text("utf-8"))["want"] for path in ROWS if path.parent.name == kind]
    assert {(want["passed"], "error" in want) for want in wants} >= {(True, False), (False, False), (False, True)}


def _settings(given: Mapping[str, Any]) -> Any:
    root, problems = read_yaml(json.dumps(given).encode(), name="evals.yaml")
    assert root is not None
    assert not problems
    decoder = Decoder("evals.yaml")
    kind = given["type"]
    found: Any = decoder.block(
        root, SCORERS[kind].settings(), "scorers[0]", f"{kind} scorer: ", ignore=frozenset({"type"})
    )
    assert found is not None, decoder.problems
    return found


def _reply(given: Mapping[str, Any]) -> Reply | CallError:
    if "fails" in given:
        return CallError(given["fails"])
    vector = given.get("vector")
    tokens = given.get("tokens")
    return Reply(
        text=given.get("text", ""),
        vector=vector and tuple(map(float, vector)),
        tokens=tokens and Tokens(*tokens),
        notes=tuple(given.get("notes", ())),
    )


def _score(scorer: Any, given: Mapping[str, Any]) -> Score:
    try:
        score: Score = asyncio.run(scorer.score(case("c1", **given["case"]), Output(text=given["output"])))
    except ScorerError as exc:
        return Score.broken(str(exc))
    return score


def _told(score: Score, asked: list[Call]) -> dict[str, Any]:
    more = {"error": score.error, "metadata": score.metadata, "tokens": score.tokens, "cost_usd": score.cost_usd}
    return {
        "value": score.value,
        "passed": score.passed,
        "reason": score.reason,
        **{key: value for key, value in more.items() if value is not None},
        "calls": [call.label for call in asked],
    }
