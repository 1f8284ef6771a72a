"""`evalci plan`: what a run would call, with tokens and dollars; calls nothing."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from evalci.cli.console import Console, Parser
from evalci.cli.loop import run_async
from evalci.cli.run_command import add_suite_options, request_of
from evalci.errors import EXIT_PASSED, UsageError
from evalci.pipeline import Surroundings, load_suite, prepare
from evalci.reporters.facts import dollars
from evalci.wording import count_of, printable

if TYPE_CHECKING:
    from evalci.planning import Estimate, Expected, PlannedCalls

WHOSE: Final = {"auto": "`evalci record`", "live": "`evalci run --cache live`", "off": "`evalci run --cache off`"}


def main(words: list[str], console: Console) -> int:
    """Print the plan; 0 unless the suite cannot be read."""
    parser = Parser("plan", "What would be called, with tokens and dollars. Calls nothing.")
    add_suite_options(parser)
    parser.add_argument(
        "--cache",
        default="auto",
        choices=tuple(WHOSE),
        help="auto: what is not recorded is called; live, off: everything is (default: auto)",
    )
    parser.add_argument("--reporter", default="terminal", choices=("terminal", "json"), help="for people or machines")
    parser.add_argument("--allow-outside", action="store_true", help="let data files lie outside the project")
    arguments = parser.read(words, console)
    if arguments is None:
        return EXIT_PASSED
    suite = load_suite(Path(arguments.config))
    if suite.evals:
        hint = "`evalci run` replays it, and names every call that is not recorded"
        raise UsageError(
            "what a suite in Python calls is decided by its own code, which a plan does not run", hint=hint
        )
    mode, arguments.cache = arguments.cache, "replay"
    from evalci.planning import Watcher, plan_calls

    watcher = Watcher()
    around = Surroundings(environ=console.environ, on_bug=console.bug, watch=watcher.watch)
    plan = prepare(request_of(arguments), around, suite=suite)
    expected = run_async(plan_calls(plan, watcher, everything=mode != "auto"))
    if arguments.reporter == "json":
        console.write(json.dumps(_plain(expected, mode), indent=2, sort_keys=True, ensure_ascii=False) + "\n")
    else:
        console.write("".join(f"{line}\n" for line in lines(expected, mode, suite.run.budget_usd)))
    return EXIT_PASSED


def lines(expected: "Expected", mode: str, budget_usd: float | None) -> Iterator[str]:
    """The page: each part, then the whole."""
    yield f"what {WHOSE[mode]} would call"
    for part in expected.calls:
        yield ""
        yield from _part(part)
    for start in expected.starts:
        yield ""
        yield f"{printable(start.who)}: {start.type}"
        yield f"  at most {count_of(start.starts, 'start')}; what it calls itself is not known, and not recorded"
    yield ""
    if expected.to_make == 0:
        yield "no call to make" + (": everything is recorded" if expected.calls else "")
    else:
        yield f"{count_of(expected.to_make, 'call')} to make, {_dollars(expected.cost_usd, expected.certainty)}"
    if budget_usd is not None:
        yield f"budget_usd: {dollars(budget_usd)}; once that is spent, no new case is started"
    yield "nothing was called"


def _part(part: "PlannedCalls") -> Iterator[str]:
    yield f"{printable(part.who)}: {printable(part.model)}"
    waiting = f" ({part.waiting} of them on answers yet to come)" if part.waiting else ""
    yield f"  {count_of(part.calls, 'call')}: {part.recorded} recorded, {part.to_make} to make{waiting}"
    if part.to_make:
        guess = part.estimate
        yield f"  {'at least' if part.waiting and guess.certainty == 'at least' else 'about'} {_tokens(guess)}"
        yield f"  {_dollars(guess.cost_usd, guess.certainty)}"


def _tokens(guess: "Estimate") -> str:
    if guess.output_tokens is None:
        return f"{guess.input_tokens:,} tokens in; how many out is not known"
    return f"{guess.input_tokens:,} tokens in, {'up to ' * (guess.certainty == 'up to')}{guess.output_tokens:,} out"


def _dollars(cost: float | None, certainty: str) -> str:
    return "dollars unknown: the suite states no `cost`" if cost is None else f"{certainty} {dollars(cost)}"


def _plain(expected: "Expected", mode: str) -> dict[str, object]:
    return {
        "schema": "evalci.plan/1",
        "cache": mode,
        "calls": [asdict(part) for part in expected.calls],
        "starts": [asdict(part) for part in expected.starts],
        "to_make": expected.to_make,
        "cost_usd": expected.cost_usd,
        "certainty": expected.certainty,
    }
