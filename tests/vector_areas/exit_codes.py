"""Exit codes, as the golden rows have them; an eval of the rows is one suite."""

from typing import Any

from evalci.gates.verdict import decide, decide_all
from evalci.model import BaselineDiff, Case, CaseResult, Change, GateOutcome, Output, Score, Verdict
from evalci.summary.trials import fold
from evalci.summary.verdicts import attempt

PASSED = {"pass": True, "fail": False, "scored": None}


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    verdict = _verdict(given)
    assert verdict.exit_code == want["exit_code"]
    assert verdict.passed == (want["exit_code"] == 0)
    if any(entry["mean"] is None for entry in given.get("evals", [])):
        assert not any("below" in reason for reason in verdict.reasons)


def _verdict(given: dict[str, Any]) -> Verdict:
    if "mean_of" in given:
        results = [_scored(str(i), value, None) for i, value in enumerate(given["mean_of"])]
        return decide(results=results, threshold=given["threshold"])
    if "evals" in given:
        threshold = _threshold(given["flags"])
        verdicts = [decide(results=_results(entry), threshold=threshold) for entry in given["evals"]]
        return decide_all([(str(number), verdict) for number, verdict in enumerate(verdicts)])
    gate = GateOutcome(gate="pass_rate >= 0.5", type="pass_rate", passed=given["gates_passed"], actual=0.4, min=0.5)
    results = [_scored("a", 1.0, True), _scored("b", 0.5, given["all_cases_passed"])]
    return decide(results=results, gates=(gate,), baseline=_diff(given["baseline"]))


def _results(entry: dict[str, Any]) -> list[CaseResult]:
    return [_case(str(number), kind, entry["mean"]) for number, kind in enumerate(entry["cases"])]


def _case(case_id: str, kind: str, mean: float | None) -> CaseResult:
    if kind == "error":
        return fold(Case(id=case_id), (attempt(error="boom"),))
    if kind == "unmeasured" or mean is None:
        broken = (Score.broken("ValueError: boom"),)
        return fold(
            Case(id=case_id),
            (attempt(output=Output(text=""), scores=broken, scorer_errors="exclude"),),
            scorer_errors="exclude",
        )
    return _scored(case_id, mean, PASSED[kind])


def _scored(case_id: str, value: float, passed: bool | None) -> CaseResult:
    scores = (Score(scorer="s", type="python", value=value, passed=passed),)
    return fold(Case(id=case_id), (attempt(output=Output(text=""), scores=scores),))


def _threshold(flags: list[str]) -> float | None:
    return float(flags[flags.index("--threshold") + 1]) if "--threshold" in flags else None


def _diff(kind: str | None) -> BaselineDiff | None:
    if kind is None:
        return None
    regressed = () if kind == "no_regressions" else (Change(case_id="b"),)
    return BaselineDiff(
        label="main",
        source="main.json",
        passed=not regressed,
        before_passed=1,
        before_total=2,
        after_passed=1,
        after_total=2,
        regressed=regressed,
    )
