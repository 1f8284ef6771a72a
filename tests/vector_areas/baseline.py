"""The baseline contract and its files, as the golden rows have them."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from evalci.baseline.diff import compare
from evalci.baseline.snapshot import Baseline, accepted
from evalci.baseline.store import BaselineStore, saved_text
from evalci.errors import BaselineError
from evalci.gates.verdict import decide
from evalci.model import BaselineDiff, Case, CaseResult, Change, GateOutcome, Output, Score, Status, Verdict

SOURCE = ".evalci/baselines/evals/main.json"


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    with TemporaryDirectory() as folder:
        store = BaselineStore(Path(folder) / "evals", ".evalci/baselines/evals")
        if "stored_labels" in given:
            _check_unknown_label(store, given, want)
        elif "saves" in given:
            _check_newest_wins(store, given, want)
        elif "run_gates" in given:
            _check_nothing_but_cases(store, want)
        elif "stored" in given:
            _check_rolling(store, given, want)
        elif "flags" in given:
            _check_saving_alone(store, given, want)
        else:
            _check_contract(given, want)


def _check_contract(given: dict[str, Any], want: dict[str, Any]) -> None:
    diff, verdict = _judged(_state(given["baseline"]), given["current"], given["suite_gates_passed"])
    lists = {"regressions": diff.regressed, "new_failing": diff.new_failing, "fixed": diff.fixed}
    for key, changes in {**lists, "removed": diff.removed}.items():
        if key in want:
            assert _ids(changes) == want[key], key
    counts = {
        "baseline_passed": diff.before_passed,
        "baseline_total": diff.before_total,
        "current_passed": diff.after_passed,
        "current_total": diff.after_total,
    }
    assert {key: counts[key] for key in counts if key in want} == {key: want[key] for key in counts if key in want}
    assert diff.passed == (not want["baseline_gate_failed"])
    assert verdict.exit_code == want["exit_code"]


def _check_unknown_label(store: BaselineStore, given: dict[str, Any], want: dict[str, Any]) -> None:
    for label in given["stored_labels"]:
        store.save(label, Baseline())
    label = _flag(given, "--baseline")
    with pytest.raises(BaselineError) as caught:
        store.load(label)
    assert caught.value.exit_code == want["exit_code"]
    assert all(text in str(caught.value) for text in want["error_contains"])


def _check_newest_wins(store: BaselineStore, given: dict[str, Any], want: dict[str, Any]) -> None:
    for save in given["saves"]:
        store.save(save["label"], _state([{"id": save["marker"], "passed": True}]))
    assert [case.case_id for case in store.load(given["load"]).arm("t")] == [want["marker"]]


def _check_nothing_but_cases(store: BaselineStore, want: dict[str, Any]) -> None:
    assert want == {"stored_has_gates": False, "stored_has_classification": False}
    store.save("main", _state([{"id": "a", "passed": True}]))
    text = store.file("main").read_text("utf-8")
    assert "gate" not in text
    assert "classification" not in text


def _check_rolling(store: BaselineStore, given: dict[str, Any], want: dict[str, Any]) -> None:
    label = _flag(given, "--save-baseline")
    store.save(label, _state(given["stored"]))
    diff, verdict = _judged(store.load(_flag(given, "--baseline")), given["current"], gates_passed=True)
    now = _state(given["current"])
    store.save(label, now)
    assert verdict.exit_code == want["exit_code"]
    assert _ids(diff.fixed) == want["fixed"]
    stored = [{"id": case.case_id, "passed": case.status == "passed"} for case in store.load(label).arm("t")]
    assert stored == want["then_stored"]
    assert all(text in saved_text(label, now) for text in want["stderr_contains"])


def _check_saving_alone(store: BaselineStore, given: dict[str, Any], want: dict[str, Any]) -> None:
    verdict = decide(results=_results(given["current"]))
    store.save(_flag(given, "--save-baseline"), _state(given["current"]))
    assert verdict.exit_code == want["exit_code"]
    assert (_flag(given, "--save-baseline") in store.labels()) == want["stored"]


def _judged(baseline: Baseline, current: list[dict[str, Any]], gates_passed: bool) -> tuple[BaselineDiff, Verdict]:
    results = _results(current)
    diff = compare(baseline, results, label="main", source=SOURCE, target="t")
    gate = GateOutcome(gate="pass_rate >= 0.5", type="pass_rate", passed=gates_passed)
    return diff, decide(results=results, gates=(gate,), baseline=diff)


def _results(cases: list[dict[str, Any]]) -> tuple[CaseResult, ...]:
    return tuple(_result(case["id"], case["passed"]) for case in cases)


def _result(case_id: str, passed: bool) -> CaseResult:
    score = Score(scorer="contains", type="contains", value=float(passed), passed=passed)
    status: Status = "passed" if passed else "failed"
    return CaseResult(case=Case(id=case_id), status=status, output=Output(text="x"), scores=(score,))


def _state(cases: list[dict[str, Any]]) -> Baseline:
    return Baseline(arms={"t": tuple(map(accepted, _results(cases)))})


def _ids(changes: tuple[Change, ...]) -> list[str]:
    return [change.case_id for change in changes]


def _flag(given: dict[str, Any], name: str) -> str:
    flags: list[str] = given["flags"]
    return flags[flags.index(name) + 1]
