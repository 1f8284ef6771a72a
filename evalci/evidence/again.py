"""Records made again from the raw answers of an evidence folder, to be held against those that lie in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalci.adapters.call import Called
from evalci.adapters.strict import one_object
from evalci.evidence.answers import JudgedAnswer, read_answers
from evalci.evidence.attempts import Attempt
from evalci.evidence.calibration import ANSWERS, Calibrated, calibration_record
from evalci.evidence.folder import as_bytes
from evalci.evidence.records import (
    Ledger,
    Setting,
    attempt_record,
    deterministic_grade,
    execution_of,
    judge_grade,
    judge_request_of,
    sha256,
    ungraded,
)
from evalci.evidence.runner import judge_place


@dataclass(kw_only=True, slots=True)
class Again:
    """Makes the records of a folder again, in the order of the run: a request id may come once in all of it.

    `read` are the artifacts that a record rests on, the record among them.
    """

    place: Path
    setting: Setting
    ledger: Ledger = field(default_factory=Ledger)
    read: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)

    def calibration(self, stated: Mapping[str, Any]) -> Calibrated:
        """The calibration that a manifest states, from the answers that were kept and what the judge said of them."""
        self.read.add(ANSWERS)
        answers = read_answers((self.place / ANSWERS).read_bytes(), ANSWERS)
        return Calibrated(records=[self._answer(answer) for answer in answers], min_kappa=stated["min_kappa"])

    def attempt(self, attempt: Attempt) -> dict[str, Any]:
        """The record of an attempt. How a call ended is known from the record alone."""
        path = f"{attempt.folder}/record.json"
        stored, hashes = self._stored(path), dict[str, str]()
        called = self._called(f"{attempt.folder}/executor", stored["executor_result"]["trouble"], hashes)
        execution = execution_of(called, attempt, self.setting, self.ledger)
        grades = []
        for number, assertion in enumerate(attempt.question.assertions, start=1):
            if execution.answer is None:
                grades.append(ungraded(assertion))
            elif not assertion.is_semantic:
                grades.append(deterministic_grade(assertion, execution.text))
            else:
                judged = judge_place(attempt, number)
                trouble = stored["all_grades"][number - 1]["judge_record"]["trouble"]
                request = judge_request_of(attempt, assertion, execution.text or "")
                left = self._called(judged, trouble, hashes)
                grades.append(judge_grade(left, attempt, assertion, request, judged, self.ledger))
        record = attempt_record(attempt, execution, grades, hashes)
        self._hold(path, record, stored, _where(record, stored))
        return record

    def _answer(self, answer: JudgedAnswer) -> dict[str, Any]:
        path = f"{answer.place}.record.json"
        stored, hashes = self._stored(path), dict[str, str]()
        called = self._called(answer.place, stored["judge_record"]["trouble"], hashes)
        record = calibration_record(answer, called, self.ledger, hashes)
        self._hold(path, record, stored)
        return record

    def _stored(self, path: str) -> dict[str, Any]:
        self.read.add(path)
        return one_object((self.place / path).read_bytes())

    def _called(self, path: str, trouble: str | None, hashes: dict[str, str]) -> Called:
        out, err = ((self.place / f"{path}.{ending}").read_bytes() for ending in ("stdout", "stderr"))
        hashes[f"{path}.stdout"], hashes[f"{path}.stderr"] = sha256(out), sha256(err)
        self.read.update((f"{path}.stdout", f"{path}.stderr"))
        return Called(stdout=out, stderr=err.decode("utf-8", "replace"), trouble=trouble)

    def _hold(self, path: str, record: Mapping[str, Any], stored: Mapping[str, Any], where: str = "") -> None:
        if as_bytes(record) != as_bytes(stored):
            self.problems.append(f"{path}: is not what comes of the raw answers{where}")


def _where(record: Mapping[str, Any], stored: Mapping[str, Any]) -> str:
    """Which part of a record does not agree, in words."""
    grades = zip(record["all_grades"], stored.get("all_grades", ()), strict=False)
    for made, kept in grades:
        if made["status"] != kept.get("status"):
            return f": its record and the grade of assertion {made['id']} do not agree"
    return ""
