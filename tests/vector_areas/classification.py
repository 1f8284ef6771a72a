"""Accuracy and F1, as the golden rows have them."""

from typing import Any

import pytest

from evalci.gates.facts import needs_classification
from evalci.model import Case, CaseResult, Output
from evalci.summary.classification import classify
from evalci.summary.trials import fold
from evalci.summary.verdicts import attempt
from tests.vector_areas.gates import gate_of


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    if "run" in given:
        gates = [gate_of(gate) for gate in given["run"].get("gates", [])]
        asked = given["run"].get("classification", False) or needs_classification(gates)
        assert asked == want["classification_computed"]
        return
    found = classify([_result(i, case) for i, case in enumerate(given["cases"])])
    assert found.labeled_cases == want["labeled_cases"]
    assert len(given["cases"]) - found.labeled_cases == want["unlabeled_cases"]
    assert found.accuracy == pytest.approx(want["accuracy"], abs=1e-9)
    assert found.macro_f1 == pytest.approx(want["macro_f1"], abs=1e-9)
    assert [scores.label for scores in found.classes] == [wanted["label"] for wanted in want["per_class"]]
    for scores, wanted in zip(found.classes, want["per_class"], strict=True):
        assert scores.support == wanted["support"]
        seen = [scores.precision, scores.recall, scores.f1]
        assert seen == pytest.approx([wanted["precision"], wanted["recall"], wanted["f1"]], abs=1e-9)


def _result(number: int, given: dict[str, Any]) -> CaseResult:
    case = Case(id=f"c{number}", expected=given.get("expected"))
    trials = given.get("trials") or [given]
    return fold(case, tuple(_attempt(trial) for trial in trials))


def _attempt(given: dict[str, Any]) -> Any:
    if given.get("error") is not None:
        return attempt(error=given["error"])
    return attempt(output=Output(text=given["output"]))
