"""What the attempts of a run come to: counts, tokens, the comparison, and whether it may count as evidence."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evalci.adapters.envelopes import Mode
from evalci.errors import EXIT_FAILED, EXIT_INCOMPLETE, EXIT_PASSED
from evalci.evidence.calibration import Calibrated, shortfall, standing, unmeasured
from evalci.evidence.records import disagreements
from evalci.evidence.statistics import compare
from evalci.wording import count_of, quoted

Record = Mapping[str, Any]


def summary_of(records: Sequence[Record], mode: Mode, calibrated: Calibrated | None = None) -> dict[str, Any]:
    """Everything that a manifest says about a run beyond its inputs and its files."""
    reasons = (*unmeasured(calibrated), *incompleteness(records))
    conditions = {
        condition: {status: sum(r["evaluation_status"] == status for r in own) for status in _STATUSES}
        for condition in ("control", "treatment")
        if (own := [record for record in records if record["condition"] == condition])
    }
    return {
        "complete": not reasons,
        "incomplete_because": list(reasons),
        "verdict": verdict_of(records, reasons, calibrated),
        "attempts": conditions,
        "failed_assertions": _failed(records),
        "accounting": accounting(records, calibrated),
        "comparison": _comparison(records) if mode == "behavior" and not reasons else None,
        "judge": _judge(records, calibrated),
        **({} if calibrated is None else {"calibration": calibrated.plain()}),
    }


_STATUSES = ("passed", "failed", "incomplete")


def incompleteness(records: Sequence[Record]) -> Iterator[str]:
    """Every reason why the run proves nothing, in the order of its attempts."""
    if not records:
        yield "no attempt was made"
    for record in records:
        where = f"attempt {record['attempt']:04d} (case {quoted(record['case_id'])}, {record['condition']})"
        if record["executor_result"]["error"] is not None:
            yield f"{where}: executor: {record['executor_result']['error']}"
            continue
        for grade in record["all_grades"]:
            if grade["status"] == "incomplete":
                who = "judge" if "judge_record" in grade else "oracle"
                why = grade["judge_record"]["error"] if "judge_record" in grade else grade["reason"]
                yield f"{where}: {who}, assertion {quoted(grade['id'])}: {why}"
        yield from (f"{where}: {what}" for what in disagreements(record["all_grades"]))


def verdict_of(
    records: Sequence[Record], incomplete: Sequence[str], calibrated: Calibrated | None = None
) -> dict[str, Any]:
    """Incomplete is 3; else every attempt under treatment must have passed, and a calibration that is stated be met.

    Controls are there to compare with.
    """
    if incomplete:
        return {
            "passed": False,
            "exit_code": EXIT_INCOMPLETE,
            "reasons": [f"the evidence is incomplete: {why}" for why in incomplete],
        }
    treated = [record for record in records if record["condition"] == "treatment"]
    failed = [record for record in treated if record["evaluation_status"] != "passed"]
    missed = shortfall(calibrated)
    reasons = [missed] if missed else []
    if failed or not treated:
        reasons.append(f"{len(failed)} of {count_of(len(treated), 'attempt')} under treatment failed")
    return {"passed": not reasons, "exit_code": EXIT_FAILED if reasons else EXIT_PASSED, "reasons": reasons}


def request_ids(records: Sequence[Record], calibrated: Calibrated | None = None) -> list[str]:
    """The ids of all accepted calls, in order: the calibration comes first."""
    calls = [*_calibration_calls(calibrated), *(call for record in records for call in _calls(record))]
    return [call["request_id"] for call in calls if call["request_id"] is not None]


def accounting(records: Sequence[Record], calibrated: Calibrated | None = None) -> dict[str, Any]:
    """Calls and tokens of executor and judge. Usage that was not said is counted as missing, and adds no tokens."""
    executor = [record["executor_result"] for record in records]
    judge = [call for record in records for call in _calls(record)[1:]]
    own = {} if calibrated is None else {"calibration": _account(_calibration_calls(calibrated))}
    return {"executor": _account(executor), "judge": _account(judge), **own}


def _account(calls: Sequence[Record]) -> dict[str, Any]:
    usages = [call["token_usage"] for call in calls if call["token_usage"] is not None]
    told = [usage for usage in usages if "input_tokens" in usage]
    return {
        "calls": len(calls),
        "accepted": sum(call["accepted"] for call in calls),
        "usage_missing": len(usages) - len(told),
        "input_tokens": sum(usage["input_tokens"] for usage in told) if told else None,
        "output_tokens": sum(usage["output_tokens"] for usage in told) if told else None,
        "providers": sorted({call["provider"] for call in calls if call["provider"] is not None}),
    }


def _calls(record: Record) -> list[Record]:
    judged = [grade["judge_record"] for grade in record["all_grades"] if "judge_record" in grade]
    return [record["executor_result"], *judged]


def _calibration_calls(calibrated: Calibrated | None) -> list[Record]:
    return [] if calibrated is None else [record["judge_record"] for record in calibrated.records]


def _failed(records: Sequence[Record]) -> dict[str, dict[str, int]]:
    """How many assertions failed, by condition and severity."""
    counts: dict[str, Counter[str]] = {}
    for record in records:
        for grade in record["all_grades"]:
            if grade["status"] == "failed":
                counts.setdefault(record["condition"], Counter())[grade["severity"]] += 1
    return {condition: dict(sorted(by.items())) for condition, by in sorted(counts.items())}


def _comparison(records: Sequence[Record]) -> dict[str, Any] | None:
    """Treatment against control over the cases, each as the part of its runs that passed."""
    runs: dict[str, dict[str, list[bool]]] = {}
    for record in sorted(records, key=lambda record: str(record["case_id"])):
        own = runs.setdefault(record["case_id"], {"control": [], "treatment": []})
        own[record["condition"]].append(record["evaluation_status"] == "passed")
    pairs = [
        (sum(own["control"]) / len(own["control"]), sum(own["treatment"]) / len(own["treatment"]))
        for own in runs.values()
        if own["control"] and own["treatment"]
    ]
    found = compare(pairs)
    return None if found is None else found.plain()


def _judge(records: Sequence[Record], calibrated: Calibrated | None) -> dict[str, Any]:
    """What the judge's word is worth here: it is diagnostic until a calibration says otherwise."""
    decided = sum("judge_record" in grade for record in records for grade in record["all_grades"])
    met = calibrated is not None and calibrated.met
    return {"grades": decided, "calibrated": met, "standing": standing(calibrated, decided)}
