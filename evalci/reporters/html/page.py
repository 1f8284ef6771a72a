"""The report as a page: how much of it is told, and the parts that the template lays out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from evalci.errors import EXIT_INCOMPLETE, EXIT_INTERRUPTED
from evalci.model import Comparison, ComparisonRow, Report, Verdict
from evalci.reporters import facts
from evalci.reporters.html import cases, changes, figures, texts
from evalci.reporters.markdown import command
from evalci.reporters.style import PLAIN, Style

if TYPE_CHECKING:
    from jinja2 import Environment

MAX_BYTES: Final = 14_500_000
ALIKE_ROWS: Final = 2_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Detail:
    """How much is told: characters of each text, entries of a list, and how many cases are more than a line.

    `cases` counts down the list, where failing cases come first; None is all of them.
    """

    text: int
    entries: int
    cases: int | None = None


TIERS: Final = (
    Detail(text=50_000, entries=200),
    Detail(text=8_000, entries=50),
    Detail(text=2_000, entries=20),
    Detail(text=1_000, entries=10),
    Detail(text=2_000, entries=10, cases=1_000),
    Detail(text=1_000, entries=10, cases=200),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """A run of one target: the whole report, or one arm of a matrix. `prefix` keeps its anchors apart."""

    prefix: str
    report: Report
    cases: tuple[cases.CaseView, ...]
    groups: tuple[changes.Group, ...]
    means: tuple[facts.Mean, ...]
    zeroes: tuple[tuple[str, str, str], ...]

    def counts(self) -> dict[str, int]:
        """How many cases each choice of the filter shows."""
        total = self.report.summary
        named = {"failing": total.failed, "passed": total.passed, "unjudged": total.unjudged, "flaky": total.flaky}
        return {name: count for name, count in named.items() if count}


def render(report: Report, style: Style = PLAIN) -> str:
    """The page with the most detail that keeps within `MAX_BYTES`; the shortest one where none does."""
    template = environment().get_template("report.html")
    page = ""
    for detail in TIERS:
        if _least(report, detail) > MAX_BYTES:
            continue
        page = template.render(**context(report, detail))
        if len(page.encode("utf-8", "replace")) <= MAX_BYTES:
            break
    return page


def _least(report: Report, detail: Detail) -> int:
    """What the page has at least: the characters of its answers, errors and contexts. Cheaper than to write it."""
    if detail.cases is not None:
        return 0
    every = (result for part in report.arms or (report,) for result in part.results)
    return sum(min(len(text), detail.text) for result in every for text in cases.long_texts(result, detail.entries))


@cache
def environment(*packages: str) -> "Environment":
    """Templates of the report, and before them those of the packages; whatever they print is escaped."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    found = Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in (*packages, __package__ or "")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.filters.update(
        shown=texts.shown,
        line=texts.line,
        plain=texts.plain,
        as_json=texts.as_json,
        score=figures.score,
        dollars=facts.dollars,
        duration=figures.duration,
    )
    found.globals.update(
        MARKS=cases.MARKS,
        WORDS=cases.WORDS,
        LONG=cases.LONG,
        facts=facts,
        figures=figures,
        score_status=cases.score_status,
        trial_status=cases.trial_status,
        is_graded=cases.is_graded,
        costs=cases.costs,
    )
    return found


def context(report: Report, detail: Detail) -> dict[str, Any]:
    """All that `report.html` reads."""
    parts = tuple(parts_of(report, detail))
    every = [view for part in parts for view in part.cases]
    return {
        "report": report,
        "detail": detail,
        "verdict": verdict_words(report.verdict),
        "in_short": facts.in_short(report),
        "parts": parts,
        "recordings": changes.recordings(report, every, detail.text),
        "matrix": report.comparison and matrix_view(report.comparison, parts),
        "command": command(report),
    }


def parts_of(report: Report, detail: Detail) -> Iterator[Part]:
    """The report itself, or each arm of it."""
    for number, arm in enumerate(report.arms or (report,), 1):
        prefix = f"t{number}-" if report.arms else ""
        views = cases.case_views(arm.results, prefix, detail.cases)
        anchors = {view.result.id: view.anchor for view in views}
        yield Part(
            prefix=prefix,
            report=arm,
            cases=views,
            groups=() if arm.baseline is None else tuple(changes.groups(arm.baseline, views)),
            means=tuple(sorted(facts.means(arm), key=_order_of_scorers(arm))),
            zeroes=tuple((result.id, anchors[result.id], name) for result, name in facts.zeroes(arm))[:100],
        )


def _order_of_scorers(report: Report) -> Any:
    """The order of the suite, as the cases tell it: a saved report keeps its means by name."""
    names = dict.fromkeys(score.scorer for result in report.results for score in result.scores)
    order = {name: place for place, name in enumerate(names)}
    return lambda mean: (order.get(mean.scorer, len(order)), mean.scorer)


def verdict_words(verdict: Verdict) -> tuple[str, str]:
    """The status it is shown as, and the words."""
    if verdict.passed:
        return "passed", "Passed"
    special = {EXIT_INCOMPLETE: ("errored", "Incomplete"), EXIT_INTERRUPTED: ("errored", "Interrupted")}
    return special.get(verdict.exit_code, ("failed", "Not passed"))


@dataclass(frozen=True, kw_only=True, slots=True)
class MatrixView:
    """The arms' rows: where they differ, and where they do not, as many as a page bears. Anchors are per arm."""

    apart: tuple[ComparisonRow, ...]
    alike: tuple[ComparisonRow, ...]
    alike_count: int
    anchors: tuple[dict[str, str], ...]


def matrix_view(comparison: Comparison, parts: Sequence[Part]) -> MatrixView:
    """The rows of a comparison, and where the cases of each part are."""
    alike = [row for row in comparison.rows if _is_alike(row)]
    return MatrixView(
        apart=tuple(row for row in comparison.rows if not _is_alike(row)),
        alike=tuple(alike[:ALIKE_ROWS]),
        alike_count=len(alike),
        anchors=tuple({view.result.id: view.anchor for view in part.cases} for part in parts),
    )


def _is_alike(row: ComparisonRow) -> bool:
    return row.winner is None and len(set(row.statuses)) <= 1
