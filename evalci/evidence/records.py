"""From what calls left to records of them: pure, so that a stranger can make each one again from the raw answers."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from evalci.adapters.call import Called
from evalci.adapters.envelopes import (
    ExecutorAnswer,
    JudgeAnswer,
    Mode,
    Provenance,
    Refused,
    executor_request,
    judge_request,
    read_executor_answer,
    read_judge_answer,
)
from evalci.calls import digest
from evalci.evidence.assertions import Assertion
from evalci.evidence.attempts import Attempt
from evalci.evidence.oracles import OracleError, decide
from evalci.wording import seen

GradeStatus = Literal["passed", "failed", "incomplete"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """What all calls of a run share."""

    mode: Mode
    archive_sha256: str


@dataclass(slots=True)
class Ledger:
    """The request ids of a run, executor and judge together. Each may come once."""

    ids: list[str] = field(default_factory=list)

    def enter(self, provenance: Provenance) -> None:
        """Raises `Refused` for an id that was there before."""
        if provenance.request_id in self.ids:
            raise Refused(f"request_id {seen(provenance.request_id)} was given before: a replay proves nothing")
        self.ids.append(provenance.request_id)


@dataclass(frozen=True, kw_only=True, slots=True)
class Execution:
    """The record of an executor call, and the answer when it was accepted."""

    record: dict[str, Any]
    answer: ExecutorAnswer | None

    @property
    def text(self) -> str | None:
        """What oracles look at: the output, or the skill that was selected."""
        if self.answer is None:
            return None
        return self.answer.output if self.record["mode"] == "behavior" else self.answer.selected_skill


def execution_of(called: Called, attempt: Attempt, setting: Setting, ledger: Ledger) -> Execution:
    """What one executor call proves."""
    answer, error = None, called.trouble
    if error is None:
        try:
            answer = _executor_answer(called, attempt, setting)
            ledger.enter(answer.provenance)
        except Refused as exc:
            answer, error = None, str(exc)
    treated = attempt.condition == "treatment"
    record = {
        "accepted": answer is not None,
        "error": error,
        "trouble": called.trouble,
        "condition": attempt.condition,
        "mode": setting.mode,
        "request_hash": executor_request_hash(attempt, setting),
        "prompt_sha256": sha256(prompt_of(attempt).encode()),
        "archive_sha256": setting.archive_sha256 if treated else None,
        **_provenance(None if answer is None else answer.provenance),
        "loaded_plugin_sha256": answer.loaded_plugin_sha256 if answer else None,
        "clean_control": answer.clean_control if answer else None,
        "raw": f"{attempt.folder}/executor.stdout",
        "log": f"{attempt.folder}/executor.stderr",
    }
    if answer is not None:
        key = "output" if setting.mode == "behavior" else "selected_skill"
        record[key] = getattr(answer, key)
    return Execution(record=record, answer=answer)


def _executor_answer(called: Called, attempt: Attempt, setting: Setting) -> ExecutorAnswer:
    return read_executor_answer(
        called.stdout, condition=attempt.condition, mode=setting.mode, archive_sha256=setting.archive_sha256
    )


def judge_call(
    called: Called, request: Mapping[str, Any], place: str, ledger: Ledger
) -> tuple[dict[str, Any], JudgeAnswer | None]:
    """The record of one judge call, and the answer when it was accepted."""
    answer: JudgeAnswer | None = None
    error = called.trouble
    if error is None:
        try:
            answer = read_judge_answer(called.stdout)
            ledger.enter(answer.provenance)
        except Refused as exc:
            answer, error = None, str(exc)
    record = {
        "accepted": answer is not None,
        "error": error,
        "trouble": called.trouble,
        "status": answer.status if answer else None,
        "request_hash": digest(request),
        "assertion_payload": request["assertion"],
        **_provenance(None if answer is None else answer.provenance),
        "raw_json": f"{place}.stdout",
        "log": f"{place}.stderr",
    }
    return record, answer


def judge_grade(
    called: Called, attempt: Attempt, assertion: Assertion, request: Mapping[str, Any], place: str, ledger: Ledger
) -> dict[str, Any]:
    """The grade of one semantic assertion, with the record of the call that decided it."""
    record, answer = judge_call(called, request, place, ledger)
    status: GradeStatus = "incomplete" if answer is None else answer.status
    reason = f"the judge's answer was refused: {record['error']}" if answer is None else answer.reason
    return {**_grade(assertion, status, reason, "judge"), "judge_record": record}


def deterministic_grade(assertion: Assertion, answer: str | None) -> dict[str, Any]:
    """The grade of an assertion that the runner decides by itself."""
    status: GradeStatus
    try:
        why = decide(assertion.oracle, assertion.operands, answer)
        status, reason = ("passed", "") if why is None else ("failed", why)
    except OracleError as exc:
        status, reason = "incomplete", f"the oracle could not decide: {exc}"
    return {**_grade(assertion, status, reason, "runner"), "operands": dict(assertion.operands)}


def ungraded(assertion: Assertion) -> dict[str, Any]:
    """The grade of an assertion when there is no answer to hold against it."""
    return _grade(assertion, "incomplete", "there is no accepted answer to grade", "nobody")


def attempt_record(
    attempt: Attempt, execution: Execution, grades: Sequence[Mapping[str, Any]], hashes: Mapping[str, str]
) -> dict[str, Any]:
    """The final record of an attempt."""
    statuses = [grade["status"] for grade in grades]
    complete = execution.answer is not None and "incomplete" not in statuses and not disagreements(grades)
    return {
        "attempt": attempt.number,
        "case_id": attempt.question.case.id,
        "condition": attempt.condition,
        "run": attempt.run,
        "executor_result": execution.record,
        "all_grades": list(grades),
        "infrastructure_status": "complete" if complete else "incomplete",
        "evaluation_status": attempt_grade(statuses) if complete else "incomplete",
        "artifact_hashes": dict(hashes),
    }


def attempt_grade(statuses: Sequence[str]) -> GradeStatus:
    """Every assertion must hold: nothing that one grade says can lift another."""
    if "incomplete" in statuses or not statuses:
        return "incomplete"
    return "failed" if "failed" in statuses else "passed"


def disagreements(grades: Sequence[Mapping[str, Any]]) -> list[str]:
    """Where the record of a judge call and the grade made from it do not agree."""
    return [
        f"the judge record and the grade of assertion {seen(grade['id'])} do not agree: "
        f"{grade['judge_record']['status']} and {grade['status']}"
        for grade in grades
        if "judge_record" in grade and (grade["judge_record"]["status"] or "incomplete") != grade["status"]
    ]


def prompt_of(attempt: Attempt) -> str:
    """The prompt of an attempt's case."""
    return str(attempt.question.case.input)


def executor_request_hash(attempt: Attempt, setting: Setting) -> str:
    """SHA-256 of the request, with the archive's digest for its path, which is another in every call."""
    return digest(
        executor_request(
            condition=attempt.condition,
            mode=setting.mode,
            prompt=prompt_of(attempt),
            plugin_archive=f"sha256:{setting.archive_sha256}",
        )
    )


def judge_request_of(attempt: Attempt, assertion: Assertion, output: str) -> dict[str, Any]:
    """What the judge is asked about one assertion."""
    case = attempt.question.case
    return judge_request(case_id=case.id, prompt=prompt_of(attempt), output=output, assertion=assertion.about())


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _provenance(provenance: Provenance | None) -> dict[str, Any]:
    if provenance is None:
        return {"provider": None, "request_id": None, "token_usage": None, "cache_attestation": None}
    return {
        "provider": provenance.provider,
        "request_id": provenance.request_id,
        "token_usage": provenance.usage(),
        "cache_attestation": {"cache_hit": False},
    }


def _grade(assertion: Assertion, status: GradeStatus, reason: str, by: str) -> dict[str, Any]:
    about = {"id": assertion.id, "oracle": assertion.oracle, "severity": assertion.severity}
    return {**about, "status": status, "reason": reason, "decided_by": by}
