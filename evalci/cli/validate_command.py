"""`evalci validate`: every mistake in the config and the files it names; runs nothing."""

from pathlib import Path

from evalci.cli.console import Console, Parser
from evalci.cli.run_command import DEFAULT_CONFIG
from evalci.pipeline import Request, Surroundings, load_suite, prepare
from evalci.wording import count_of


def main(words: list[str], console: Console) -> int:
    """Check a suite, each target with the scorers; raises with every mistake."""
    parser = Parser("validate", "Check a suite, its datasets and schemas; runs nothing and calls nobody.")
    parser.add_argument("config", nargs="?", default=DEFAULT_CONFIG, help="the suite (default: evals.yaml)")
    parser.add_argument("--allow-outside", action="store_true", help="let data files lie outside the project")
    arguments = parser.read(words, console)
    if arguments is None:
        return 0
    suite = load_suite(Path(arguments.config))
    around = Surroundings(environ=console.environ)
    request = Request(config=Path(arguments.config), matrix=tuple(suite.targets), allow_outside=arguments.allow_outside)
    plan = prepare(request, around, suite=suite)
    counts = (
        count_of(len(plan.cases), "case"),
        count_of(len(suite.targets), "target"),
        count_of(len(suite.scorers), "scorer"),
        count_of(len(suite.gates), "gate"),
    )
    console.write(f"{arguments.config}: ok ({', '.join(counts)})\n")
    return 0
