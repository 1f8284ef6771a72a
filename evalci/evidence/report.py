"""The page about an evidence run, in Markdown: the verdict first, then why, then the figures."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evalci.wording import count_of, printable, snippet


def render(manifest: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> str:
    """The page. Text from models is shown as text: it can form no link, mention or table."""
    return "\n".join(_lines(manifest, records)) + "\n"


def _lines(manifest: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> Iterator[str]:
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
    yield standing(manifest["judge"])


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


def standing(judge: Mapping[str, Any]) -> str:
    """What the judge's word is worth."""
    if not judge["grades"]:
        return "No judge was needed: every assertion was decided by the runner."
    return (
        f"{count_of(judge['grades'], 'grade')} came from a judge that nobody has calibrated against human labels: "
        "they are diagnostic, not release evidence."
    )


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
