"""The third step: tells people. It has the token and reads nothing but reports; nothing here changes a verdict."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal

from evalci.ci import sticky
from evalci.ci.annotations import annotations
from evalci.ci.commands import Annotation, Level, annotate
from evalci.ci.event import CiEnvironment, Provider, TriggeringRun
from evalci.ci.exit_codes import worst
from evalci.ci.failures import ApiError, printable, told_once
from evalci.ci.file_commands import append_outputs, append_summary
from evalci.ci.folder import ERROR_FILE, REPORT_FILE, ReportFolder
from evalci.ci.github import GitHub, PullRequestComments
from evalci.ci.gitlab import GitLab, MergeRequestNotes
from evalci.ci.http_api import ApiClient
from evalci.ci.sticky_body import comment_key
from evalci.ci.sticky_offer import Did, Offer, Rules
from evalci.ci.values import Conversation
from evalci.errors import EXIT_FAILED, EXIT_INCOMPLETE, EXIT_PASSED, EXIT_USAGE, ReportError
from evalci.model import Report
from evalci.reporters.inert import code
from evalci.reporters.json_reader import read_report
from evalci.reporters.markdown import Options, bodies
from evalci.wording import snippet

WORDS: Final = {EXIT_PASSED: "passed", EXIT_FAILED: "failed", EXIT_USAGE: "error", EXIT_INCOMPLETE: "incomplete"}
_CACHE_REFUSES: Final = ("read", "none")
Texts = Literal["shown", "hidden"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Published:
    """One suite as it is told: its report, or the mistake that kept it from running."""

    slug: str
    report: Report | None = None
    error: tuple[str, ...] = ()
    error_code: int = EXIT_USAGE
    error_shard: str = ""

    @property
    def exit_code(self) -> int:
        return self.error_code if self.report is None else self.report.verdict.exit_code

    @property
    def shard(self) -> str:
        """Which part of the suite it is, empty for the whole."""
        shard = self.error_shard if self.report is None else self.report.suite.shard
        return f"shard {shard}" if shard else ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Telling:
    """How to tell it: whether model text may be shown, what tells two jobs' sections apart, how chance is drawn.

    `parts` is how many sections the comment will have, where that is known.
    """

    texts: Texts = "shown"
    leg: str = ""
    parts: int | None = None
    new_token: Callable[[], str]
    links: Mapping[str, str]
    rules: Rules = field(default_factory=Rules)

    def options(self, report: Report) -> Options:
        accepted = next((note for note in report.notes if " is accepted by " in note), None)
        accepted_by = None if accepted is None else accepted.partition(" is accepted by ")[2]
        return Options(texts=self.texts, accepted_by=accepted_by, links=self.links)


def read_folder(folder: ReportFolder) -> tuple[Published, ...]:
    """Every suite that was run, or could not be. A report that cannot be read is told as an error, not as a pass."""
    found = {slug: _read(slug, path) for slug, path in folder.found(REPORT_FILE)}
    found |= {slug: _read_error(slug, path) for slug, path in folder.found(ERROR_FILE)}
    return tuple(found[slug] for slug in sorted(found))


def tell_runner(suites: tuple[Published, ...], where: CiEnvironment, telling: Telling) -> str:
    """Summary and outputs into the runner's files; gives the annotations to print."""
    if where.summary_path is not None:
        for suite in suites:
            append_summary(Path(where.summary_path), _tiers(suite, telling))
    if where.output_path is not None:
        append_outputs(Path(where.output_path), outputs(suites, where), telling.new_token)
    if where.provider is not Provider.GITHUB:
        return ""
    # The runner counts per step, so all suites share the same ten.
    return annotate(found for suite in suites for found in _annotations(suite, telling))


def _annotations(suite: Published, telling: Telling) -> Iterable[Annotation]:
    if suite.report is not None:
        return annotations(suite.report, texts_hidden=telling.texts == "hidden")
    said = "\n".join(suite.error[:30])
    return [Annotation(level=Level.ERROR, title=f"{suite.slug}: evals did not run", message=said)]


def outputs(suites: tuple[Published, ...], where: CiEnvironment) -> dict[str, str]:
    """Short facts for later steps.

    `save-state` says whether this run's state may be what later runs compare with, `save-cache` whether the cache takes
    it too.
    """
    exit_code = worst([suite.exit_code for suite in suites])
    totals = [suite.report.summary for suite in suites if suite.report is not None]
    keeps = exit_code == EXIT_PASSED and where.keeps_state and not any(suite.shard for suite in suites)
    return {
        "verdict": WORDS.get(exit_code, "failed"),
        "exit-code": str(exit_code),
        "total": str(sum(total.total for total in totals)),
        "passed": str(sum(total.passed for total in totals)),
        "failed": str(sum(total.failed for total in totals)),
        "save-state": "true" if keeps else "false",
        "save-cache": "true" if keeps and where.cache_mode not in _CACHE_REFUSES else "false",
    }


def is_kept_without_cache(suites: tuple[Published, ...], where: CiEnvironment) -> bool:
    """Whether the state is to be kept, but this job's cache token may not write."""
    found = outputs(suites, where)
    return found["save-state"] == "true" and found["save-cache"] == "false"


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
    number = where.pull_request
    yield from _comments(
        suites,
        where,
        lambda: PullRequestComments(github=github, number=number, login=github.identity()),
        github.api,
        telling,
    )


def comment_on_gitlab(
    suites: Iterable[Published], where: CiEnvironment, gitlab: GitLab, telling: Telling
) -> Iterator[str]:
    """The same as a note on the merge request."""
    if where.pull_request is None or where.head_sha is None:
        yield "no note: this pipeline belongs to no merge request"
        return
    iid = where.pull_request
    yield from _comments(
        suites, where, lambda: MergeRequestNotes(gitlab=gitlab, iid=iid, login=gitlab.identity()), gitlab.api, telling
    )


def _comments(
    suites: Iterable[Published],
    where: CiEnvironment,
    open_talk: Callable[[], Conversation],
    api: ApiClient,
    telling: Telling,
) -> Iterator[str]:
    """What became of each suite's comment; the same remedy is told once."""
    try:
        talk = open_talk()
    except ApiError as exc:
        yield from told_once([exc.failure])
        return
    told: set[str] = set()
    for suite in suites:
        outcome = sticky.publish(talk, _offer(suite, where, telling), api, telling.rules)
        cause, *remedy = outcome.lines()
        yield f"{printable(suite.slug)}: {cause}"
        if outcome.did is Did.FAILED and outcome.failure is not None:
            yield from remedy if outcome.failure.remedy not in told else ()
            told.add(outcome.failure.remedy)


def _offer(suite: Published, where: CiEnvironment, telling: Telling) -> Offer:
    tiers = list(_tiers(suite, telling))
    return Offer(
        comment_key=comment_key(suite.slug),
        section_key=telling.leg or suite.shard or "all",
        sha=where.head_sha or "",
        run=where.run_id or 0,
        attempt=where.attempt,
        tier=lambda number: tiers[number] if number < len(tiers) else None,
        parts=telling.parts,
    )


def _tiers(suite: Published, telling: Telling) -> Iterator[str]:
    if suite.report is not None:
        yield from bodies(suite.report, telling.options(suite.report))
        return
    head = f"### ❌ Evals did not run · {code(snippet(suite.slug, 100))}\n"
    lines = "\n".join(f"- {code(snippet(line, 500))}" for line in suite.error[:30])
    more = f"\n- and {len(suite.error) - 30} more" if len(suite.error) > 30 else ""
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
        exit_code, shard = int(data["exit_code"]), str(data["shard"])
        known = exit_code in WORDS and exit_code != EXIT_PASSED
        return Published(slug=slug, error=lines, error_code=exit_code if known else EXIT_FAILED, error_shard=shard[:20])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return Published(slug=slug, error=("the suite did not run, and did not say why",), error_code=EXIT_FAILED)


def run_links(where: CiEnvironment) -> dict[str, str]:
    """The address of this run, for the end of the comment."""
    if where.provider is not Provider.GITHUB or not where.server_url or not where.repository or not where.run_id:
        return {}
    if not re.fullmatch(r"https?://[A-Za-z0-9.:-]+", where.server_url):
        return {}
    return {"the whole report": f"{where.server_url}/{where.repository}/actions/runs/{where.run_id}"}


def in_place_of(where: CiEnvironment, run: TriggeringRun, number: int) -> CiEnvironment:
    """The environment as that run's own, of that pull request, but with this run's right to write."""
    return replace(
        where, pull_request=number, head_sha=run.head_sha, run_id=run.id, attempt=run.attempt, read_only=False
    )
