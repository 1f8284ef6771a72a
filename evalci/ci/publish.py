"""The third step: tells people. It has the token and reads nothing but reports; nothing here changes a verdict."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

from evalci.ci import sticky
from evalci.ci.annotations import annotations
from evalci.ci.commands import annotate
from evalci.ci.event import CiEnvironment, Provider
from evalci.ci.failures import ApiError
from evalci.ci.file_commands import append_outputs, append_summary
from evalci.ci.folder import ReportFolder
from evalci.ci.github import GitHub, PullRequestComments
from evalci.ci.gitlab import GitLab, MergeRequestNotes
from evalci.ci.sticky_offer import Offer
from evalci.ci.values import Conversation
from evalci.errors import EXIT_FAILED, EXIT_INCOMPLETE, EXIT_PASSED, EXIT_USAGE, ReportError
from evalci.model import Report
from evalci.reporters.json_reader import read_report
from evalci.reporters.markdown import Options, bodies

WORDS: Final = {EXIT_PASSED: "passed", EXIT_FAILED: "failed", EXIT_USAGE: "error", EXIT_INCOMPLETE: "incomplete"}
Texts = Literal["shown", "hidden"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Published:
    """One suite as it is told: its report, or the mistake that kept it from running."""

    slug: str
    report: Report | None = None
    error: tuple[str, ...] = ()
    error_code: int = EXIT_USAGE

    @property
    def exit_code(self) -> int:
        return self.error_code if self.report is None else self.report.verdict.exit_code


@dataclass(frozen=True, kw_only=True, slots=True)
class Telling:
    """How to tell it: whether model text may be shown, what tells two jobs' sections apart, how chance is drawn."""

    texts: Texts = "shown"
    leg: str = ""
    parts: int | None = None
    new_token: Callable[[], str]
    links: Mapping[str, str]

    def options(self, report: Report) -> Options:
        accepted = next((note for note in report.notes if " is accepted by " in note), None)
        accepted_by = None if accepted is None else accepted.partition(" is accepted by ")[2]
        return Options(texts=self.texts, accepted_by=accepted_by, links=self.links)


def read_folder(folder: ReportFolder) -> tuple[Published, ...]:
    """Every suite that was run, or could not be. A report that cannot be read is told as an error, not as a pass."""
    found = {slug: _read(slug, path) for slug, path in folder.found_reports().items()}
    for path in sorted(folder.root.glob("*/error.json")):
        slug = path.parent.name
        found.setdefault(slug, _read_error(slug, path))
    return tuple(found[slug] for slug in sorted(found))


def tell_runner(suites: Iterable[Published], where: CiEnvironment, telling: Telling) -> Iterator[str]:
    """Summary and outputs into the runner's files; yields the annotations to print."""
    suites = tuple(suites)
    for suite in suites:
        if where.summary_path is not None:
            append_summary(Path(where.summary_path), _tiers(suite, telling))
        if where.provider is Provider.GITHUB and suite.report is not None:
            yield annotate(annotations(suite.report, texts_hidden=telling.texts == "hidden"))
    if where.output_path is not None:
        append_outputs(Path(where.output_path), outputs(suites, where), telling.new_token)


def outputs(suites: tuple[Published, ...], where: CiEnvironment) -> dict[str, str]:
    """Short facts for later steps. `save-state` says whether this run's state may be what later runs compare with."""
    codes = [suite.exit_code for suite in suites]
    code = next((c for c in (EXIT_USAGE, EXIT_INCOMPLETE, EXIT_FAILED) if c in codes), max(codes, default=EXIT_USAGE))
    totals = [suite.report.summary for suite in suites if suite.report is not None]
    trusted = where.on_default_branch and where.event in ("push", "schedule", "workflow_dispatch")
    return {
        "verdict": WORDS.get(code, "failed"),
        "exit-code": str(code),
        "total": str(sum(total.total for total in totals)),
        "passed": str(sum(total.passed for total in totals)),
        "failed": str(sum(total.failed for total in totals)),
        "save-state": "true" if code == EXIT_PASSED and trusted else "false",
    }


def comment_on_github(
    suites: Iterable[Published], where: CiEnvironment, github: GitHub, telling: Telling
) -> Iterator[str]:
    """One sticky comment per suite on the pull request of this run; yields what became of each."""
    if where.pull_request is None or where.head_sha is None:
        yield f"no comment: a {where.event or 'run'} event belongs to no single pull request"
        return
    if where.read_only:
        yield "no comment: this event's token cannot write; the report is kept for `evalci comment` (docs/github.md)"
        return
    try:
        login = github.identity()
    except ApiError as exc:
        yield from exc.failure.lines()
        return
    talk = PullRequestComments(github=github, number=where.pull_request, login=login)
    for suite in suites:
        yield from _comment(suite, where, talk, github.api, telling)


def comment_on_gitlab(
    suites: Iterable[Published], where: CiEnvironment, gitlab: GitLab, telling: Telling
) -> Iterator[str]:
    """The same as a note on the merge request."""
    if where.pull_request is None or where.head_sha is None:
        yield "no note: this pipeline belongs to no merge request"
        return
    try:
        login = gitlab.identity()
    except ApiError as exc:
        yield from exc.failure.lines()
        return
    talk = MergeRequestNotes(gitlab=gitlab, iid=where.pull_request, login=login)
    for suite in suites:
        yield from _comment(suite, where, talk, gitlab.api, telling)


def _comment(suite: Published, where: CiEnvironment, talk: Conversation, api: Any, telling: Telling) -> Iterator[str]:
    tiers = list(_tiers(suite, telling))
    offer = Offer(
        comment_key=suite.slug,
        section_key=telling.leg or "all",
        sha=where.head_sha or "",
        run=where.run_id or 0,
        attempt=where.attempt,
        tier=lambda number: tiers[number] if number < len(tiers) else None,
        parts=telling.parts,
    )
    outcome = sticky.publish(talk, offer, api)
    for line in outcome.lines():
        yield f"{suite.slug}: {line}" if not line.startswith(" ") else line


def _tiers(suite: Published, telling: Telling) -> Iterator[str]:
    if suite.report is not None:
        yield from bodies(suite.report, telling.options(suite.report))
        return
    from evalci.reporters.inert import code

    lines = "\n".join(f"- {code(line)}" for line in suite.error[:30])
    more = f"\n- and {len(suite.error) - 30} more" if len(suite.error) > 30 else ""
    head = f"### ❌ Evals did not run: mistakes in {code(suite.slug)}\n"
    yield f"{head}\n{lines}{more}\n"
    yield head


def _read(slug: str, path: Path) -> Published:
    try:
        return Published(slug=slug, report=read_report(path.read_bytes()))
    except (ReportError, OSError) as exc:
        return Published(slug=slug, error=(f"the report cannot be read: {exc}",), error_code=EXIT_FAILED)


def _read_error(slug: str, path: Path) -> Published:
    try:
        data = json.loads(path.read_text("utf-8"))
        lines = tuple(str(line) for line in data["lines"])
        return Published(slug=slug, error=lines, error_code=int(data["exit_code"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Published(slug=slug, error=("the suite did not run, and did not say why",), error_code=EXIT_FAILED)


def run_links(where: CiEnvironment) -> dict[str, str]:
    """The address of this run, for the end of the comment."""
    if where.provider is not Provider.GITHUB or not where.server_url or not where.repository or not where.run_id:
        return {}
    if not re.fullmatch(r"https?://[A-Za-z0-9.:-]+", where.server_url):
        return {}
    return {"the whole report": f"{where.server_url}/{where.repository}/actions/runs/{where.run_id}"}


def with_pull_request(where: CiEnvironment, number: int, head_sha: str) -> CiEnvironment:
    """The environment as if this run were of that pull request: the second workflow of the fork pattern."""
    return replace(where, pull_request=number, head_sha=head_sha, read_only=False)
