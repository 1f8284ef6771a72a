"""What came of starting a program once, in the words of the seed: exit code, time-out, streams as text."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from evalci.process import Finished, Job, NotStarted, text_of
from evalci.unicode import utf8_text

ENDED_BY_US: Final = -1
NOT_STARTED: Final = -2


@dataclass(frozen=True, kw_only=True, slots=True)
class Execution:
    """One run of a program. Its exit code is -1 when a limit of ours ended it, -2 when it could not be started, and
    minus the signal that it died of.

    `ending` says how it ended, to follow "the program"; `error` what went wrong when neither time-out nor exit code
    tell. `notes` are limits that do not bind here.
    """

    stdout: str = field(default="", repr=False)
    stderr: str = field(default="", repr=False)
    exit_code: int
    timed_out: bool = False
    dropped: int = 0
    ending: str = ""
    error: str | None = None
    command: tuple[str, ...]
    args: tuple[str, ...] = ()
    working_dir: str | None = None
    seconds: float = 0.0
    notes: tuple[str, ...] = ()

    def facts(self) -> dict[str, Any]:
        """What is always said of a run, in this order; the score's reason is not among it."""
        return {
            "stdout": self.stdout,
            "stderr": self.stderr,
            "exit_code": self.exit_code,
            "timed_out": self.timed_out,
            "command": list(self.command),
            "args": list(self.args),
            "working_dir": self.working_dir,
            "execution_time": self.seconds,
        }


Scrub = Callable[[str], str]


def ended(finished: Finished, job: Job, args: tuple[str, ...], scrub: Scrub = str) -> Execution:
    """The execution of a program that was started."""
    return Execution(
        stdout=utf8_text(scrub(text_of(finished.stdout))),
        stderr=utf8_text(scrub(text_of(finished.stderr))),
        exit_code=_code(finished),
        timed_out=finished.timed_out,
        dropped=finished.stdout_dropped,
        ending=finished.ending_text,
        error=f"the program {finished.ending_text}" if finished.stopped_by == "output_mb" else None,
        working_dir=finished.cwd,
        seconds=finished.duration,
        notes=finished.notes,
        **_words(job, args, scrub),
    )


def never_started(exc: NotStarted, job: Job, args: tuple[str, ...], scrub: Scrub = str) -> Execution:
    """The execution of a program that could not be started: an exit code of its own, and the reason on stderr."""
    complaint = utf8_text(scrub(str(exc)))
    return Execution(
        stderr=f"Execution error: {complaint}", exit_code=NOT_STARTED, working_dir=job.cwd, **_words(job, args, scrub)
    )


def _code(finished: Finished) -> int:
    if finished.stopped_by is not None:
        return ENDED_BY_US
    if finished.signal is not None:
        return -finished.signal
    return ENDED_BY_US if finished.exit_code is None else finished.exit_code


def _words(job: Job, args: tuple[str, ...], scrub: Scrub) -> Mapping[str, Any]:
    return {
        "command": tuple(utf8_text(scrub(word)) for word in job.argv),
        "args": tuple(utf8_text(scrub(word)) for word in args),
    }
