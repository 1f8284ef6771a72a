"""`evalci run`: replay a suite, score it, compare it, gate it, report it."""

import argparse
import math
from pathlib import Path
from typing import Final

from evalci.assemble import Accepted, Asked, run_suite
from evalci.cli.console import Console, Parser
from evalci.cli.loop import run_async
from evalci.cli.manifests import keep_manifest, manifest_folder
from evalci.cli.outputs import Outputs, add_output_options
from evalci.errors import EXIT_PASSED, UsageError
from evalci.model import Report
from evalci.pipeline import Request, Surroundings, prepare
from evalci.selection import Selection, read_shard
from evalci.wording import quoted

DEFAULT_CONFIG: Final = "evals.yaml"
CACHE_MODES: Final = ("auto", "replay", "live", "off")


def main(words: list[str], console: Console, *, command: str = "run", cache: str = "replay") -> int:
    """Run a suite and return the exit code of its verdict."""
    arguments = run_parser(command, cache).read(words, console)
    if arguments is None:
        return EXIT_PASSED
    outputs = Outputs.of(arguments, console)
    request = request_of(arguments)
    if arguments.save_baseline is not None:
        _check_label(request, arguments.save_baseline)
    asked = Asked(accepted=_accepted(request, arguments.baseline), threshold=arguments.threshold)
    around = Surroundings(environ=console.environ, progress=outputs.progress, on_bug=console.bug)
    plan = prepare(request, around)
    kept = manifest_folder(arguments.manifest)
    report = run_async(run_suite(plan, around, asked))
    if arguments.save_baseline is not None:
        _save(request, report, arguments.save_baseline, console)
    texts = outputs.publish(report)
    if kept is not None:
        console.error(keep_manifest(kept, report))
    if plan.suite.run.history and not arguments.no_history:
        _remember(request, report, texts.get("json"), console)
    return report.verdict.exit_code


def run_parser(command: str, cache: str) -> Parser:
    """The options of `run` and `record`."""
    about = (
        "Run a suite against its recordings." if command == "run" else "Run a suite; call and record what is missing."
    )
    parser = Parser(command, about)
    add_suite_options(parser)
    parser.add_argument(
        "--cache",
        default=cache,
        choices=CACHE_MODES,
        help=f"replay: recordings only; auto: call what is missing; live: call all; off (default: {cache})",
    )
    parser.add_argument("--baseline", metavar="LABEL", help="fail on what got worse since this accepted state only")
    parser.add_argument("--save-baseline", metavar="LABEL", help="accept the state of this run under a label")
    parser.add_argument("--threshold", type=_number, metavar="X", help="fail when the mean score is below X")
    parser.add_argument("--allow-outside", action="store_true", help="let data files lie outside the project")
    parser.add_argument("--no-history", action="store_true", help="keep no record of this run")
    parser.add_argument("--seed", type=int, default=0, help="for whatever draws at random")
    parser.add_argument("--manifest", metavar="DIR", help="keep the report in a folder that binds verdict and inputs")
    add_output_options(parser)
    return parser


def add_suite_options(parser: Parser) -> None:
    """Which suite is meant, and which part of it."""
    parser.add_argument("config", nargs="?", default=DEFAULT_CONFIG, help="the suite (default: evals.yaml)")
    parser.add_argument("--target", metavar="NAME", help="which target, when the suite has several")
    parser.add_argument("--matrix", metavar="A,B", help="several targets side by side")
    parser.add_argument("--filter", metavar="ID", action="append", default=[], help="only cases with this id or glob")
    parser.add_argument("--shard", metavar="I/N", help="only part I of N of the cases")


def request_of(arguments: argparse.Namespace) -> Request:
    """What the arguments ask for. Raises `UsageError` when they contradict each other."""
    matrix = None
    if arguments.matrix is not None:
        matrix = tuple(name.strip() for name in arguments.matrix.split(",") if name.strip())
        if arguments.target is not None:
            raise UsageError("--matrix and --target cannot be used together")
        if len(matrix) < 2 or len(set(matrix)) < len(matrix):
            message = f"--matrix takes two or more different targets, got {quoted(arguments.matrix)}"
            raise UsageError(message, hint="for example --matrix small,large")
    return Request(
        config=Path(arguments.config),
        cache=arguments.cache,
        target=arguments.target,
        matrix=matrix,
        selection=Selection(
            filters=tuple(arguments.filter), shard=None if arguments.shard is None else read_shard(arguments.shard)
        ),
        allow_outside=arguments.allow_outside,
    )


def _remember(request: Request, report: Report, text: str | None, console: Console) -> None:
    """Keep the run in the local history, which is never needed and never fatal."""
    from datetime import UTC, datetime

    from evalci.history import HistoryStore, keep

    warning = keep(HistoryStore.beside(request.config), report, datetime.now(UTC), text)
    if warning is not None:
        console.error(warning)


def _accepted(request: Request, label: str | None) -> Accepted | None:
    """The state to compare with. Raises `BaselineError` when there is none under this label."""
    if label is None:
        return None
    from evalci.baseline.store import BaselineStore

    store = BaselineStore.beside(request.config)
    return Accepted(label=label, source=store.source(label), baseline=store.load(label))


def _check_label(request: Request, label: str) -> None:
    """A label that cannot be saved is refused before anything is called, and so is a part of a suite."""
    from evalci.baseline.store import BaselineStore

    BaselineStore.beside(request.config).file(label)
    if request.selection.is_partial:
        raise UsageError("a filtered or sharded run cannot become a baseline", hint="run the whole suite to save one")


def _save(request: Request, report: Report, label: str, console: Console) -> None:
    """Accept the state of this run, after it was compared with the last one."""
    from evalci.baseline.snapshot import baseline_of
    from evalci.baseline.store import BaselineStore, saved_text

    baseline = baseline_of(report)
    BaselineStore.beside(request.config).save(label, baseline)
    console.error(saved_text(label, baseline))


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"a number is wanted, got {quoted(text)}")
    return value
