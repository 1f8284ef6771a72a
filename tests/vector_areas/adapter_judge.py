"""Judge replies as the golden rows have them, through the records that keep them."""

from typing import Any

from evalci.evidence.assertions import Assertion, semantic
from evalci.evidence.records import Ledger, attempt_grade, disagreements, judge_grade, judge_request_of
from evalci.evidence.summary import verdict_of
from tests.vector_areas.adapter_executor import attempt_of, called_with


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    if "judge_calls" in want:
        assertions = tuple(Assertion(id=each["id"], oracle=each["oracle"]) for each in given["assertions"])
        assert len(semantic(assertions)) == want["judge_calls"]
    elif "stdin_object" in want:
        _check_request(given, want)
    elif "judge_record_status" in given:
        _check_agreement(given, want)
    elif "retained" in want:
        assert set(want["retained"]) <= set(_grade({"response": {}})["judge_record"])
    elif "incomplete_calls" in given:
        verdict = verdict_of([], ["one call was incomplete"])
        assert (verdict["exit_code"] != 0, verdict["passed"]) == (want["exit_code_nonzero"], want["passing_evidence"])
    else:
        _check_reply(given, want)


def _grade(given: dict[str, Any]) -> dict[str, Any]:
    assertion = Assertion(id="hypothesis-status", description="d", oracle="llm_judge")
    attempt = attempt_of()
    request = judge_request_of(attempt, assertion, "O")
    ledger = Ledger(ids=list(given.get("seen_request_ids", ())))
    return judge_grade(called_with(given), attempt, assertion, request, "attempts/0001/judge-01", ledger)


def _check_reply(given: dict[str, Any], want: dict[str, Any]) -> None:
    grade = _grade(given)
    record = grade["judge_record"]
    assert record["accepted"] == want["accepted"], record["error"]
    assert grade["status"] == want["assertion_status"]
    assert (grade["status"] == "incomplete") == (want["run_status"] == "incomplete")
    assert all(text in (record["error"] or "") for text in want.get("error_mentions", ()))
    assert disagreements([grade]) == []
    if "attempt_grade" in want:
        statuses = [each["status"] for each in given["deterministic_grades"]]
        assert attempt_grade([*statuses, grade["status"]]) == want["attempt_grade"]


def _check_request(given: dict[str, Any], want: dict[str, Any]) -> None:
    from evalci.adapters.envelopes import judge_request

    request = judge_request(
        case_id=given["case_id"], prompt=given["prompt"], output=given["output"], assertion=given["assertion"]
    )
    assert request == want["stdin_object"]


def _check_agreement(given: dict[str, Any], want: dict[str, Any]) -> None:
    grade = {
        "id": "a",
        "status": given["final_grade_status"],
        "judge_record": {"status": given["judge_record_status"]},
    }
    (problem,) = disagreements([grade])
    assert all(text in problem for text in want["error_mentions"])
