"""The exception family: each error knows its exit code and what to do next.

Inside a run a failure is a result; an exception here means that we cannot go on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

EXIT_PASSED: Final = 0
EXIT_FAILED: Final = 1
EXIT_USAGE: Final = 2
EXIT_INCOMPLETE: Final = 3
EXIT_INTERRUPTED: Final = 130


class EvalciError(Exception):
    """What stops the program with a message a user can act on.

    `hint` says what to do next; it is printed indented below the message.
    """

    exit_code: ClassVar[int] = EXIT_USAGE

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def lines(self) -> tuple[str, ...]:
        """The message and its hint, one printable line each."""
        return (self.message, *(f"  {line}" for line in self.hint.splitlines()))


class UsageError(EvalciError):
    """The command line asks for something that cannot be."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """One mistake in a file: where it is, what it is, what would be right. Lines and columns count from 1."""

    file: str
    line: int | None = None
    column: int | None = None
    message: str
    hint: str = ""

    def lines(self) -> tuple[str, ...]:
        """`file:line:column: message`, then the hint indented by two."""
        where = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        return (f"{where}: {self.message}", *(f"  {line}" for line in self.hint.splitlines()))


class InputError(EvalciError):
    """A config, dataset, schema or cassette holds mistakes; all that were found are shown at once."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(line for problem in problems for line in problem.lines()))
        self.problems = tuple(problems)

    def lines(self) -> tuple[str, ...]:
        return tuple(line for problem in self.problems for line in problem.lines())


class ConfigError(InputError):
    """`evals.yaml`, or a file it names, cannot be used as it is."""


class DatasetError(InputError):
    """A dataset cannot be read as cases."""


class CassetteError(EvalciError):
    """Recordings cannot be trusted as they lie there; nothing was called and nothing overwritten."""


class BaselineError(EvalciError):
    """A baseline is missing or cannot be read."""


class ReportError(EvalciError):
    """A saved report cannot be read."""
