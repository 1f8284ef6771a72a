"""What came of a started program."""

import signal
from dataclasses import dataclass, field
from typing import Literal

from evalci.errors import EvalciError
from evalci.process.limits import Limits
from evalci.wording import plain_number


class NotStarted(EvalciError):
    """A program could not be started at all; the message says why."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Finished:
    """How a program ended and what it wrote. It has an exit code or the signal it died of, never both.

    `stopped_by` names the limit that ended it. `notes` say which limits did not bind here, and why.
    """

    exit_code: int | None
    signal: int | None = None
    stopped_by: Literal["timeout_seconds", "cpu_seconds", "output_mb"] | None = None
    stdout: bytes = field(default=b"", repr=False)
    stderr: bytes = field(default=b"", repr=False)
    stdout_dropped: int = 0
    stderr_dropped: int = 0
    duration: float
    cwd: str
    limits: Limits
    notes: tuple[str, ...] = ()

    @property
    def succeeded(self) -> bool:
        """Did it end by itself with exit code 0?"""
        return self.exit_code == 0 and self.stopped_by is None

    @property
    def timed_out(self) -> bool:
        """Did the time on the wall, or its CPU time, run out?"""
        return self.stopped_by in ("timeout_seconds", "cpu_seconds")

    @property
    def status_text(self) -> str:
        """`exit status: 3` or `signal: 9 (SIGKILL)`: what the operating system reported."""
        if self.signal is not None:
            return f"signal: {self.signal}{_signal_name(self.signal)}"
        return f"exit status: {'unknown' if self.exit_code is None else self.exit_code}"

    @property
    def ending_text(self) -> str:
        """How it ended, to follow the program's name: `timed out after 5s`, `exited with exit status: 3`."""
        match self.stopped_by:
            case "timeout_seconds":
                return f"timed out after {plain_number(self.limits.timeout_seconds)}s"
            case "cpu_seconds" if self.limits.cpu_seconds is not None:
                return f"timed out after {plain_number(self.limits.cpu_seconds)}s of CPU time"
            case "cpu_seconds":
                return "timed out: its CPU time ran out"
            case "output_mb":
                return f"was ended: it wrote far more than output_mb: {plain_number(self.limits.output_mb)}"
        return f"exited with {self.status_text}"


def text_of(output: bytes) -> str:
    """Output as text; what is not UTF-8 is replaced."""
    return output.decode("utf-8", "replace")


def _signal_name(number: int) -> str:
    try:
        return f" ({signal.Signals(number).name})"
    except ValueError:
        return ""
