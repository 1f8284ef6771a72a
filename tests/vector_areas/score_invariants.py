"""What a score built in Python may be, and what scores add up to, as the golden rows have it."""

from typing import Any

import pytest

from evalci import Score
from evalci.gates.verdict import decide, measured_mean
from evalci.model import Case, CaseResult, Output, Report, SuiteInfo
from evalci.reporters import Style, render
from evalci.reporters.facts import zeroes
from evalci.summary.summarize import summarize
from evalci.summary.trials import single

STATES = {"unjudged": "scored", "passed": "pass", "failed": "fail"}


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    if "score" in given:
        _score(given["score"], want)
    elif want.get("valid") is False:
        _twice(given, want)
    else:
        _sums([_result(number, entry) for number, entry in enumerate(given["results"])], want)


def _score(fields: dict[str, Any], want: dict[str, Any]) -> None:
    values = {key: float("nan") if value == "NaN" else value for key, value in fields.items()}
    if want["valid"]:
        assert Score(**values).passed is values.get("passed")
        return
    with pytest.raises((ValueError, TypeError)) as caught:
        Score(**values)
    assert all(part in str(caught.value) for part in want.get("error_contains", []))


def _twice(given: dict[str, Any], want: dict[str, Any]) -> None:
    """An execution cannot appear twice: trials are numbered by the engine, and ids are refused where cases are read."""
    from evalci.python.cases import numbered

    ids = [{"id": entry["case_id"]} for entry in given["results"]]
    with pytest.raises(ValueError, match="duplicate case ids: q7"):
        numbered("qa", ids)


def _result(number: int, entry: dict[str, Any]) -> CaseResult:
    case = Case(id=str(number))
    if "error" in entry:
        return single(case, error=entry["error"])
    scores = tuple(Score(scorer_name="s", **fields).as_result() for fields in entry["scores"])
    return single(case, output=Output(text=""), scores=scores, scorer_errors="exclude")


def _sums(results: list[CaseResult], want: dict[str, Any]) -> None:
    summary = summarize(results)
    verdict = decide(results=results)
    if "mean" in want:
        assert measured_mean(results) == want["mean"]
        assert sum(summary.left_out.values()) == want["errored_scores"]
    if want.get("run_fails"):
        assert not verdict.passed
    if "passed" in want:
        assert summary.passed == want["passed"]
        assert summary.total - summary.unjudged == want["judged"]
    if "states" in want:
        assert [_state(result) for result in results] == want["states"]
    if "needs_attention" in want:
        assert [f"scored {0:.2f}" for _ in zeroes(_report(results))] == want["needs_attention"]
        assert verdict.exit_code == want["exit_code_without_threshold"]
        text = render("terminal", _report(results), Style())
        assert ("scored 0.00" in text) == bool(want["needs_attention"])


def _state(result: CaseResult) -> str:
    if result.status == "errored":
        return "error" if result.error is not None else "unmeasured"
    return STATES[result.status]


def _report(results: list[CaseResult]) -> Report:
    return Report(
        suite=SuiteInfo(config="qa_eval.py", target="qa", cache="replay", cases=len(results)),
        verdict=decide(results=results),
        summary=summarize(results),
        results=tuple(results),
    )
