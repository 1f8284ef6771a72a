"""`evalci baseline`: accepted states."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from evalci.assemble import Asked, run_suite
from evalci.baseline.snapshot import baseline_of
from evalci.baseline.store import BaselineStore, saved_text
from evalci.cli.actions import Action, run_action
from evalci.cli.console import Console, Parser
from evalci.cli.loop import run_async
from evalci.cli.run_command import DEFAULT_CONFIG
from evalci.errors import EXIT_PASSED
from evalci.pipeline import Request, Surroundings, prepare
from evalci.wording import count_of, quoted, snippet

ABOUT: Final[Mapping[str, str]] = {
    "save": "replay a suite and accept the state it is in",
    "show": "the cases of an accepted state",
    "list": "the accepted states of a suite",
}


def main(words: list[str], console: Console) -> int:
    """Run one of the actions on a suite's baselines."""
    return run_action("baseline", ACTIONS, ABOUT, words, console)


def _parser(action: str, *, label: bool) -> Parser:
    parser = Parser(f"baseline {action}", ABOUT[action])
    if label:
        parser.add_argument("label", help="the name of the state, such as main")
    parser.add_argument("config", nargs="?", default=DEFAULT_CONFIG, help="the suite (default: evals.yaml)")
    return parser


def _save(words: list[str], console: Console) -> int:
    parser = _parser("save", label=True)
    parser.add_argument("--target", metavar="NAME", help="which target, when the suite has several")
    arguments = parser.read(words, console)
    if arguments is None:
        return EXIT_PASSED
    store = BaselineStore.beside(Path(arguments.config))
    store.file(arguments.label)
    around = Surroundings(environ=console.environ, on_bug=console.bug)
    plan = prepare(Request(config=Path(arguments.config), target=arguments.target), around)
    baseline = baseline_of(run_async(run_suite(plan, around, Asked())))
    store.save(arguments.label, baseline)
    console.write(f"{saved_text(arguments.label, baseline)}\n")
    return EXIT_PASSED


def _show(words: list[str], console: Console) -> int:
    arguments = _parser("show", label=True).read(words, console)
    if arguments is None:
        return EXIT_PASSED
    baseline = BaselineStore.beside(Path(arguments.config)).load(arguments.label)
    for target, cases in baseline.arms.items():
        console.write(f"{target}: {sum(case.status == 'passed' for case in cases)}/{len(cases)} passed\n")
        for case in cases:
            text = "" if case.text is None else f"  {quoted(snippet(case.text, 60))}"
            console.write(f"  {case.status:<8}  {quoted(case.case_id)[1:-1]}{text}\n")
    return EXIT_PASSED


def _list(words: list[str], console: Console) -> int:
    arguments = _parser("list", label=False).read(words, console)
    if arguments is None:
        return EXIT_PASSED
    store = BaselineStore.beside(Path(arguments.config))
    for label in store.labels():
        baseline = store.load(label)
        console.write(f"{label}  {baseline.passed}/{count_of(baseline.total, 'case')} passed\n")
    if not store.labels():
        console.error(f"no baselines yet in {store.name}; accept one with --save-baseline main")
    return EXIT_PASSED


ACTIONS: Final[Mapping[str, Action]] = {"save": _save, "show": _show, "list": _list}
