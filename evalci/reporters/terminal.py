"""The report as lines for people: every case, the totals, the gates; then, apart, the baseline and the verdict."""

from collections.abc import Iterator
from typing import Final

from evalci.model import BaselineDiff, CaseResult, Change, Comparison, GateOutcome, Report, Summary
from evalci.reporters import facts
from evalci.reporters.sanitise import sanitise
from evalci.reporters.style import Style
from evalci.wording import count_of, snippet

REASON_LENGTH: Final = 500
ATTENTION_SHOWN: Final = 20
INDENT: Final = "     "
_COLORS: Final = {
    "PASS": "32",
    "FIXED": "32",
    "PASSED": "1;32",
    "FAIL": "31",
    "REGRESSED": "31",
    "NEW FAIL": "31",
    "FAILED": "1;31",
    "NONE": "33",
    "EDITED": "33",
}


def render(report: Report, style: Style) -> str:
    """The body of the report: what a file gets. `verdict` says the rest."""
    lines = _matrix(report, style) if report.arms else _body(report, style)
    return "\n".join([*lines, ""])


def verdict(report: Report, style: Style) -> str:
    """What a run ends on: the baseline sections, reasons that no line above shows, and `PASSED` or `FAILED`."""
    lines: list[str] = []
    for part in (report, *report.arms):
        if part.baseline is not None:
            named = f" ({sanitise(part.suite.target)})" if report.arms else ""
            lines += ["", *_baseline_lines(part.baseline, style, named)]
    reasons = facts.unseen_reasons(report)
    if reasons:
        lines += ["", *(f"not passed: {_line(reason)}" for reason in reasons)]
    return "\n".join([*lines, "", _verdict_line(report, style), ""])


def baseline_section(diff: BaselineDiff, style: Style) -> str:
    """The run against its baseline: what regressed, failed anew, was edited, fixed or removed."""
    return "\n".join([*_baseline_lines(diff, style), ""])


def _paint(word: str, style: Style, text: str = "") -> str:
    return f"\x1b[{_COLORS[word]}m{text or word}\x1b[0m" if style.color else text or word


def _line(text: str) -> str:
    return sanitise(snippet(text, REASON_LENGTH))


# --- cases ----------------------------------------------------------------------------------------------------------


def _body(report: Report, style: Style) -> Iterator[str]:
    yield from _cases(report, style)
    yield _totals(report.summary)
    yield from (sanitise(str(mean)) for mean in facts.means(report) if mean.is_graded or mean.left_out)
    for gate in report.gates:
        yield from _gate(gate, style)
    if (found := report.classification) is not None:
        cases = count_of(found.labeled_cases, "labeled case")
        yield f"classification: accuracy {found.accuracy:.2f}, macro-F1 {found.macro_f1:.2f} over {cases}"
    if (programs := report.programs) is not None:
        yield facts.programs_ran(programs)
        if programs.reason_counts:
            yield INDENT + sanitise(facts.counted(programs.reason_counts))
    yield from _needs_attention(report)
    yield from _remarks(report)


def _cases(report: Report, style: Style) -> Iterator[str]:
    """One line a case, below it why it failed; then a blank line."""
    good, bad, none = (_paint(word, style) for word in ("PASS", "FAIL", "NONE"))
    printed = False
    for result in report.results:
        if result.status == "passed":
            if style.quiet:
                continue
            yield f"{good} {sanitise(result.case.id)} ({result.latency_ms}ms){_trials(result)}"
        elif result.status == "unjudged":
            yield f"{none} {sanitise(result.case.id)} ({result.latency_ms}ms){_trials(result)}{_values(result)}"
        else:
            yield f"{bad} {sanitise(result.case.id)}{_trials(result)}"
            yield from (INDENT + _line(reason) for reason in result.failures() or ("no scorer gave a reason",))
        if result.output is not None and result.output.notes:
            yield from (f"{INDENT}note: {_line(note)}" for note in result.output.notes)
        printed = True
    if printed or not report.results:
        yield "" if printed else "no cases"


def _trials(result: CaseResult) -> str:
    return f" [{result.passed_trials}/{len(result.trials)} trials]" if result.trials else ""


def _values(result: CaseResult) -> str:
    """The numbers of a case that got no verdict."""
    seen = [f"{sanitise(score.scorer)} {score.value:.2f}" for score in result.scores if score.value is not None]
    return f" no verdict: {', '.join(seen)}" if seen else " no verdict"


def _totals(summary: Summary) -> str:
    parts = [f"{summary.passed} passed, {summary.failed} failed, {summary.total} total"]
    for count, word in (
        (summary.errored, "errored"),
        (summary.skipped, "skipped"),
        (summary.unjudged, "without a verdict"),
        (summary.flaky, "flaky"),
    ):
        if count:
            parts.append(f"{count} {word}")
    if summary.tokens is not None:
        parts.append(f"{summary.tokens} tokens")
    if summary.cost_usd is not None:
        parts.append(facts.dollars(summary.cost_usd))
    return " · ".join(parts)


def _gate(gate: GateOutcome, style: Style) -> Iterator[str]:
    word = _paint("PASS" if gate.passed else "FAIL", style)
    yield f"GATE {word} {sanitise(gate.gate)} (actual {facts.gate_actual(gate)})"
    if gate.reason:
        yield INDENT + _line(gate.reason)


def _needs_attention(report: Report) -> Iterator[str]:
    found = list(facts.zeroes(report))
    if found:
        yield ""
        yield "needs attention: no verdict, but nothing right either"
        for result, scorer in found[:ATTENTION_SHOWN]:
            yield f"{INDENT}{sanitise(result.id)}: scored 0.00 on {sanitise(scorer)}"
        if len(found) > ATTENTION_SHOWN:
            yield f"{INDENT}and {len(found) - ATTENTION_SHOWN} more"


def _remarks(report: Report) -> Iterator[str]:
    """Recordings and notes: what explains the run without being a result of it."""
    lines = []
    if report.recordings is not None and (used := facts.recordings_used(report.recordings)):
        lines.append(f"recordings: {used}")
        if report.recordings.misses:
            lines.append(f"{INDENT}`evalci record` calls what is missing and records it")
    if changed := facts.recordings_changed(report):
        lines.append(f"recordings: {changed}")
    if report.suite.shard is not None:
        lines.append(f"shard {report.suite.shard} of the suite")
    if report.suite.filter is not None:
        lines.append(f"only the cases that match {sanitise(report.suite.filter)}, not the whole suite")
    if report.no_baseline is not None:
        lines.append(f"no baseline: {_line(report.no_baseline)}")
    lines += [f"note: {_line(note)}" for note in report.notes]
    if lines:
        yield ""
        yield from lines


# --- baseline and verdict -------------------------------------------------------------------------------------------


def _baseline_lines(diff: BaselineDiff, style: Style, named: str = "") -> Iterator[str]:
    before, after = f"{diff.before_passed}/{diff.before_total}", f"{diff.after_passed}/{diff.after_total}"
    yield f'baseline "{sanitise(diff.label)}"{named}: {before} passed -> current: {after} passed'
    if not diff.like_for_like:
        yield f"{INDENT}the scorers changed since: the two are not like for like"
    failing = {change.case_id for change in diff.new_failing}
    edited = {change.case_id for change in diff.edited}
    yield from _changes("REGRESSED", diff.regressed, style)
    yield from _changes("NEW FAIL", diff.new_failing, style, also=edited)
    yield from _changes("EDITED", [change for change in diff.edited if change.case_id not in failing], style)
    yield from _changes("FIXED", diff.fixed, style)
    yield from (f"REMOVED   {sanitise(change.case_id)}" for change in diff.removed)
    if diff.accepted:
        yield f"{INDENT}{count_of(len(diff.accepted), 'failure')} that the baseline already had"
    if diff.passed:
        yield f"baseline gate: {_paint('PASS', style, 'OK')} — no regressions"
    else:
        counts = f"{len(diff.regressed)} regressed, {len(diff.new_failing)} new failing"
        yield f"baseline gate: {_paint('FAIL', style)} ({counts})"


def _changes(
    word: str, changes: tuple[Change, ...] | list[Change], style: Style, also: set[str] | frozenset[str] = frozenset()
) -> Iterator[str]:
    """`NEW FAIL  <id>`; ids in `also` were edited."""
    label = _paint(word, style) + " " * (10 - len(word))
    for change in changes:
        yield f"{label}{sanitise(change.case_id)}{' (edited)' if change.case_id in also else ''}"


def _verdict_line(report: Report, style: Style) -> str:
    if report.verdict.passed:
        return _paint("PASSED", style)
    diffs = [part.baseline for part in (report, *report.arms) if part.baseline is not None]
    regressed = sum(len(diff.regressed) for diff in diffs)
    new = sum(len(diff.new_failing) for diff in diffs)
    worse = f" · {regressed} regressed, {new} new" if regressed or new else ""
    return _paint("FAILED", style) + worse


# --- matrix ---------------------------------------------------------------------------------------------------------


def _matrix(report: Report, style: Style) -> Iterator[str]:
    """Each arm in full, then all of them side by side."""
    for arm in report.arms:
        yield f"target {sanitise(arm.suite.target)}"
        yield from _body(arm, style)
        yield ""
    if report.comparison is not None:
        yield from _comparison(report.comparison)
    yield _totals(report.summary)
    yield from _remarks(report)


def _comparison(comparison: Comparison) -> Iterator[str]:
    """Mean scores, the winner, and last the case, since ids are as long as they like; then the wins."""
    names = [sanitise(arm.target) for arm in comparison.arms]
    widths = [max(4, len(name)) for name in names]
    winners = max(6, *map(len, names))
    header = "  ".join(name.rjust(width) for name, width in zip(names, widths, strict=True))
    yield f"  {header}  {'winner'.ljust(winners)}  case"
    for row in comparison.rows:
        cells = ["-" if mean is None else f"{mean:.2f}" for mean in row.means]
        figures = "  ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
        winner = "tie" if row.winner is None else sanitise(row.winner)
        yield f"  {figures}  {winner.ljust(winners)}  {sanitise(row.case_id)}"
    wins = ", ".join(f"{name} {arm.wins}" for name, arm in zip(names, comparison.arms, strict=True))
    yield f"wins: {wins} · {count_of(comparison.ties, 'tie')}"
    yield ""
