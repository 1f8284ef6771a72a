"""What each gate says of given runs, kept as golden rows: `tests/golden/gates/<type>/*.json`."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from evalci.config.decode import Decoder
from evalci.config.yaml_nodes import read_yaml
from evalci.gates import GATES
from evalci.gates.facts import Gate, GateFacts, needs_classification
from evalci.model import CaseResult, GateOutcome, Output, Score, Snapshot, Tokens, Trial
from evalci.summary.classification import classify
from evalci.summary.trials import fold
from evalci.summary.verdicts import attempt
from tests.factories import case

FOLDER = Path(__file__).parents[2] / "golden" / "gates"
ROWS = sorted(FOLDER.glob("*/*.json"))


@pytest.mark.parametrize("path", ROWS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_gate_says_of_a_run_what_its_golden_row_has(path: Path, golden: Callable[[Path, str], None]) -> None:
    row = json.loads(path.read_text("utf-8"))
    given = row["given"]
    assert given["gate"]["type"] == path.parent.name
    outcome = gate_of(given["gate"]).judge(facts_of(given))
    row["want"] = _told(outcome)
    golden(path, json.dumps(row, indent=2, ensure_ascii=False) + "\n")


def test_every_gate_has_golden_rows_that_pass_and_that_fail() -> None:
    verdicts = {kind: set[bool]() for kind in GATES}
    for path in ROWS:
        verdicts[path.parent.name].add(json.loads(path.read_text("utf-8"))["want"]["passed"])
    assert verdicts == {kind: {True, False} for kind in GATES}


def gate_of(given: Mapping[str, Any]) -> Gate:
    """The gate as a suite would set it up."""
    kind = given["type"]
    root, problems = read_yaml(json.dumps(given).encode(), name="evals.yaml")
    assert root is not None
    assert not problems
    decoder = Decoder("evals.yaml")
    gate: Gate | None = decoder.block(
        root, GATES[kind].settings(), "run.gates[0]", f"run.gates: {kind} ", ignore=frozenset({"type"})
    )
    assert gate is not None, decoder.problems
    return gate


def facts_of(given: Mapping[str, Any]) -> GateFacts:
    results = tuple(map(_result, given["cases"]))
    before = given.get("before")
    return GateFacts(
        results=results,
        classification=classify(results) if needs_classification([gate_of(given["gate"])]) else None,
        before=None if before is None else {name: Snapshot(**snapshot) for name, snapshot in before.items()},
        like_for_like=given.get("like_for_like", True),
    )


def _result(given: Mapping[str, Any]) -> CaseResult:
    found = case(given["id"], expected=given.get("expected"))
    if given.get("skipped"):
        return CaseResult(case=found, status="skipped", error="skipped: run budget of $1 exhausted (spent $1.0000)")
    return fold(found, tuple(map(_trial, given.get("trials", [given]))))


def _trial(given: Mapping[str, Any]) -> Trial:
    if "error" in given:
        return attempt(error=given["error"])
    tokens = given.get("tokens")
    output = Output(
        text=given.get("output", ""),
        latency_ms=given.get("latency_ms", 0),
        cost_usd=given.get("cost_usd"),
        tokens=tokens and Tokens(*tokens),
    )
    return attempt(output=output, scores=tuple(map(_score, given.get("scores", []))))


def _score(given: Mapping[str, Any]) -> Score:
    scorer = given["scorer"]
    kind = given.get("type", scorer)
    if "error" in given:
        return Score.broken(given["error"]).named(scorer, kind)
    tokens, cost = given.get("tokens"), given.get("cost_usd")
    value, passed = given["value"], given.get("passed")
    return Score(scorer=scorer, type=kind, value=value, passed=passed, tokens=tokens and Tokens(*tokens), cost_usd=cost)


def _told(outcome: GateOutcome) -> dict[str, Any]:
    bounds = {"min": outcome.min, "max": outcome.max}
    return {
        "gate": outcome.gate,
        "passed": outcome.passed,
        "actual": outcome.actual,
        **{key: bound for key, bound in bounds.items() if bound is not None},
        "reason": outcome.reason,
    }
