"""Where reports go: the terminal, one chosen file, and as many further files as were asked for."""

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evalci.cli.console import Console
from evalci.errors import UsageError
from evalci.model import Report
from evalci.reporters import REPORTERS, Style, choose_color, render, terminal
from evalci.wording import quoted

MAIN_REPORTERS: Final = ("terminal", "json", "junit", "markdown")
FILE_FLAGS: Final = tuple(name for name in REPORTERS if name != "terminal")


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """The options that say what is printed and written."""
    parser.add_argument(
        "--reporter", default="terminal", choices=MAIN_REPORTERS, help="what is printed (default: terminal)"
    )
    parser.add_argument("--output", metavar="PATH", help="write that report to a file instead of printing it")
    for name in FILE_FLAGS:
        parser.add_argument(f"--{name}", metavar="PATH", help=f"also write the {name} report to a file")
    parser.add_argument("--color", default="auto", choices=("auto", "always", "never"), help="colours on the terminal")
    parser.add_argument("--progress", default="auto", choices=("auto", "always", "never"), help="a counter on stderr")
    parser.add_argument("-q", "--quiet", action="store_true", help="leave passing cases out of the terminal report")


@dataclass(frozen=True, kw_only=True, slots=True)
class Outputs:
    """What to print and write, and where."""

    reporter: str
    output: str | None
    files: tuple[tuple[str, str], ...]
    style: Style
    counts: bool
    console: Console

    @classmethod
    def of(cls, arguments: argparse.Namespace, console: Console) -> "Outputs":
        """Read off the arguments. Raises `UsageError` before anything runs when two reports would share a file."""
        files = tuple((name, path) for name in FILE_FLAGS if (path := getattr(arguments, name)) is not None)
        paths = [path for _, path in files] + ([arguments.output] if arguments.output else [])
        for path in paths:
            if paths.count(path) > 1:
                raise UsageError(f"two reports would be written to {quoted(path)}")
        to_terminal = arguments.reporter == "terminal" and arguments.output is None
        color = to_terminal and choose_color(arguments.color, console.environ, console.stdout.isatty())
        counts = arguments.progress == "always" or (arguments.progress == "auto" and console.stderr.isatty())
        return cls(
            reporter=arguments.reporter,
            output=arguments.output,
            files=files,
            style=Style(color=color, quiet=arguments.quiet),
            counts=counts,
            console=console,
        )

    def progress(self, done: int, total: int) -> None:
        """A counter on one line of stderr, for a person who waits."""
        if self.counts:
            end = "\r\x1b[K" if done == total else ""
            self.console.stderr.write(f"\r{done}/{total} cases{end}")
            self.console.stderr.flush()

    def publish(self, report: Report) -> dict[str, str]:
        """Write every report. Stdout holds the chosen report alone; the verdict is printed with it, or on stderr.

        Returns the text of the reports that went to files, by format.
        """
        texts = {name: render(name, report, Style()) for name, _ in self.files}
        for name, path in self.files:
            _write_file(path, texts[name])
        self._print(report)
        return texts

    def _print(self, report: Report) -> None:
        if self.reporter == "terminal" and self.output is None:
            self.console.write(render("terminal", report, self.style) + terminal.verdict(report, self.style))
            return
        if self.output is None:
            self.console.write(render(self.reporter, report, Style()))
        else:
            _write_file(self.output, render(self.reporter, report, Style()))
            total = report.summary
            line = f"{total.passed} passed, {total.failed} failed, {total.total} total"
            self.console.error(f"{line} — report written to {self.output}")
        for line in terminal.verdict(report, Style()).splitlines():
            self.console.error(line)


def _write_file(path: str, text: str) -> None:
    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="")
    except OSError as exc:
        raise UsageError(f"cannot write the report to {quoted(path)}: {exc.strerror or exc}") from exc
