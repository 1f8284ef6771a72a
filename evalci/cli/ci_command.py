"""`evalci ci`: restore, evaluate, publish; one after the other, and never in one process."""

import argparse
import random
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from evalci.ci.event import CiEnvironment, Provider, ci_environment, read_event_file
from evalci.ci.folder import DEFAULT_FOLDER, ReportFolder, check_slugs
from evalci.ci.host import Effects
from evalci.cli.console import Console, Parser
from evalci.cli.loop import run_async
from evalci.cli.run_command import CACHE_MODES, DEFAULT_CONFIG
from evalci.errors import EXIT_PASSED, UsageError
from evalci.selection import Selection, read_shard

# What opens doors; the step that runs the suite, and all that it starts, must not have it.
TOKENS: Final = (
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "GITLAB_TOKEN",
    "CI_JOB_TOKEN",
    "ACTIONS_RUNTIME_TOKEN",
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
    "ACTIONS_ID_TOKEN_REQUEST_URL",
)
STEPS: Final = ("restore", "evaluate", "publish")


def main(words: list[str], console: Console) -> int:
    """Run one step, or all three as processes of their own; the exit code is that of evaluating."""
    if words and words[0] in STEPS:
        return _STEPS[words[0]](words[1:], console)
    arguments = _parser("ci", "Restore, evaluate and publish one or more suites.", all_steps=True).read(words, console)
    if arguments is None:
        return EXIT_PASSED
    common = [*arguments.configs, "--dir", arguments.dir]
    _step("restore", [*common, "--baseline", arguments.baseline], console, console.environ)
    safe = {name: value for name, value in console.environ.items() if name not in TOKENS}
    code = _step("evaluate", [*common, *_evaluate_options(arguments)], console, safe)
    _step(
        "publish",
        ["--dir", arguments.dir, "--texts", arguments.texts, "--leg", arguments.leg],
        console,
        console.environ,
    )
    return code


def _parser(name: str, about: str, *, all_steps: bool = False) -> Parser:
    parser = Parser(name, about)
    if name != "ci publish":
        parser.add_argument(
            "configs", nargs="*", default=[DEFAULT_CONFIG], metavar="CONFIG", help="default: evals.yaml"
        )
        parser.add_argument("--baseline", default="main", metavar="LABEL", help="a committed state to compare with")
    parser.add_argument(
        "--dir", default=DEFAULT_FOLDER, help=f"where the steps leave files (default: {DEFAULT_FOLDER})"
    )
    if all_steps or name == "ci evaluate":
        parser.add_argument("--target", metavar="NAME", help="which target, when the suite has several")
        parser.add_argument("--cache", default="replay", choices=CACHE_MODES, help="default: replay")
        parser.add_argument("--shard", metavar="I/N", help="only part I of N of the cases")
        parser.add_argument("--require-baseline", action="store_true", help="without an accepted state, do not pass")
    if all_steps or name == "ci publish":
        parser.add_argument(
            "--texts", default="shown", choices=("shown", "hidden"), help="hidden: no model text in public"
        )
        parser.add_argument("--leg", default="", help="what tells this job's section from those of other jobs")
        parser.add_argument("--parts", type=int, help="how many sections the comment will have, where that is known")
    return parser


def _evaluate_options(arguments: argparse.Namespace) -> list[str]:
    options = ["--baseline", arguments.baseline, "--cache", arguments.cache]
    for name in ("target", "shard"):
        if getattr(arguments, name) is not None:
            options += [f"--{name}", getattr(arguments, name)]
    return [*options, "--require-baseline"] if arguments.require_baseline else options


def _step(name: str, words: list[str], console: Console, environ: Mapping[str, str]) -> int:
    """One step as a process of its own, so that no suite ever shares one with the token."""
    console.stdout.flush()
    command = [sys.executable, "-m", "evalci", "ci", name, *words]
    return subprocess.run(command, env=dict(environ), check=False).returncode


def _restore(words: list[str], console: Console) -> int:
    parser = _parser("ci restore", "Find recordings and accepted states. Runs nothing of the suite.")
    parser.add_argument("--cache-dir", help="where a cache step put what the default branch saved")
    arguments = parser.read(words, console)
    if arguments is None:
        return EXIT_PASSED
    from evalci.ci.restore import find_sources, restore_suite

    where = where_of(console)
    folder = ReportFolder(Path(arguments.dir))
    cache = None if arguments.cache_dir is None else Path(arguments.cache_dir)
    named = check_slugs([Path(config) for config in arguments.configs])
    with ExitStack() as stack:
        github = github_of(where, console, stack)
        sources, lines = find_sources(where, github, cache=cache)
    for line in (*where.notes, *lines):
        console.error(line)
    for slug, config in named.items():
        found = restore_suite(config, slug, arguments.baseline, folder, sources)
        console.write(f"{slug}: recordings: {found.cassette.detail}; baseline: {found.baseline.detail}\n")
    return EXIT_PASSED


def _evaluate(words: list[str], console: Console) -> int:
    arguments = _parser("ci evaluate", "Run suites against what was restored. Needs no token and no network.").read(
        words, console
    )
    if arguments is None:
        return EXIT_PASSED
    from evalci.ci.evaluate import Evaluation, evaluate_suite, worst
    from evalci.pipeline import Request, Surroundings

    environ = {name: value for name, value in console.environ.items() if name not in TOKENS}
    around = Surroundings(environ=environ, on_bug=console.bug)
    folder = ReportFolder(Path(arguments.dir))
    selection = Selection(shard=None if arguments.shard is None else read_shard(arguments.shard))
    codes = []
    for slug, config in check_slugs([Path(config) for config in arguments.configs]).items():
        request = Request(config=config, cache=arguments.cache, target=arguments.target, selection=selection)
        found: Evaluation = run_async(
            evaluate_suite(
                slug, request, arguments.baseline, folder, around, require_baseline=arguments.require_baseline
            )
        )
        _show(found, console)
        codes.append(found.exit_code)
    return worst(codes)


def _show(found: object, console: Console) -> None:
    """The report in the log, where the runner must not take a model's words for commands."""
    from evalci.ci.commands import guarded
    from evalci.ci.evaluate import Evaluation
    from evalci.reporters import Style, render, terminal

    assert isinstance(found, Evaluation)
    if found.report is None:
        for line in found.error.lines() if found.error else ():
            console.error(line)
        return
    style = Style(quiet=True)
    text = f"== {found.slug}\n{render('terminal', found.report, style)}{terminal.verdict(found.report, style)}"
    on_github = console.environ.get("GITHUB_ACTIONS") == "true"
    console.write(guarded(text, lambda: secrets.token_hex(32)) if on_github else text)


def _publish(words: list[str], console: Console) -> int:
    arguments = _parser("ci publish", "Tell people what the reports say. Never changes a verdict.").read(words, console)
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
        new_token=lambda: secrets.token_hex(32),
        links=publish.run_links(where),
    )
    for text in publish.tell_runner(suites, where, telling):
        console.write(text)
    for line in _comments(suites, where, console, telling):
        console.error(line)
    return EXIT_PASSED


def _comments(suites: object, where: CiEnvironment, console: Console, telling: object) -> Iterator[str]:
    from evalci.ci import publish

    assert isinstance(suites, tuple)
    assert isinstance(telling, publish.Telling)
    with ExitStack() as stack:
        if where.provider is Provider.GITLAB:
            token = console.environ.get("GITLAB_TOKEN", "")
            if not token:
                yield "no note: GITLAB_TOKEN is not set; give the job a project access token with the scope `api`"
                return
            from evalci.ci.connect import gitlab_of

            gitlab = stack.enter_context(gitlab_of(where, token, console.environ, effects()))
            yield from publish.comment_on_gitlab(suites, where, gitlab, telling)
            return
        github = github_of(where, console, stack)
        if github is None:
            if where.provider is Provider.GITHUB:
                yield "no comment: no token; give the step `env: GITHUB_TOKEN: ${{ github.token }}`"
            return
        yield from publish.comment_on_github(suites, where, github, telling)


def where_of(console: Console) -> CiEnvironment:
    path = console.environ.get("GITHUB_EVENT_PATH")
    return ci_environment(console.environ, None if not path else read_event_file(Path(path)))


def github_of(where: CiEnvironment, console: Console, stack: ExitStack):  # type: ignore[no-untyped-def]
    """GitHub's calls, or None where there is no token for it."""
    token = console.environ.get("GITHUB_TOKEN") or console.environ.get("GH_TOKEN") or ""
    if where.provider is not Provider.GITHUB or not token or where.repository is None:
        return None
    from evalci.ci import connect

    return stack.enter_context(connect.github_of(where, token, console.environ, effects()))


def effects() -> Effects:
    """The real clock, the real patience, real chance."""
    return Effects(clock=time.monotonic, sleep=time.sleep, rng=random.SystemRandom())


_STEPS: Final[Mapping[str, Callable[[list[str], Console], int]]] = {
    "restore": _restore,
    "evaluate": _evaluate,
    "publish": _publish,
}
