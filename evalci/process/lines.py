"""A long-lived program that is talked to in lines: one goes in, one comes out."""

import asyncio
import contextlib
import os
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Final, Self

from evalci.process.child import Exit
from evalci.process.finished import Finished
from evalci.process.job import Job
from evalci.process.limits import Limits
from evalci.process.pump import CHUNK, LAST_LOOK, Inflow, Outflow
from evalci.process.runner import GRACE_SECONDS, cpu_ran_out, finish
from evalci.process.start import start

MAX_LINE_BYTES: Final = 8 * 1024 * 1024


class LineTooLong(Exception):
    """A program wrote a line longer than a line may be, or more than that and no line end."""


class LineProcess:
    """A running program and its lines. `async with` it: at the end of the block nothing of it is alive.

    Lines are handed over by the event loop as they come, with no task in between. The time limit holds for each that
    is expected, the other limits for the whole life of the program.
    """

    def __init__(self, job: Job, *, max_line_bytes: int = MAX_LINE_BYTES) -> None:
        self._job = job
        self._max_line_bytes = max_line_bytes
        self._undo = contextlib.ExitStack()
        self.was_ended = False  # by `stop`, which lost its patience

    async def __aenter__(self) -> Self:
        """The program, started. Raises NotStarted."""
        self._loop = asyncio.get_running_loop()
        self._child = start(self._job)
        self._began = self._loop.time()
        self._ending = self._child.end()
        with contextlib.ExitStack() as undo:
            undo.callback(self._child.end_now, self._ending)
            self._exited = asyncio.Event()
            self._lines = _Lines(self._loop, self._child.pipes.stdout, self._max_line_bytes, self._job.limits)
            self._errors = Inflow(self._loop, self._child.pipes.stderr, self._job.limits.output_bytes, lambda: None)
            self._sent = Outflow(self._loop, self._child.pipes)
            for part in (self._lines, self._errors, self._sent):
                undo.callback(part.stop)
            undo.callback(self._child.on_exit(self._loop, self._on_exit))
            self._sent.send(self._job.stdin)
            self._undo = undo.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._undo.close()

    def send(self, lines: Sequence[bytes]) -> None:
        """Give the program these lines, now or when it reads on. That it reads no more shows in `over`."""
        if any(b"\n" in line for line in lines):
            raise ValueError("a line holds no line end")
        if sum(map(len, lines)) <= CHUNK:
            self._sent.send(b"\n".join((*lines, b"")))
            return
        for line in lines:  # large ones are not copied to go in one write
            self._sent.send(line)
            self._sent.send(b"\n")

    def expect(self, on_line: Callable[[bytes], bool]) -> None:
        """Hand over each line without its end, until `on_line` answers that for now no more is expected.

        The time limit starts anew with every call. What `on_line` raises ends the hearing.
        """
        self._lines.expect(on_line)

    async def over(self) -> None:
        """Returns when a line is expected and there will be none, or after `hang_up`.

        Raises TimeoutError, LineTooLong, or what `on_line` raised; after any of them the program's answers can no more
        be told apart.
        """
        await asyncio.shield(self._lines.over)

    def hang_up(self) -> None:
        """Hand over no more lines."""
        self._lines.close()

    async def stop(self, patience_seconds: float = 2.0) -> Finished:
        """How the program ended: by itself, when it leaves soon after the end of its input, else it is killed."""
        self._sent.send(b"", last=True)
        was_late = self._lines.was_late
        if not was_late:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._exited.wait(), patience_seconds)
            self.was_ended = not self._exited.is_set()
        duration = self._loop.time() - self._began
        await finish(self._child, self._ending)
        stderr = self._errors.take()
        exit_ = self._child.exit or Exit()
        return Finished(
            exit_code=exit_.code,
            signal=exit_.signal,
            stopped_by="timeout_seconds" if was_late else cpu_ran_out(exit_, self._job.limits),
            stderr=stderr,
            stderr_dropped=self._errors.dropped,
            duration=duration,
            cwd=self._child.workplace.cwd,
            limits=self._job.limits,
            notes=tuple(self._child.notes),
        )

    def _on_exit(self) -> None:
        self._exited.set()
        self._undo.callback(self._loop.call_later(GRACE_SECONDS, self._lines.finish).cancel)


class _Lines:
    """The lines of a stream. No more is read ahead than the longest line allowed, so a flood waits in its pipe."""

    def __init__(self, loop: asyncio.AbstractEventLoop, handle: int, longest: int, limits: Limits) -> None:
        self.over = loop.create_future()
        self.was_late = False
        self._loop = loop
        self._handle = handle
        self._longest = longest
        self._seconds = limits.timeout_seconds
        self._buffer = bytearray()
        self._searched = 0  # of the buffer, without finding a line end
        self._on_line: Callable[[bytes], bool] | None = None  # while a line is expected
        self._handing = False
        self._due = 0.0
        self._watch: asyncio.TimerHandle | None = None
        self._ended = False
        self._reading = False
        self._resume()

    def expect(self, on_line: Callable[[bytes], bool]) -> None:
        """Hand over what there is, and what comes."""
        if self.over.done():
            return
        self._on_line = on_line
        self._due = self._loop.time() + self._seconds
        if self._watch is None:
            self._watch = self._loop.call_at(self._due, self._look)
        if not self._handing:
            self._hand_over()

    def finish(self) -> None:
        """The program is gone: what still lies in the pipe is the last there is."""
        looked = 0
        while not self._ended and looked < LAST_LOOK and (read := self._read()):
            looked += read
        self._end()

    def close(self, error: Exception | None = None) -> None:
        """Hand over no more; whoever waits for the end is told."""
        self._on_line = None
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None
        if not self.over.done():
            if error is None:
                self.over.set_result(None)
            else:
                self.over.set_exception(error)
                self.over.exception()  # whether or not anybody waits

    def stop(self) -> None:
        """Read no more, hand over no more."""
        self._pause()
        self._ended = True
        self.close()

    def _read(self) -> int:
        try:
            data = os.read(self._handle, CHUNK)
        except BlockingIOError:
            return 0
        except OSError:
            data = b""
        if not data:
            self._end()
            return 0
        self._buffer += data
        self._hand_over()
        if len(self._buffer) > self._longest:
            self._pause()
        return len(data)

    def _end(self) -> None:
        self._pause()
        self._ended = True
        self._hand_over()

    def _hand_over(self) -> None:
        """Every whole line that is expected; at the end of the stream the rest, and the news that it is over."""
        self._handing = True
        try:
            while self._on_line is not None and (line := self._next()) is not None:
                if not self._on_line(line):
                    self._on_line = None
        except Exception as exc:
            self.close(exc)
        finally:
            self._handing = False
        if self._on_line is None:
            return
        if self._ended:
            self.close()
        else:
            self._resume()

    def _next(self) -> bytes | None:
        """The next whole line. Raises LineTooLong, however the line was cut up on its way here."""
        end = self._buffer.find(b"\n", self._searched)
        length = len(self._buffer) if end < 0 else end
        if length > self._longest:
            raise LineTooLong(f"a line of more than {self._longest} bytes")
        if end >= 0:
            return self._cut(end, end + 1)
        self._searched = length
        return self._cut(length, length) if self._ended and length else None

    def _cut(self, end: int, following: int) -> bytes:
        line = bytes(self._buffer[:end])
        del self._buffer[:following]
        self._searched = 0
        return line

    def _look(self) -> None:
        """Is what is expected late?"""
        self._watch = None
        if self._on_line is None:
            return
        if self._loop.time() < self._due:
            self._watch = self._loop.call_at(self._due, self._look)
        else:
            self.was_late = True
            self.close(TimeoutError())

    def _resume(self) -> None:
        if not self._reading and not self._ended:
            self._loop.add_reader(self._handle, self._read)
            self._reading = True

    def _pause(self) -> None:
        if self._reading:
            self._loop.remove_reader(self._handle)
            self._reading = False
