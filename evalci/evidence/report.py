"""The page about an evidence run, in Markdown: the verdict first, then why, then the figures."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from evalci.gates.bounds import telling
from evalci.wording import count_of, plain_number, printable, snippet

MOST_PARTED: Final = 50


def render(
    manifest: Mapping[str, Any], records: Sequence[Mapping[str, Any]], judged: Sequence[Mapping[str, Any]] = ()
) -> str:
    """The page; `judged` are the records of the calibration.

    Text from models is shown as text: it can form no link, mention or table.
    """
    return "\n".join(_lines(manifest, records, judged)) + "\n"


def _lines(
    manifest: Mapping[str, Any], records: Sequence[Mapping[str, Any]], judged: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    suite, verdict = manifest["suite"], manifest["verdict"]
    yield f"# Evidence: {_plain(suite['name'])}"
    yield ""
    yield f"**{heading(manifest)}** (exit {verdict['exit_code']})"
    yield ""
    yield from (f"- {_plain(reason)}" for reason in verdict["reasons"])
    yield from (f"- warning: {_plain(warning)}" for warning in manifest["warnings"])
    yield from ([""] if verdict["reasons"] or manifest["warnings"] else [])
    yield "| condition | attempts | passed | failed | incomplete |"
    yield "| --- | --- | --- | --- | --- |"
    for condition, counts in manifest["attempts"].items():
        row = (condition, sum(counts.values()), counts["passed"], counts["failed"], counts["incomplete"])
        yield f"| {' | '.join(map(str, row))} |"
    yield ""
    yield from comparison_lines(manifest["comparison"])
    yield from _failures(records)
    if "calibration" in manifest:
        yield from calibration_lines(manifest["calibration"])
        yield from _parted(judged)
    yield standing(manifest)


def heading(manifest: Mapping[str, Any]) -> str:
    """Incomplete, passed or failed, in one word."""
    if not manifest["complete"]:
        return "INCOMPLETE"
    return "PASSED" if manifest["verdict"]["passed"] else "FAILED"


def comparison_lines(found: Mapping[str, Any] | None) -> Iterator[str]:
    """Treatment against control in words and numbers."""
    if found is None:
        return
    interval = found["interval"]
    span = f", 95% interval {interval['low']:+.2f} to {interval['high']:+.2f}" if interval else ", no interval"
    yield (
        f"Treatment {found['treatment_pass_rate']:.2f} against control {found['control_pass_rate']:.2f} over "
        f"{count_of(found['cases'], 'case')}: difference {found['difference']:+.2f}{span}; "
        f"exact paired test p = {found['p_value']:.3f} ({found['better']} better, {found['worse']} worse)."
    )
    yield f"In words: {found['words']}."
    yield ""


def calibration_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """The judge against people in a table and in numbers."""
    table = found["table"]
    yield "## Calibration of the judge"
    yield ""
    yield f"| {count_of(found['answers'], 'answer')} | people: passed | people: failed |"
    yield "| --- | --- | --- |"
    yield f"| judge: passed | {table['both']} | {table['judge_only']} |"
    yield f"| judge: failed | {table['people_only']} | {table['neither']} |"
    yield ""
    if found["unmeasured"]:
        yield f"Not measured: {found['unmeasured']}, and so nothing here is evidence."
    if found["interval"] is not None:
        span = f"95% Wilson interval {found['interval']['low']:.2f} to {found['interval']['high']:.2f}"
        yield f"Accuracy {found['accuracy']:.2f} ({span}); {kappa_against_bar(found)}."
    yield ""


def kappa_against_bar(found: Mapping[str, Any]) -> str:
    """Cohen's kappa and what it had to be, with as many decimals as show on which side it lies."""
    bar = plain_number(found["min_kappa"])
    if found["kappa"] is None:
        return f"Cohen's kappa cannot be told, min_kappa {bar}"
    return f"Cohen's kappa {telling(found['kappa'], found['min_kappa'])}, min_kappa {bar}"


def standing(manifest: Mapping[str, Any]) -> str:
    """What the judge's word is worth."""
    judge, calibration = manifest["judge"], manifest.get("calibration")
    if not judge["grades"]:
        if not manifest["complete"]:
            return "The judge graded no attempt."
        return "No judge was needed: every assertion was decided by the runner."
    grades = count_of(judge["grades"], "grade")
    if calibration is None:
        return (
            f"{grades} came from a judge that nobody has calibrated against human labels: "
            "they are diagnostic, not release evidence."
        )
    if judge["standing"] == "release":
        return (
            f"{grades} came from a judge that met its calibration ({kappa_against_bar(calibration)}): "
            "its word decides, as the runner's does."
        )
    lack = f"did not meet its calibration ({kappa_against_bar(calibration)})"
    if calibration["unmeasured"]:
        lack = "was not measured on every answer of its calibration"
    return f"{grades} came from a judge that {lack}: they are diagnostic, not release evidence."


def _parted(judged: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Where the judge and people say different things."""
    parted = [record for record in judged if record["status"] not in ("incomplete", record["human_verdict"])]
    if not parted:
        return
    yield f"They part on {count_of(len(parted), 'answer')}:"
    yield ""
    for record in parted[:MOST_PARTED]:
        what = f"{_plain(record['case_id'])}, {_plain(record['assertion'])}"
        said = f"people say {record['human_verdict']}, the judge {record['status']}"
        yield f"- {what}: {said}: {_plain(record['reason'])}"
    if len(parted) > MOST_PARTED:
        yield f"- and {len(parted) - MOST_PARTED} more in `calibration/`"
    yield ""


def _failures(records: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    failed = [(record, grade) for record in records for grade in record["all_grades"] if grade["status"] == "failed"]
    if not failed:
        return
    yield "## Failed assertions"
    yield ""
    for record, grade in failed:
        where = f"{_plain(record['case_id'])}, {record['condition']}, run {record['run']}"
        what = f"{_plain(grade['id'])} ({_plain(grade['severity'])}, {grade['oracle']})"
        yield f"- {where}: {what}: {_plain(grade['reason'])}"
    yield ""


def _plain(text: str) -> str:
    """Text from elsewhere on one line, in a code span that it cannot leave."""
    shown = printable(snippet(text, 300))
    return f"`{shown.replace('`', chr(0x2019))}`" if any(char in shown for char in "<>[]()!@#*_|\\`&:/") else shown
