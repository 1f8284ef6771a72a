"""`evalci record`: `run` that may call: replays what is recorded, calls and records the rest."""

from evalci.cli import run_command
from evalci.cli.console import Console


def main(words: list[str], console: Console) -> int:
    """Run a suite with `--cache auto`."""
    return run_command.main(words, console, command="record", cache="auto")
