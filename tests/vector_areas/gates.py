"""Gates over given cases, as the golden rows have them."""

from typing import Any

import pytest

from evalci.gates import GATES
from evalci.gates.facts import GateFacts, evaluate
from evalci.model import Case, CaseResult, Classification, GateOutcome, Output, Score
from evalci.summary.trials import fold
from evalci.summary.verdicts import attempt
from tests.vector_areas.trials import score_of


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    if any(score.get("value") == "NaN" for case in given["cases"] for score in case["scores"]):
        with pytest.raises(ValueError, match="finite"):  # no such score can be built, so no gate ever meets one
            Score(value=float("nan"))
        return
    gates = [gate_of(gate) for gate in given["gates"]]
    facts = GateFacts(
        results=tuple(map(_result, given["cases"])),
        classification=_classification(given.get("classification")),
    )
    outcomes = evaluate(gates, facts)
    assert len(outcomes) == len(want["gates"])
    for outcome, wanted in zip(outcomes, want["gates"], strict=True):
        _check(outcome, wanted)
    assert all(outcome.passed for outcome in outcomes) == want["all_gates_passed"]


def gate_of(given: dict[str, Any]) -> Any:
    """A gate from its YAML keys, as the decoder would build it."""
    settings = {key: float(value) if key == "min" else value for key, value in given.items() if key != "type"}
    return GATES[given["type"]].settings()(**settings)


def _check(outcome: GateOutcome, want: dict[str, Any]) -> None:
    assert outcome.gate == want["gate"]
    assert outcome.passed == want["passed"]
    if want.get("actual") == "NaN":
        assert outcome.actual is None
    elif "actual" in want:
        assert (outcome.actual or 0.0) == pytest.approx(want["actual"] or 0.0, abs=1e-9)
    if "reason" in want:
        assert outcome.reason == (want["reason"] or "")


def _classification(given: dict[str, Any] | None) -> Classification | None:
    if given is None:
        return None
    accuracy, macro_f1 = float(given["accuracy"]), float(given["macro_f1"])
    return Classification(labeled_cases=given["labeled_cases"], accuracy=accuracy, macro_f1=macro_f1)


def _result(given: dict[str, Any]) -> CaseResult:
    if given.get("error") is not None:
        return fold(Case(id=given["id"]), (attempt(error=given["error"]),))
    return fold(Case(id=given["id"]), (attempt(output=Output(text=""), scores=tuple(map(score_of, given["scores"]))),))
