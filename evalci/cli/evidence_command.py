"""`evalci evidence run`: a suite through executor and judge adapters, kept so that a stranger can check it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from evalci.cli.actions import Action, run_action
from evalci.cli.console import Console, Parser
from evalci.cli.loop import run_async
from evalci.errors import EXIT_INCOMPLETE, EXIT_PASSED, UsageError

ABOUT: Final[Mapping[str, str]] = {"run": "run a suite through its adapters and keep everything as evidence"}


def main(words: list[str], console: Console) -> int:
    """Run the action that the first word names."""
    return run_action("evidence", ACTIONS, ABOUT, words, console)


def run(words: list[str], console: Console) -> int:
    """Run a suite; 3 when anything is missing, whatever passed."""
    parser = Parser("evidence run", "Run a suite through executor and judge adapters; keep everything as evidence.")
    parser.add_argument("--suite", required=True, metavar="NAME", help="a suite of the evidence config")
    parser.add_argument("--runs-per-condition", type=int, default=1, metavar="N", help="how often each case is run")
    parser.add_argument("--output-dir", required=True, metavar="DIR", help="an empty or new folder for the evidence")
    parser.add_argument("--seed", type=int, default=0, help="fixes the order of the attempts")
    parser.add_argument("--config", default="evidence.yaml", help="the evidence config (default: evidence.yaml)")
    arguments = parser.read(words, console)
    if arguments is None:
        return EXIT_PASSED
    if arguments.runs_per_condition < 1:
        raise UsageError(f"--runs-per-condition must be at least 1, got {arguments.runs_per_condition}")

    from evalci.evidence.runner import run_evidence
    from evalci.evidence.suite import load_plan
    from evalci.evidence.verify import verify

    plan = load_plan(Path(arguments.config), arguments.suite, console.environ)
    for warning in plan.warnings:
        console.error(f"warning: {warning}")
    ran = run_async(
        run_evidence(
            plan,
            Path(arguments.output_dir),
            runs=arguments.runs_per_condition,
            seed=arguments.seed,
            environ=console.environ,
            progress=_progress(console),
        )
    )
    console.write(ran.page)
    console.write(f"\nmanifest.json sha256:{ran.digest}\n")
    # An adapter that knows the folder could have changed what was kept of an earlier call.
    problems = verify(Path(arguments.output_dir), ran.digest).problems
    for problem in problems:
        console.error(f"the evidence was changed while the run was going on: {problem}")
    code: int = ran.manifest["verdict"]["exit_code"]
    return EXIT_INCOMPLETE if problems else code


def _progress(console: Console):  # type: ignore[no-untyped-def]
    def tell(what: str, done: int, total: int) -> None:
        if console.stderr.isatty():
            console.stderr.write(f"\r{done}/{total} {what}" + ("\r\x1b[K" if done == total else ""))
            console.stderr.flush()

    return tell


ACTIONS: Final[Mapping[str, Action]] = {"run": run}
