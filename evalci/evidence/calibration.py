"""How far the judge agrees with people, and whether that is enough for its word to decide. Pure.

A calibration that is stated and not met fails the run: what a judge says may let nobody pass that people would not.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from evalci.adapters.call import Called
from evalci.evidence.answers import JudgedAnswer
from evalci.evidence.records import Ledger, judge_call
from evalci.gates.bounds import at_least, telling
from evalci.summary.agreement import CONFIDENCE, Agreement, Labelled, agreement
from evalci.wording import count_of, plain_number, quoted

ANSWERS: Final = "calibration/answers.jsonl"
Standing = Literal["release", "diagnostic", "not used"]
_VALUES: Final = {"passed": 1.0, "failed": 0.0}
_BETWEEN: Final = 0.5


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibration:
    """What the judge is measured by before the first attempt: the answers, the bytes they came from, and the bar."""

    answers: tuple[JudgedAnswer, ...]
    data: bytes
    min_kappa: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibrated:
    """What a calibration found: the record of each answer, and the bar."""

    records: Sequence[Mapping[str, Any]]
    min_kappa: float

    @property
    def table(self) -> Agreement:
        """The judge against people, over the answers on which it gave a verdict."""
        return agreement(
            [
                Labelled(
                    case_id=record["case_id"],
                    human=record["human_verdict"] == "passed",
                    value=_VALUES.get(record["status"]),
                )
                for record in self.records
            ],
            _BETWEEN,
        )

    @property
    def unmeasured(self) -> int:
        """How many answers the judge gave no verdict on."""
        return len(self.records) - self.table.total

    @property
    def met(self) -> bool:
        """Does kappa reach the bar, with every answer measured?"""
        return not self.unmeasured and at_least("calibration", self.min_kappa, self.table.kappa).passed

    def plain(self) -> dict[str, Any]:
        """What the manifest says of it."""
        table, interval = self.table, self.table.interval()
        # A logarithm is in the interval, and its last digit is not the same on every machine.
        ends = None if interval is None else [round(end, 9) for end in interval]
        return {
            "answers": len(self.records),
            "unmeasured": self.unmeasured,
            "table": {
                "both": table.both,
                "judge_only": table.scorer_only,
                "people_only": table.people_only,
                "neither": table.neither,
            },
            "accuracy": table.accuracy,
            "interval": None if ends is None else {"level": CONFIDENCE, "low": ends[0], "high": ends[1]},
            "kappa": table.kappa,
            "min_kappa": self.min_kappa,
            "met": self.met,
        }


def calibration_record(
    answer: JudgedAnswer, called: Called, ledger: Ledger, hashes: Mapping[str, str]
) -> dict[str, Any]:
    """The record of one answer: what people said, and the judge's call with its verdict."""
    record, said = judge_call(called, answer.request(), answer.place, ledger)
    return {
        "answer": answer.number,
        "case_id": answer.case_id,
        "assertion": answer.assertion.id,
        "human_verdict": "passed" if answer.passed else "failed",
        "status": said.status if said else "incomplete",
        "reason": said.reason if said else f"the judge's answer was refused: {record['error']}",
        "judge_record": record,
        "artifact_hashes": dict(hashes),
    }


def unmeasured(calibrated: Calibrated | None) -> Iterator[str]:
    """Every reason why the calibration proves nothing, in the order of its answers."""
    for record in calibrated.records if calibrated else ():
        if record["status"] == "incomplete":
            where = f"calibration {record['answer']:04d} (case {quoted(record['case_id'])})"
            yield f"{where}: judge, assertion {quoted(record['assertion'])}: {record['judge_record']['error']}"


def shortfall(calibrated: Calibrated | None) -> str | None:
    """Why a judge that was measured may not decide, and what to do; None when it may, or nobody asked."""
    if calibrated is None or calibrated.met:
        return None
    kappa, bar = calibrated.table.kappa, plain_number(calibrated.min_kappa)
    seen = "that cannot be told" if kappa is None else f"of {telling(kappa, calibrated.min_kappa)}"
    return (
        f"the judge did not meet its calibration, with a Cohen's kappa {seen} over "
        f"{count_of(len(calibrated.records), 'answer')} where at least {bar} is asked for; "
        "change its model, parameters or adapter until it agrees with people, and run again"
    )


def standing(calibrated: Calibrated | None, grades: int) -> Standing:
    """What the judge's word is worth in a run with so many grades of it."""
    if not grades:
        return "not used"
    return "release" if calibrated is not None and calibrated.met else "diagnostic"
