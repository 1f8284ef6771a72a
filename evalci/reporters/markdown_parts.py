"""The paragraphs of the Markdown report, each a list of lines, each as long as a given `Detail` allows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from evalci.model import BaselineDiff, CaseResult, Change, GateOutcome, Report, Snapshot
from evalci.reporters import facts
from evalci.reporters.inert import block, code, diff_block, html_code
from evalci.wording import count_of, snippet

# So few cases are shown with their texts unfolded.
OPEN: Final = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Detail:
    """How much is told: cases with their texts folded away, cases on a line, ids in a row, characters of each text.

    `has_texts` is false where nothing that a model or a server said may be shown.
    """

    folds: int
    rows: int
    ids: int
    text: int
    reason: int
    has_texts: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """One case that a reader should look at: before and after where known, and why it fails now."""

    case_id: str
    moves: str = ""
    reasons: tuple[str, ...] = ()
    where: str = ""
    before: str | None = None
    after: str | None = None


# --- cases ----------------------------------------------------------------------------------------------------------


def changed_items(changes: Iterable[Change], results: dict[str, CaseResult]) -> Iterator[Item]:
    """What the baseline knew beside what the run made of it."""
    for change in changes:
        result = results.get(change.case_id)
        yield Item(
            case_id=change.case_id,
            moves=_moves(change.before, change.after),
            reasons=_reasons(result),
            where=_where(result),
            before=None if change.before is None else change.before.text,
            after=None if change.after is None else change.after.text,
        )


def failing_items(results: Iterable[CaseResult]) -> Iterator[Item]:
    """Failing cases of a run that has no baseline."""
    for result in results:
        if _is_failing(result):
            moves = _figures({score.scorer: score.value for score in result.scores})
            text = None if result.output is None else result.output.text
            yield Item(case_id=result.id, moves=moves, reasons=_reasons(result), where=_where(result), after=text)


def _is_failing(result: CaseResult) -> bool:
    return result.status not in ("passed", "unjudged")


def _reasons(result: CaseResult | None) -> tuple[str, ...]:
    if result is None:
        return ()
    notes = () if result.output is None else tuple(f"note: {note}" for note in result.output.notes)
    return result.failures() + notes


def _where(result: CaseResult | None) -> str:
    if result is None or result.case.source is None:
        return ""
    return f"{result.case.source.file}:{result.case.source.line}"


def _moves(before: Snapshot | None, after: Snapshot | None) -> str:
    """`judge 0.90 → 0.40, tone 0.80`: the scores that moved, or all of them where there is nothing to compare."""
    if after is None:
        return ""
    if before is None:
        return _figures(after.scores)
    moved = [
        f"{name} {_value(old)} → {_value(new)}"
        for name, new in after.scores.items()
        if (old := before.scores.get(name, new)) != new
    ]
    status = [] if moved or before.status == after.status else [f"{before.status} → {after.status}"]
    return ", ".join([*moved, *status])


def _figures(scores: Mapping[str, float | None]) -> str:
    return ", ".join(f"{name} {_value(value)}" for name, value in scores.items())


def _value(value: float | None) -> str:
    return "broke" if value is None else f"{value:.2f}"


def section(title: str, count: int, items: Iterator[Item], detail: Detail) -> list[str]:
    """A heading and the cases below it: first with texts folded away, then a line each, then how many more."""
    if not count:
        return []
    lines = ["", f"#### {title} ({count})", ""]
    folds = detail.folds if detail.has_texts else 0
    for item in islice(items, folds):
        lines += _fold(item, detail, " open" if count <= OPEN else "")
    lines += ["", *(_row(item, detail) for item in islice(items, detail.rows))]
    more = count - folds - detail.rows
    if more > 0:
        lines += ["", f"… and {more} more in the full report" if folds + detail.rows else "Listed in the full report."]
    return lines


def _fold(item: Item, detail: Detail, opened: str) -> list[str]:
    """What a reader sees at once, and the texts behind it. Several reasons stand behind it too."""
    room = detail.reason if len(item.reasons) == 1 else detail.reason // 2
    why = f" — {html_code(snippet(item.reasons[0], room))}" if item.reasons else ""
    moves = f" {html_code(snippet(item.moves, detail.reason))}" if item.moves else ""
    lines = [f"<details{opened}><summary>❌ <b>{html_code(_name(item))}</b>{moves}{why}</summary>", ""]
    if item.where:
        lines += [f"At {code(snippet(item.where))}", ""]
    if len(item.reasons) > 1:
        lines += [f"- {code(snippet(reason, detail.reason))}" for reason in item.reasons[:10]]
    lines += ["", *_texts(item.before, item.after, detail), "", "</details>"]
    return lines


def _texts(before: str | None, after: str | None, detail: Detail) -> list[str]:
    if before is not None and after is not None:
        if before == after:
            return ["The answer is the same as before:", "", block(snippet(after, detail.text))]
        return [diff_block(snippet(before, detail.text), snippet(after, detail.text))]
    if after is not None:
        return [block(snippet(after, detail.text))]
    return ["There is no answer to show."]


def _row(item: Item, detail: Detail) -> str:
    parts = [f"- {code(_name(item))}"]
    if item.moves:
        parts.append(code(snippet(item.moves, detail.reason)))
    if item.reasons and detail.has_texts:
        parts.append(code(snippet(item.reasons[0], detail.reason)))
    if item.where and not detail.has_texts:
        parts.append(code(snippet(item.where)))
    return " · ".join(parts)


def _name(item: Item) -> str:
    return snippet(item.case_id, 100)


def ids(title: str, case_ids: Sequence[str], detail: Detail) -> list[str]:
    """`**Fixed (2):** a, b`, on one line."""
    if not case_ids:
        return []
    if not detail.ids:
        return [f"- **{title}:** {len(case_ids)}"]
    shown = ", ".join(code(snippet(case_id, 100)) for case_id in case_ids[: detail.ids])
    more = len(case_ids) - detail.ids
    return [f"- **{title} ({len(case_ids)}):** {shown}" + (f" and {more} more" if more > 0 else "")]


# --- the run against its baseline -----------------------------------------------------------------------------------


def cases(report: Report, detail: Detail) -> list[str]:
    """The cases that made it fail, then, on a line each, what else changed."""
    diff = report.baseline
    if diff is None:
        failing = sum(map(_is_failing, report.results))
        return section("Failing", failing, failing_items(report.results), detail)
    results = {result.id: result for result in report.results}
    lines = section("Regressed", len(diff.regressed), changed_items(diff.regressed, results), detail)
    lines += section("Newly failing", len(diff.new_failing), changed_items(diff.new_failing, results), detail)
    rest = [
        *ids("Fixed", [change.case_id for change in diff.fixed], detail),
        *ids("Edited since the baseline", [change.case_id for change in diff.edited], detail),
        *ids("Removed", [change.case_id for change in diff.removed], detail),
        *ids("Failing as in the baseline", [change.case_id for change in diff.accepted], detail),
    ]
    return [*lines, "", "#### Other cases", "", *rest] if rest else lines


def baseline_line(diff: BaselineDiff) -> str:
    """Where the baseline came from."""
    source = f", from {code(snippet(diff.source))}" if diff.source else ""
    return f"Compared with baseline {code(snippet(diff.label, 100))}{source}."


# --- gates and measures ---------------------------------------------------------------------------------------------


def gates(report: Report, detail: Detail) -> list[str]:
    """Every gate, the failed ones first."""
    if not report.gates:
        return []
    ordered = sorted(report.gates, key=lambda gate: gate.passed)
    shown = max(5, detail.rows)
    lines = ["", "#### Gates", "", *(_gate(gate, detail) for gate in ordered[:shown])]
    return [*lines, f"- … and {len(ordered) - shown} more"] if len(ordered) > shown else lines


def _gate(gate: GateOutcome, detail: Detail) -> str:
    mark = "✅" if gate.passed else "❌"
    reason = f" — {code(snippet(gate.reason, detail.reason))}" if gate.reason else ""
    return f"- {mark} {code(snippet(gate.gate, 100))}: {code(facts.gate_actual(gate))}{reason}"


def measures(report: Report, detail: Detail) -> list[str]:
    """Means that counts do not tell, classification, programs, and what needs attention."""
    lines = [f"- {code(snippet(str(mean)))}" for mean in facts.means(report) if mean.is_graded or mean.left_out]
    lines = lines[: max(5, detail.ids)]
    if (found := report.classification) is not None:
        labeled = count_of(found.labeled_cases, "labeled case")
        lines.append(f"- accuracy {found.accuracy:.2f}, macro-F1 {found.macro_f1:.2f} over {labeled}")
    if (programs := report.programs) is not None:
        counts = f": {code(snippet(facts.counted(programs.reason_counts)))}" if programs.reason_counts else ""
        lines.append(f"- {facts.programs_ran(programs)}{counts}")
    zeroes = list(dict.fromkeys(result.id for result, _ in facts.zeroes(report)))
    lines += ids("Needs attention: scored 0.00 without a verdict", zeroes, detail)
    return ["", "#### Measured", "", *lines] if lines else []


def recordings(report: Report, detail: Detail) -> list[str]:
    """`3 answers re-recorded, 2 now score lower, 1 unused, 0 secrets`, with before and after folded away."""
    changed = report.changed_recordings
    if not changed:
        return []
    lower = facts.lower_after_recording(report)
    line = [facts.recordings_changed(report)]
    if report.recordings is not None:
        secrets = count_of(report.recordings.redacted, "secret")
        line += [f"{report.recordings.stale} unused", f"{secrets} redacted"]
    lines = ["", "#### Recordings", "", ", ".join(line)]
    if not detail.has_texts or not detail.folds:
        return lines
    lines += ["", "<details><summary>Before and after</summary>", ""]
    ordered = sorted(changed, key=lambda recording: recording.case_id not in lower)
    for recording in ordered[: detail.folds]:
        remark = " now scores lower" if recording.case_id in lower else ""
        texts = diff_block(snippet(recording.before, detail.text), snippet(recording.after, detail.text))
        lines += [f"{code(snippet(recording.case_id, 100))}{remark}", "", texts, ""]
    if len(ordered) > detail.folds:
        lines += [f"… and {len(ordered) - detail.folds} more", ""]
    return [*lines, "</details>"]


def arms(report: Report, detail: Detail) -> list[str]:
    """A matrix side by side, as a table of raw HTML: a target's name cannot break out of its cell."""
    wins = {arm.target: arm.wins for arm in report.comparison.arms} if report.comparison else {}
    lines = ["", "<table>", "<tr><th></th><th>target</th><th>passed</th><th>won</th><th>tokens</th><th>cost</th></tr>"]
    for arm in report.arms[: max(10, detail.rows)]:
        total = arm.summary
        cells = (
            "✅" if arm.verdict.passed else "❌",
            html_code(snippet(arm.suite.target, 100)),
            f"{total.passed} of {total.total}",
            wins.get(arm.suite.target, ""),
            "" if total.tokens is None else f"{total.tokens:,}",
            "" if total.cost_usd is None else facts.dollars(total.cost_usd).replace("<", "&lt;"),
        )
        lines.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    more = len(report.arms) - max(10, detail.rows)
    return [*lines, "</table>", *(["", f"… and {more} more targets"] if more > 0 else [])]
