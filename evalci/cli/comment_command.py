"""`evalci comment`: posts saved reports, the privileged half of the fork pattern; it runs nothing of the fork."""

from contextlib import ExitStack
from pathlib import Path
from typing import Final

from evalci.ci.archive import ArchiveRules
from evalci.ci.event import CiEnvironment, TriggeringRun
from evalci.ci.failures import ApiError
from evalci.ci.folder import REPORT_FILE, ReportFolder
from evalci.ci.github import GitHub
from evalci.cli import ci_command
from evalci.cli.console import Console, Parser
from evalci.errors import EXIT_PASSED, UsageError

ARTIFACT: Final = "evalci-report"
RULES: Final = ArchiveRules(
    wanted=(f"*/{REPORT_FILE}", "*/error.json"), max_archive_bytes=50_000_000, max_total_bytes=100_000_000
)


def main(words: list[str], console: Console) -> int:
    """Post reports on the pull request that their run was of. GitHub's failures are told and change nothing."""
    parser = Parser(
        "comment", "Post saved reports on their pull request, from the second workflow of the fork pattern."
    )
    parser.add_argument("report", nargs="?", help="the folder of reports; default: the triggering run's artifact")
    parser.add_argument("--artifact", default=ARTIFACT, help=f"the artifact to read (default: {ARTIFACT})")
    parser.add_argument("--texts", default="shown", choices=("shown", "hidden"), help="hidden: no model text in public")
    parser.add_argument("--leg", default="", help="what tells this job's section from those of other jobs")
    arguments = parser.read(words, console)
    if arguments is None:
        return EXIT_PASSED
    where = ci_command.where_of(console)
    with ExitStack() as stack:
        github = ci_command.github_of(where, console, stack)
        if github is None:
            raise UsageError("no token", hint="give the step `env: GITHUB_TOKEN: ${{ github.token }}`")
        try:
            _post(arguments, where, github, console)
        except ApiError as exc:
            for line in exc.failure.lines():
                console.error(line)
    return EXIT_PASSED


def _post(arguments: object, where: CiEnvironment, github: GitHub, console: Console) -> None:
    import secrets
    import tempfile

    from evalci.ci import publish

    with tempfile.TemporaryDirectory() as temporary:
        root = getattr(arguments, "report", None)
        if root is None:
            _download(where, github, getattr(arguments, "artifact", ARTIFACT), Path(temporary))
        suites = publish.read_folder(ReportFolder(Path(root or temporary)))
    if not suites:
        console.error("no comment: the run left no report")
        return
    target = _target(where, github)
    if isinstance(target, str):
        console.error(target)
        return
    telling = publish.Telling(
        texts=getattr(arguments, "texts", "shown"),
        leg=getattr(arguments, "leg", ""),
        new_token=lambda: secrets.token_hex(32),
        links=publish.run_links(target),
    )
    for line in publish.comment_on_github(suites, target, github, telling):
        console.error(line)


def _download(where: CiEnvironment, github: GitHub, name: str, folder: Path) -> None:
    """The reports of the triggering run: the newest attempt's artifact, nothing in it but reports."""
    run = _run(where)
    found = max(github.run_artifacts(run.id, name), key=lambda artifact: artifact.id, default=None)
    if found is None:
        raise UsageError(f"run {run.id} has no artifact named {name!r}")
    for member, data in github.download_artifact(found, RULES).items():
        path = folder / member
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _target(where: CiEnvironment, github: GitHub) -> CiEnvironment | str:
    """The open pull request whose head is exactly the commit that was evaluated; never one that an artifact names."""
    from evalci.ci.publish import with_pull_request

    if where.pull_request is not None:
        return where
    run = _run(where)
    if run.head_owner is None:
        return "no comment: the fork that this run was of is gone"
    pulls = github.open_pull_requests(run.head_owner, run.head_branch, run.head_sha)
    if not pulls:
        return f"no comment: no open pull request is at {run.head_sha[:12]}"
    return with_pull_request(where, pulls[0].number, run.head_sha)


def _run(where: CiEnvironment) -> TriggeringRun:
    if where.triggering_run is None:
        raise UsageError(
            "this event names no run whose reports could be posted",
            hint="`evalci comment` belongs into a workflow with `on: workflow_run` (docs/github.md)",
        )
    return where.triggering_run
