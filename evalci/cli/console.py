"""The streams and environment a command was started with, and how it talks to people."""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn, TextIO

from evalci.errors import UsageError


@dataclass(frozen=True, kw_only=True, slots=True)
class Console:
    """Where a command reads, writes and complains."""

    stdin: TextIO
    stdout: TextIO
    stderr: TextIO
    environ: Mapping[str, str]
    debug: bool = False

    def bug(self, exc: BaseException) -> None:
        """A failure of our own that became a result: with `--debug`, show where it happened."""
        if self.debug:
            import traceback

            self.error("".join(traceback.format_exception(exc)).rstrip())

    def write(self, text: str) -> None:
        """What was asked for, to stdout."""
        _write(self.stdout, text)

    def error(self, line: str) -> None:
        """One line for people, to stderr."""
        _write(self.stderr, f"{line}\n")


def _write(stream: TextIO, text: str) -> None:
    """UTF-8 whatever the locale says; the report is the same on every machine."""
    buffer = getattr(stream, "buffer", None)
    if buffer is None:
        stream.write(text)
        return
    stream.flush()
    buffer.write(text.encode("utf-8", "replace"))
    buffer.flush()


class Parser(argparse.ArgumentParser):
    """An argument parser that raises our own errors, and knows no abbreviations."""

    def __init__(self, command: str, about: str) -> None:
        super().__init__(prog=f"evalci {command}", description=about, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, hint=f"`{self.prog} --help` lists what it takes")

    def read(self, words: list[str], console: Console) -> argparse.Namespace | None:
        """The arguments, or None when help was asked for and printed."""
        if "-h" in words or "--help" in words:
            console.write(self.format_help())
            return None
        return self.parse_args(words)
