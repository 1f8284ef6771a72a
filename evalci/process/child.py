"""A program that was started: its pipes, its exit, and the end of everything it started."""

import asyncio
import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from evalci.process.cage import Cage
from evalci.process.leftovers import HOUSEHOLD
from evalci.process.workplace import Workplace

PATIENCE_SECONDS: Final = 5.0  # for killed processes to be gone; one that hangs in the kernel may take longer
CLOSED: Final = -1


@dataclass(frozen=True, kw_only=True, slots=True)
class Exit:
    """How the program's own process ended; both are None when someone else waited for it first."""

    code: int | None = None
    signal: int | None = None
    cpu_seconds: float = 0.0


@dataclass(kw_only=True, slots=True)
class Pipes:
    """Our ends of a program's streams."""

    stdin: int
    stdout: int
    stderr: int

    def close_stdin(self) -> None:
        """Let the program see the end of its input."""
        if self.stdin != CLOSED:
            os.close(self.stdin)
            self.stdin = CLOSED

    def close(self) -> None:
        """Give all of them back."""
        self.close_stdin()
        for handle in (self.stdout, self.stderr):
            if handle != CLOSED:
                os.close(handle)
        self.stdout = self.stderr = CLOSED


@dataclass(kw_only=True, slots=True)
class Child:
    """A started program. Until `end` was run through, something of it may be alive."""

    process: subprocess.Popen[bytes]
    pipes: Pipes
    workplace: Workplace
    cage: Cage | None = None
    notes: list[str] = field(default_factory=list)
    exit: Exit | None = None

    @property
    def pid(self) -> int:
        """The number of the program's own process, which is also that of its session and its group."""
        return self.process.pid

    def on_exit(self, loop: asyncio.AbstractEventLoop, tell: Callable[[], None]) -> Callable[[], None]:
        """A function that calls the watch off; until then `tell` is called once the program's own process is dead."""
        try:
            handle = os.pidfd_open(self.pid)
        except (AttributeError, OSError):  # not Linux, or forbidden
            return self._watch_by_looking(loop, tell)
        watching = True

        def stop() -> None:
            nonlocal watching
            if watching:
                watching = False
                loop.remove_reader(handle)
                os.close(handle)

        def dead() -> None:
            stop()
            tell()

        loop.add_reader(handle, dead)
        return stop

    def end(self) -> Iterator[float]:
        """Pauses, in seconds, to make while every process of this program dies; after the last one none is left."""
        give_up = time.monotonic() + PATIENCE_SECONDS
        pause = 0.0005
        while self._kill_all():
            if time.monotonic() > give_up:
                self.notes.append("a process it started could not be ended")
                break
            yield pause
            pause = min(pause * 2, 0.02)
        HOUSEHOLD.dismiss(self.pid)

    def end_now(self, ending: Iterator[float] | None = None) -> None:
        """Nothing is left, without a loop: an `ending` that was begun is run through, all it held is given back."""
        for pause in ending or self.end():
            time.sleep(pause)
        self.pipes.close()
        self.workplace.remove()

    def _kill_all(self) -> bool:
        """Is anything of this program still there?"""
        if self.exit is None:
            # Until it is waited for, nobody else can have its number.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            self._wait()
        caged = self.cage is not None and (self.cage.kill() or not self.cage.remove())
        orphans = HOUSEHOLD.kill_orphans(self.pid)
        return self.exit is None or caged or orphans

    def _wait(self) -> None:
        try:
            pid, status, usage = os.wait4(self.pid, os.WNOHANG)
        except ChildProcessError:
            pid, self.exit = 0, Exit()
        if pid:
            code, cpu = os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime
            self.exit = Exit(code=code, cpu_seconds=cpu) if code >= 0 else Exit(signal=-code, cpu_seconds=cpu)
        if self.exit is not None:
            self.process.returncode = 0  # Popen need not wait any more

    def _watch_by_looking(self, loop: asyncio.AbstractEventLoop, tell: Callable[[], None]) -> Callable[[], None]:
        timer: asyncio.TimerHandle

        def look(pause: float) -> None:
            nonlocal timer
            self._wait()
            if self.exit is not None:
                tell()
            else:
                timer = loop.call_later(pause, look, min(pause * 2, 0.02))

        timer = loop.call_later(0, look, 0.001)
        return lambda: timer.cancel()
