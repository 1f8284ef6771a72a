"""`evalci comment`: posts saved reports, the privileged half of the fork pattern; it runs nothing of the fork."""

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final

from evalci.ci.archive import ArchiveRules
from evalci.ci.event import CiEnvironment, TriggeringRun
from evalci.ci.failures import ApiError, printable
from evalci.ci.folder import ERROR_FILE, REPORT_FILE, ReportFolder
from evalci.ci.github import GitHub
from evalci.ci.publish import Published, Telling, comment_on_github, in_place_of, read_folder, run_links
from evalci.ci.values import Artifact
from evalci.cli import ci_command
from evalci.cli.console import Console, Parser
from evalci.errors import EXIT_PASSED, UsageError

if TYPE_CHECKING:
    from evalci.ci.connect import Reach

# What a fork's run hands over is not trusted to be few.
MOST_COMMENTS: Final = 20
ARTIFACT: Final = "evalci-report"
RULES: Final = ArchiveRules(
    wanted=(f"*/{REPORT_FILE}", f"*/{ERROR_FILE}"), max_archive_bytes=50_000_000, max_total_bytes=100_000_000
)


def main(words: list[str], console: Console, reach: "Reach | None" = None) -> int:
    """Post reports on the pull request that their run was of. GitHub's failures are told and change nothing."""
    parser = Parser(
        "comment", "Post saved reports on their pull request, from the second workflow of the fork pattern."
    )
    parser.add_argument("report", nargs="?", help="the folder of reports; default: the triggering run's artifact")
    parser.add_argument("--artifact", default=ARTIFACT, help=f"the artifact to read (default: {ARTIFACT})")
    parser.add_argument("--texts", default="shown", choices=("shown", "hidden"), help="hidden: no model text in public")
    parser.add_argument("--leg", default="", help="what tells this job's section from those of other jobs")
    parser.add_argument("--parts", type=int, metavar="N", help="how many sections the comment will have")
    arguments = parser.read(words, console)
    if arguments is None:
        return EXIT_PASSED
    from evalci.ci.connect import Reach

    where = ci_command.where_of(console)
    with ExitStack() as stack:
        github = ci_command.github_of(where, console, stack, reach or Reach())
        if github is None:
            raise UsageError("no token", hint="give the step `env: GITHUB_TOKEN: ${{ github.token }}`")
        try:
            for line in _post(arguments, where, github):
                console.error(line)
        except ApiError as exc:
            for line in exc.failure.lines():
                console.error(line)
    return EXIT_PASSED


def _post(arguments: argparse.Namespace, where: CiEnvironment, github: GitHub) -> Iterator[str]:
    """Posts what there is to post, and says what became of it."""
    target = _target(where, github)
    if isinstance(target, str):
        yield f"no comment: {target}"
        return
    if arguments.report is not None:
        reports = {arguments.leg: read_folder(ReportFolder(Path(arguments.report)))}
    else:
        reports = _downloaded(_run(where).id, github, arguments.artifact, arguments.leg)
    if not any(reports.values()):
        yield "no comment: the run left no report"
    elif not any(map(_wholes, reports.values())):
        yield "no comment: the run left shards and no report of the whole; see the job that merges them"
    room = MOST_COMMENTS
    for leg, all_suites in sorted(reports.items()):
        suites = _wholes(all_suites)
        telling = Telling(
            texts=arguments.texts,
            leg=leg,
            parts=arguments.parts,
            new_token=ci_command.new_token,
            links=run_links(target),
        )
        yield from comment_on_github(suites[:room], target, github, telling)
        if len(suites) > room:
            yield f"{len(suites) - room} more suites are left out: one run posts {MOST_COMMENTS} comments at most"
        room = max(0, room - len(suites))


def _wholes(suites: tuple[Published, ...]) -> tuple[Published, ...]:
    """Without shards: as in the first workflow, they are parts of what the merging job tells as a whole."""
    return tuple(suite for suite in suites if not suite.shard)


def _downloaded(run: int, github: GitHub, name: str, leg: str) -> dict[str, tuple[Published, ...]]:
    """The reports of a run by the leg of its matrix: the newest attempt's artifacts, nothing in them but reports.

    A leg's artifact is named `evalci-report-<leg>`.
    """
    newest: dict[str, Artifact] = {}
    for artifact in sorted(github.run_artifacts(run), key=lambda artifact: artifact.id):
        if artifact.name == name or artifact.name.startswith(f"{name}-"):
            newest[artifact.name] = artifact
    found: dict[str, tuple[Published, ...]] = {}
    for artifact in newest.values():
        with tempfile.TemporaryDirectory() as folder:
            for member, data in github.download_artifact(artifact, RULES).items():
                path = Path(folder, member)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            found[leg or artifact.name[len(name) + 1 :]] = read_folder(ReportFolder(Path(folder)))
    return found


def _target(where: CiEnvironment, github: GitHub) -> CiEnvironment | str:
    """The open pull request whose head is exactly the commit that was evaluated; never one that an artifact names.

    Or why there is none.
    """
    if where.pull_request is not None:
        return where
    run = _run(where)
    if not run.event.startswith("pull_request"):
        return f"run {run.id} was started by {printable(run.event)}, so it belongs to no single pull request"
    if run.head_owner is None:
        return "the fork that this run was of is gone"
    pulls = github.open_pull_requests(run.head_owner, run.head_branch, run.head_sha)
    if not pulls:
        return f"no open pull request is at {run.head_sha[:12]}"
    return in_place_of(where, run, pulls[0].number)


def _run(where: CiEnvironment) -> TriggeringRun:
    if where.triggering_run is None:
        raise UsageError(
            "this event names no run whose reports could be posted",
            hint="`evalci comment` belongs into a workflow with `on: workflow_run` (docs/github.md)",
        )
    return where.triggering_run
