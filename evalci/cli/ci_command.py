"""`evalci ci`: restore, evaluate, publish; one after the other, and never in one process."""

import argparse
import secrets
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final

from evalci.ci.event import CiEnvironment, Provider, ci_environment, read_event_file
from evalci.ci.folder import DEFAULT_FOLDER, ReportFolder, check_slugs
from evalci.cli.console import Console, Parser
from evalci.cli.loop import run_async
from evalci.cli.run_command import CACHE_MODES, DEFAULT_CONFIG
from evalci.errors import EXIT_FAILED, EXIT_PASSED, UsageError
from evalci.selection import Selection, read_shard

if TYPE_CHECKING:
    from evalci.ci.connect import Reach
    from evalci.ci.evaluate import Evaluation
    from evalci.ci.github import GitHub
    from evalci.ci.publish import Published, Telling
    from evalci.pipeline import Request, Surroundings

# What opens doors, and the runner's files by which a program could change later steps: the step that runs the suite,
# and all that it starts, must not have them.
HIDDEN: Final = frozenset(
    {
        "GITHUB_TOKEN",
        "GH_TOKEN",
        "GITLAB_TOKEN",
        "CI_JOB_TOKEN",
        "ACTIONS_RUNTIME_TOKEN",
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
        "ACTIONS_ID_TOKEN_REQUEST_URL",
        "GITHUB_ENV",
        "GITHUB_PATH",
        "GITHUB_OUTPUT",
        "GITHUB_STATE",
        "GITHUB_STEP_SUMMARY",
    }
)
STEPS: Final = ("restore", "evaluate", "publish")


def main(words: list[str], console: Console, reach: "Reach | None" = None) -> int:
    """Run one step, or all three as processes of their own; the exit code is that of evaluating."""
    if words and words[0] in STEPS:
        step, rest = words[0], words[1:]
        if step == "evaluate":
            return _evaluate(rest, console)
        from evalci.ci.connect import Reach

        return {"restore": _restore, "publish": _publish}[step](rest, console, reach or Reach())
    arguments = _parser("ci", "Restore, evaluate and publish one or more suites.", *STEPS).read(words, console)
    if arguments is None:
        return EXIT_PASSED
    folder = ["--dir", arguments.dir]
    configs = [*arguments.configs, *folder, "--baseline", arguments.baseline]
    _step("restore", [*configs, *_given(arguments, "cache_dir")], console, console.environ)
    code = _step("evaluate", [*configs, *_evaluate_options(arguments)], console, without_hidden(console.environ))
    options = ["--texts", arguments.texts, *_given(arguments, "leg", "parts")]
    _step("publish", [*folder, *options], console, console.environ)
    return code


def without_hidden(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment as the suite may see it."""
    return {name: value for name, value in environ.items() if name not in HIDDEN}


def _parser(name: str, about: str, *steps: str) -> Parser:
    """A parser of the options that these steps have; one option means the same wherever it is."""
    parser = Parser(name, about)
    add = parser.add_argument
    if steps != ("publish",):
        add("configs", nargs="*", default=[DEFAULT_CONFIG], metavar="CONFIG", help="default: evals.yaml")
        add("--baseline", default="main", metavar="LABEL", help="the committed state to compare with, if there is one")
    add("--dir", default=DEFAULT_FOLDER, help=f"where the steps leave files (default: {DEFAULT_FOLDER})")
    if "restore" in steps:
        add("--cache-dir", metavar="PATH", help="where a cache step put what the default branch saved")
    if "evaluate" in steps:
        add("--target", metavar="NAME", help="which target, when the suite has several")
        add("--cache", default="replay", choices=CACHE_MODES, help="default: replay")
        add("--shard", metavar="I/N", help="only part I of N of the cases")
        add("--merge", metavar="FOLDER", help="judge the shards' reports in this folder as one; nothing is run")
        add("--require-baseline", action="store_true", help="without an accepted state, do not pass")
    if "publish" in steps:
        add("--texts", default="shown", choices=("shown", "hidden"), help="hidden: no model text in public")
        add("--leg", help="what tells this job's section from those of other jobs")
        add("--parts", type=int, metavar="N", help="how many sections the comment will have, where that is known")
    return parser


def _given(arguments: argparse.Namespace, *names: str) -> list[str]:
    """The options that were given, for a step's own command line; joined by `=`, so that no value is an option."""
    given = ((name.replace("_", "-"), getattr(arguments, name)) for name in names)
    return [f"--{name}={value}" for name, value in given if value is not None]


def _evaluate_options(arguments: argparse.Namespace) -> list[str]:
    required = ["--require-baseline"] if arguments.require_baseline else []
    return [*_given(arguments, "target", "cache", "shard", "merge"), *required]


def _step(name: str, words: list[str], console: Console, environ: Mapping[str, str]) -> int:
    """One step as a process of its own, so that no suite ever shares one with the token.

    `-P` keeps the working directory off the module path: a pull request could put modules there.
    """
    console.stdout.flush()
    command = [sys.executable, "-P", "-m", "evalci", "ci", name, *words]
    code = subprocess.run(command, env=dict(environ), check=False).returncode
    return code if code >= 0 else EXIT_FAILED


def _restore(words: list[str], console: Console, reach: "Reach") -> int:
    arguments = _parser(
        "ci restore", "Find recordings and accepted states. Runs nothing of the suite.", "restore"
    ).read(words, console)
    if arguments is None:
        return EXIT_PASSED
    from evalci.ci.restore import find_sources, restore_suite

    where = where_of(console)
    folder = ReportFolder(Path(arguments.dir))
    cache = None if arguments.cache_dir is None else Path(arguments.cache_dir)
    named = check_slugs([Path(config) for config in arguments.configs])
    with ExitStack() as stack:
        sources, lines = find_sources(where, github_of(where, console, stack, reach), cache=cache)
    for line in (*where.notes, *lines):
        console.error(line)
    for slug, config in named.items():
        found = restore_suite(config, slug, arguments.baseline, folder, sources)
        accepted = f"; a drop is accepted by {found.accepted_by}" if found.accepted_by else ""
        cassette, baseline = (
            part.kind if part.detail in lines else part.told for part in (found.cassette, found.baseline)
        )
        console.write(f"{slug}: recordings: {cassette}; baseline: {baseline}{accepted}\n")
    return EXIT_PASSED


def _evaluate(words: list[str], console: Console) -> int:
    arguments = _parser(
        "ci evaluate", "Run suites against what was restored. Needs no token and no network.", "evaluate"
    ).read(words, console)
    if arguments is None:
        return EXIT_PASSED
    environ = without_hidden(console.environ)
    if len(environ) < len(console.environ):
        return _step("evaluate", words, console, environ)
    from evalci.ci.exit_codes import worst
    from evalci.pipeline import Request, Surroundings

    around = Surroundings(environ=environ, on_bug=console.bug)
    selection = Selection(shard=None if arguments.shard is None else read_shard(arguments.shard))
    folder = ReportFolder(Path(arguments.dir), shard="" if selection.shard is None else str(selection.shard))
    named = check_slugs([Path(config) for config in arguments.configs])
    for slug in named:
        folder.begin_evaluating(slug)
    requests = {
        slug: Request(config=config, cache=arguments.cache, target=arguments.target, selection=selection)
        for slug, config in named.items()
    }
    codes = []
    for slug, request in requests.items():
        found, printed = _run_one(slug, request, arguments, folder, around, console)
        _show(found, printed, console)
        codes.append(found.exit_code)
    return worst(codes)


def _run_one(
    slug: str,
    request: "Request",
    arguments: argparse.Namespace,
    folder: ReportFolder,
    around: "Surroundings",
    console: Console,
) -> "tuple[Evaluation, str]":
    """What a suite came to, and what its functions printed: on GitHub the runner would read that line by line."""
    import io
    from contextlib import nullcontext, redirect_stderr

    from evalci.ci.evaluate import evaluate_suite

    printed = io.StringIO()
    with redirect_stderr(printed) if _on_github(console) else nullcontext():
        found = run_async(
            evaluate_suite(
                slug,
                request,
                arguments.baseline,
                folder,
                around,
                require_baseline=arguments.require_baseline,
                shards=None if arguments.merge is None else Path(arguments.merge),
            )
        )
    return found, printed.getvalue()


def _show(found: "Evaluation", printed: str, console: Console) -> None:
    """The report in the log, where the runner must not take a model's words for commands."""
    from evalci.reporters import Style, render, terminal

    if printed:
        console.error(_guarded(printed, console).rstrip("\n"))
    if found.report is None:
        console.error(_guarded("\n".join(found.error), console).rstrip("\n"))
        return
    style = Style(quiet=True)
    text = f"== {found.slug}\n{render('terminal', found.report, style)}{terminal.verdict(found.report, style)}"
    console.write(_guarded(text, console))


def _on_github(console: Console) -> bool:
    return console.environ.get("GITHUB_ACTIONS") == "true"


def _guarded(text: str, console: Console) -> str:
    from evalci.ci.commands import guarded

    return guarded(text, new_token) if _on_github(console) else text


def new_token() -> str:
    """What nobody can guess."""
    return secrets.token_hex(32)


def _publish(words: list[str], console: Console, reach: "Reach") -> int:
    arguments = _parser("ci publish", "Tell people what the reports say. Never changes a verdict.", "publish").read(
        words, console
    )
    if arguments is None:
        return EXIT_PASSED
    from evalci.ci import publish

    where = where_of(console)
    suites = publish.read_folder(ReportFolder(Path(arguments.dir)))
    if not suites:
        raise UsageError(f"there is no report in {arguments.dir}", hint="`evalci ci evaluate` leaves them there")
    telling = publish.Telling(
        texts=arguments.texts,
        leg=arguments.leg or (str(where.shard.index) if where.shard else ""),
        parts=arguments.parts,
        new_token=new_token,
        links=publish.run_links(where),
    )
    console.write(publish.tell_runner(suites, where, telling))
    if publish.is_kept_without_cache(suites, where):
        console.error(f"the cache takes nothing here (ACTIONS_CACHE_MODE={where.cache_mode}); the artifact is enough")
    for line in _comments(suites, where, console, telling, reach):
        console.error(line)
    return EXIT_PASSED


def _comments(
    suites: "tuple[Published, ...]", where: CiEnvironment, console: Console, telling: "Telling", reach: "Reach"
) -> Iterator[str]:
    from evalci.ci import publish

    with ExitStack() as stack:
        if where.provider is Provider.GITLAB:
            token = console.environ.get("GITLAB_TOKEN", "")
            if not token:
                yield "no note: GITLAB_TOKEN is not set; give the job a project access token with the scope `api`"
                return
            from evalci.ci.connect import gitlab_of

            gitlab = stack.enter_context(gitlab_of(where, token, console.environ, reach))
            yield from publish.comment_on_gitlab(suites, where, gitlab, telling)
            return
        github = github_of(where, console, stack, reach)
        if github is not None:
            yield from publish.comment_on_github(suites, where, github, telling)
        elif where.provider is Provider.GITHUB:
            yield "no comment: no token; give the step `env: GITHUB_TOKEN: ${{ github.token }}`"


def where_of(console: Console) -> CiEnvironment:
    """The CI run that the console's environment describes."""
    path = console.environ.get("GITHUB_EVENT_PATH")
    return ci_environment(console.environ, None if not path else read_event_file(Path(path)))


def github_of(where: CiEnvironment, console: Console, stack: ExitStack, reach: "Reach") -> "GitHub | None":
    """GitHub's calls, or None where there is no token for it."""
    token = console.environ.get("GITHUB_TOKEN") or console.environ.get("GH_TOKEN") or ""
    if where.provider is not Provider.GITHUB or not token or where.repository is None:
        return None
    from evalci.ci import connect

    return stack.enter_context(connect.github_of(where, token, console.environ, reach))
