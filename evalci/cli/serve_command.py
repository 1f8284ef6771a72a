"""`evalci serve`: the runs of a suite's history as pages on this machine; read-only."""

from pathlib import Path
from typing import Final

from evalci.cli.console import Console, Parser
from evalci.cli.run_command import DEFAULT_CONFIG
from evalci.errors import EXIT_PASSED, UsageError
from evalci.wording import quoted

DEFAULT_PORT: Final = 7878


def main(words: list[str], console: Console) -> int:
    """Serve until Ctrl-C, which is how it ends and thus no failure: exit code 0."""
    parser = Parser("serve", "Look at past runs in a browser. Answers on 127.0.0.1 only, changes nothing.")
    parser.add_argument("config", nargs="?", default=DEFAULT_CONFIG, help="the suite (default: evals.yaml)")
    parser.add_argument(
        "--port", type=_port, default=DEFAULT_PORT, metavar="N", help=f"default: {DEFAULT_PORT}; 0 takes a free one"
    )
    arguments = parser.read(words, console)
    if arguments is None:
        return EXIT_PASSED
    config = Path(arguments.config)
    if not config.is_file():
        raise UsageError(f"cannot read {quoted(arguments.config)}: no such file", hint="its history lies beside it")
    from evalci.history import HistoryStore
    from evalci.serve.server import open_viewer

    with open_viewer(HistoryStore.beside(config), arguments.port, console.bug) as viewer:
        console.write(f"{viewer.url} shows the runs beside {arguments.config}; Ctrl-C stops it\n")
        try:
            viewer.serve_forever()
        except KeyboardInterrupt:
            console.error("stopped")
    return EXIT_PASSED


def _port(text: str) -> int:
    port = int(text) if text.isascii() and text.isdecimal() and len(text) <= 5 else -1
    if not 0 <= port <= 65535:
        raise ValueError(text)
    return port
