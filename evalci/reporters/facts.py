"""What several reporters say in the same words: numbers, money, gates, means, recordings, and why a run failed."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from evalci.model import BaselineDiff, CaseResult, Change, GateOutcome, ProgramStats, Recordings, Report, Snapshot
from evalci.wording import count_of

TOLERANCE: Final = 1e-9
_SEEN_ABOVE: Final = re.compile(
    r"\b\d+ of \d+ cases? failed|\bcases? regressed against baseline|\bnew failing cases?\b"
)


def dollars(cost: float) -> str:
    """`$0.0123`; a cost too small for four decimals is not shown as nothing."""
    return "<$0.0001" if 0 < cost < 0.00005 else f"${cost:.4f}"


def gate_actual(gate: GateOutcome) -> str:
    """What the gate saw, with two decimals, or as many as it takes to be seen on its own side of the bound."""
    if gate.actual is None:
        return "not measured"
    actual = gate.actual
    decimals = next((n for n in range(2, 12) if _is_telling(f"{actual:.{n}f}", n, actual, gate)), 12)
    text = f"{actual:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def _is_telling(text: str, decimals: int, actual: float, gate: GateOutcome) -> bool:
    """Whether the rounded number is no false zero, and reads right beside the floor and the ceiling."""
    shown = float(text)
    if shown == 0 and abs(actual) > 1e-6:
        return False
    for bound, sign in ((gate.min, 1), (gate.max, -1)):
        if bound is None:
            continue
        if (actual - bound) * sign < -TOLERANCE:
            if text == f"{bound:.{decimals}f}":
                return False
        elif (shown - bound) * sign < -TOLERANCE:
            return False
    return True


@dataclass(frozen=True, kw_only=True, slots=True)
class Mean:
    """The mean of one scorer: over how many scores, and how many broke."""

    scorer: str
    value: float | None
    measured: int
    left_out: int
    is_graded: bool

    def __str__(self) -> str:
        if self.value is None:
            return f"mean_score({self.scorer}) not measured: {count_of(self.left_out, 'score')} broke"
        broke = f", {self.left_out} not measured" if self.left_out else ""
        return f"mean_score({self.scorer}) {self.value:.2f} over {self.measured}{broke}"


def means(report: Report) -> tuple[Mean, ...]:
    """The mean of every scorer that has one, or that broke. `is_graded` when its values are not just 0 and 1."""
    summary = report.summary
    measured: dict[str, int] = {}
    graded: set[str] = set()
    for result in report.results:
        for score in result.scores:
            if score.value is None:
                continue
            name = score.scorer
            measured[name] = measured.get(name, 0) + 1
            if score.value not in (0, 1) or score.passed is None:
                graded.add(name)
    return tuple(
        Mean(
            scorer=name,
            value=summary.mean_score.get(name),
            measured=measured.get(name, 0),
            left_out=summary.left_out.get(name, 0),
            is_graded=name in graded,
        )
        for name in dict.fromkeys([*summary.mean_score, *summary.left_out])
    )


def zeroes(report: Report) -> Iterator[tuple[CaseResult, str]]:
    """Cases that did not fail and yet have a score of 0.00 without a verdict, with the scorer's name."""
    for result in report.results:
        if result.status not in ("passed", "unjudged"):
            continue
        for score in result.scores:
            if score.passed is None and score.value == 0:
                yield result, score.scorer


def recordings_used(recordings: Recordings) -> str:
    """`40 replayed, 2 recorded, 1 missing`: nothing about what was zero; empty when all was."""
    named = (
        (recordings.hits, "replayed"),
        (recordings.recorded, "recorded"),
        (recordings.misses, "missing"),
        (recordings.stale, "unused"),
        (recordings.redacted, "with a secret redacted"),
    )
    return ", ".join(f"{count} {what}" for count, what in named if count)


def recordings_changed(report: Report) -> str:
    """`3 answers re-recorded, 2 now score lower`; empty when none was."""
    if not report.changed_recordings:
        return ""
    lower = lower_after_recording(report)
    worse = f", {len(lower)} now {'scores' if len(lower) == 1 else 'score'} lower" if lower else ""
    return f"{count_of(len(report.changed_recordings), 'answer')} re-recorded{worse}"


def lower_after_recording(report: Report) -> tuple[str, ...]:
    """Ids of the cases whose answer was recorded anew and that the baseline knows to have done better."""
    if report.baseline is None:
        return ()
    known = {change.case_id: change for change in all_changes(report.baseline)}
    changed = dict.fromkeys(recording.case_id for recording in report.changed_recordings)
    return tuple(case_id for case_id in changed if case_id in known and is_lower(known[case_id]))


def all_changes(diff: BaselineDiff) -> Iterator[Change]:
    yield from diff.regressed
    yield from diff.new_failing
    yield from diff.edited
    yield from diff.fixed
    yield from diff.accepted


def is_lower(change: Change) -> bool:
    """Passed before and does not now, or one of its scores fell."""
    if change.before is None or change.after is None:
        return False
    if (change.before.status == "passed") != (change.after.status == "passed"):
        return change.before.status == "passed"
    return any(after < before - TOLERANCE for _, before, after in score_moves(change.before, change.after))


def score_moves(before: Snapshot, after: Snapshot) -> Iterator[tuple[str, float, float]]:
    """Each scorer that measured both times, with both values."""
    for name, value in after.scores.items():
        old = before.scores.get(name)
        if value is not None and old is not None:
            yield name, old, value


def programs_ran(programs: ProgramStats) -> str:
    """`programs: 12 runs, 92% succeeded, 8% timed out`."""
    runs = count_of(programs.total_executions, "run")
    return f"programs: {runs}, {programs.success_rate:.0%} succeeded, {programs.timeout_rate:.0%} timed out"


def counted(counts: Mapping[str, int]) -> str:
    """`success 9, timeout 2`, the most frequent first."""
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def unseen_reasons(report: Report) -> tuple[str, ...]:
    """Why the run failed, without the reasons that a line on a case, a gate or the baseline already shows."""
    failed = [gate.gate for part in (report, *report.arms) for gate in part.gates if not gate.passed]
    return tuple(
        reason
        for reason in report.verdict.reasons
        if not _SEEN_ABOVE.search(reason) and not any(gate in reason for gate in failed)
    )


def in_short(report: Report) -> str:
    """`2 regressed, 1 gate not met`: what the verdict rests on, in a few words."""
    parts = [report, *report.arms]
    diffs = [part.baseline for part in parts if part.baseline is not None]
    total = report.summary
    if report.verdict.passed:
        better = sum(len(diff.fixed) for diff in diffs)
        calm = [f"{better} fixed"] if better else ["nothing got worse"] if diffs else []
        return ", ".join([f"{total.passed} of {total.total} cases pass", *calm])
    regressed = sum(len(diff.regressed) for diff in diffs)
    new = sum(len(diff.new_failing) for diff in diffs)
    missed = sum(not gate.passed for part in parts for gate in part.gates)
    found = [
        f"{regressed} regressed" if regressed else "",
        f"{new} newly failing" if new else "",
        f"{total.failed} of {count_of(total.total, 'case')} failing" if total.failed and not diffs else "",
        f"{count_of(missed, 'gate')} not met" if missed else "",
    ]
    return ", ".join(filter(None, found)) or f"{total.passed} of {total.total} cases pass"
