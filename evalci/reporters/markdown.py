"""The body of a pull request comment: the verdict first, then what changed and why, then how to act on it.

A comment may have 65,536 characters, so there are several lengths of it: whole, the failures, the counts.
"""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal
from urllib.parse import quote

from evalci.errors import EXIT_INCOMPLETE, EXIT_INTERRUPTED
from evalci.model import Report
from evalci.reporters import facts, markdown_parts
from evalci.reporters.inert import code, fenced
from evalci.reporters.markdown_parts import Detail
from evalci.reporters.style import PLAIN, Style
from evalci.wording import snippet

MAX_BYTES: Final = 65_000
URL_SAFE: Final = ":/?#[]@!$&'()*+,;=%"
TIERS: Final = (
    Detail(folds=40, rows=60, ids=30, text=1000, reason=300),
    Detail(folds=15, rows=60, ids=20, text=300, reason=200),
    Detail(folds=0, rows=100, ids=10, text=0, reason=120),
    Detail(folds=0, rows=15, ids=5, text=0, reason=80),
    Detail(folds=0, rows=0, ids=0, text=0, reason=80),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """What whoever posts the report knows besides it.

    `texts` hidden keeps out all that a model or a server said. `command` reproduces the run, where the report's own
    guess would not. `accepted_by` says what accepted a drop. `links` are addresses of ours by their titles.
    """

    texts: Literal["shown", "hidden"] = "shown"
    command: str | None = None
    accept_label: str = "evalci: accept"
    accepted_by: str | None = None
    links: Mapping[str, str] = field(default_factory=dict)
    max_bytes: int = MAX_BYTES


def render(report: Report, style: Style = PLAIN, options: Options = Options()) -> str:
    """The longest text that keeps within `max_bytes`."""
    return next(bodies(report, options))


def bodies(report: Report, options: Options = Options()) -> Iterator[str]:
    """Texts of decreasing size, none over `max_bytes`; the first line of each makes sense alone.

    The last is that line, and it comes even where there is no room for it.
    """
    last = options.max_bytes + 1
    for tier in TIERS:
        text = _body(report, replace(tier, has_texts=options.texts == "shown"), options)
        if (size := len(text.encode())) < last:
            last = size
            yield text
    yield headline(report) + "\n"


def headline(report: Report) -> str:
    """The verdict, what it rests on, and which suite it is about."""
    verdict = report.verdict
    if verdict.passed:
        mark, word = "✅", "passed"
    else:
        special = {EXIT_INCOMPLETE: ("⚠️", "incomplete"), EXIT_INTERRUPTED: ("⚠️", "interrupted")}
        mark, word = special.get(verdict.exit_code, ("❌", "failed"))
    return f"### {mark} Evals {word}: {facts.in_short(report)} · {code(snippet(report.suite.config, 100))}"


def _body(report: Report, detail: Detail, options: Options) -> str:
    lines = [headline(report), "", _totals(report), *_warnings(report, detail, options)]
    if report.arms:
        lines += markdown_parts.arms(report, detail)
        for arm in report.arms:
            told = _findings(arm, detail)
            lines += ["", f"### Target {code(snippet(arm.suite.target, 100))}", *told] if told else []
    else:
        lines += _findings(report, detail)
    lines += markdown_parts.recordings(report, detail)
    lines += _footing(report, detail, options)
    return "\n".join([*_without_double_blanks(lines), ""])


def _findings(report: Report, detail: Detail) -> list[str]:
    return [
        *markdown_parts.cases(report, detail),
        *markdown_parts.gates(report, detail),
        *markdown_parts.measures(report, detail),
    ]


def _totals(report: Report) -> str:
    total, diff = report.summary, report.baseline
    before = f" (baseline: {diff.before_passed} of {diff.before_total})" if diff is not None else ""
    parts = [f"**{total.passed} of {total.total} cases pass**{before}"]
    if total.failed:
        among = [f"{count} {word}" for count, word in ((total.errored, "errored"), (total.skipped, "skipped")) if count]
        parts.append(f"{total.failed} failing" + (f" ({', '.join(among)})" if among else ""))
    parts += [
        f"{count} {word}" for count, word in ((total.unjudged, "without a verdict"), (total.flaky, "flaky")) if count
    ]
    if total.tokens is not None:
        parts.append(f"{total.tokens:,} tokens")
    if total.cost_usd is not None:
        parts.append(facts.dollars(total.cost_usd).replace("<", "under "))
    if not report.arms:
        parts.append(f"target {code(snippet(report.suite.target, 100))}")
    return " · ".join(parts)


def _warnings(report: Report, detail: Detail, options: Options) -> list[str]:
    """What a reader has to know before the rest: reasons nothing below shows, and what the run does not cover."""
    lines = [f"- ❌ {code(snippet(reason, detail.reason))}" for reason in facts.unseen_reasons(report)[:5]]
    if options.accepted_by is not None:
        lines.append(f"- ☑️ The drop against the baseline was accepted by {code(snippet(options.accepted_by))}.")
    if any(part.baseline is not None and not part.baseline.like_for_like for part in (report, *report.arms)):
        lines.append("- ⚠️ The scorers changed since the baseline: the two are not like for like.")
    if report.no_baseline is not None:
        lines.append(f"- ⚠️ No baseline: {code(snippet(report.no_baseline, detail.reason))}")
    if report.suite.filter is not None:
        lines.append(f"- ⚠️ Only the cases that match {code(snippet(report.suite.filter, 100))}, not the whole suite.")
    if report.suite.shard is not None:
        lines.append(f"- ⚠️ Shard {report.suite.shard} of the suite.")
    return ["", *lines] if lines else []


def _footing(report: Report, detail: Detail, options: Options) -> list[str]:
    """How to run it, how to accept it, where the rest is."""
    lines = ["", "#### Run it yourself", "", fenced(options.command or command(report))]
    if accept := _how_to_accept(report, options):
        lines += ["", accept]
    remarks = [
        markdown_parts.baseline_line(part.baseline) for part in (report, *report.arms) if part.baseline is not None
    ]
    remarks = list(dict.fromkeys(remarks))[:5] + [
        code(snippet(note, 300)) for note in report.notes[: max(3, detail.ids)]
    ]
    if options.texts == "hidden":
        remarks.append("Texts are hidden here; the report among the run's artifacts has them.")
    if remarks:
        lines += ["", *(f"- {remark}" for remark in remarks)]
    if options.links:
        lines += ["", " · ".join(f"[{title}](<{quote(url, safe=URL_SAFE)}>)" for title, url in options.links.items())]
    return lines


def _how_to_accept(report: Report, options: Options) -> str:
    """The ways to let a drop stand, or known failures where there is no baseline yet; both leave a trace."""
    diffs = [part.baseline for part in (report, *report.arms) if part.baseline is not None]
    if any(not diff.passed for diff in diffs):
        save = f"{_run(report)} --save-baseline {shlex.quote(diffs[0].label)}"
        return (
            f"Is the drop intended? Accept it, for everyone to see: add the label {code(options.accept_label)} to the"
            f" pull request, or commit the baseline that {code(save)} writes."
        )
    if report.summary.failed and not diffs:
        save = f"{_run(report)} --save-baseline main"
        return (
            f"Are these failures known? Commit the baseline that {code(save)} writes: from then on only what gets"
            " worse fails."
        )
    return ""


def command(report: Report) -> str:
    """What runs the same again; a baseline that lies in the project is named."""
    words = [_run(report)]
    if report.baseline is not None and report.baseline.source.endswith(".json"):
        words.append(f"--baseline {shlex.quote(report.baseline.label)}")
    return " ".join(words)


def _run(report: Report) -> str:
    suite = report.suite
    words = ["evalci", "run", suite.config]
    if report.arms:
        words += ["--matrix", ",".join(arm.suite.target for arm in report.arms)]
    else:
        words += ["--target", suite.target]
    if suite.filter is not None:
        words += ["--filter", suite.filter]
    if suite.shard is not None:
        words += ["--shard", str(suite.shard)]
    return snippet(shlex.join(words), 1000)


def _without_double_blanks(lines: list[str]) -> Iterator[str]:
    previous = None
    for line in lines:
        if line or previous:
            yield line
        previous = line
