"""A long-lived program that is talked to in lines: one goes in, one comes out."""

import asyncio
import contextlib
import os
from types import TracebackType
from typing import Final, Self

from evalci.process.child import Exit
from evalci.process.finished import Finished
from evalci.process.job import Job
from evalci.process.pump import CHUNK, LAST_LOOK, Inflow, Outflow
from evalci.process.runner import GRACE_SECONDS, cpu_ran_out, finish
from evalci.process.start import start

MAX_LINE_BYTES: Final = 8 * 1024 * 1024


class LineTooLong(Exception):
    """A program wrote more than a line may hold, and no line end."""


class LineProcess:
    """A running program and its lines. `async with` it: at the end of the block nothing of it is alive.

    The time limit holds for each line that is waited for, the other limits for the whole life of the program.
    """

    def __init__(self, job: Job, *, max_line_bytes: int = MAX_LINE_BYTES) -> None:
        self._job = job
        self._max_line_bytes = max_line_bytes
        self._was_late = False
        self._undo = contextlib.ExitStack()

    async def __aenter__(self) -> Self:
        """The program, started. Raises NotStarted."""
        self._loop = asyncio.get_running_loop()
        self._child = start(self._job)
        self._began = self._loop.time()
        self._ending = self._child.end()
        with contextlib.ExitStack() as undo:
            undo.callback(self._child.end_now, self._ending)
            self._exited = asyncio.Event()
            self._lines = _Lines(self._loop, self._child.pipes.stdout, self._max_line_bytes)
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

    def send_line(self, line: bytes) -> None:
        """Give the program a line, now or when it reads on. That it reads no more shows in `read_line`."""
        if b"\n" in line:
            raise ValueError("a line holds no line end")
        self._sent.send(line + b"\n")

    async def read_line(self) -> bytes | None:
        """The next line without its end, or None when there will be no more.

        Raises TimeoutError and LineTooLong; after either the program's answers can no more be told apart.
        """
        try:
            async with asyncio.timeout(self._job.limits.timeout_seconds):
                return await self._lines.next()
        except TimeoutError:
            self._was_late = True
            raise

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        line = await self.read_line()
        if line is None:
            raise StopAsyncIteration
        return line

    async def stop(self, patience_seconds: float = 2.0) -> Finished:
        """How the program ended: by itself, when it leaves soon after the end of its input, else it is killed."""
        self._sent.send(b"", last=True)
        if not self._was_late:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._exited.wait(), patience_seconds)
        duration = self._loop.time() - self._began
        await finish(self._child, self._ending)
        stderr = self._errors.take()
        exit_ = self._child.exit or Exit()
        return Finished(
            exit_code=exit_.code,
            signal=exit_.signal,
            stopped_by="timeout_seconds" if self._was_late else cpu_ran_out(exit_, self._job.limits),
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

    def __init__(self, loop: asyncio.AbstractEventLoop, handle: int, longest: int) -> None:
        self._loop = loop
        self._handle = handle
        self._longest = longest
        self._buffer = bytearray()
        self._searched = 0
        self._ended = False
        self._reading = False
        self._news = asyncio.Event()
        self._resume()

    async def next(self) -> bytes | None:
        """The next line, or None at the end."""
        while True:
            found = self._buffer.find(b"\n", self._searched)
            if found >= 0:
                return self._cut(found, found + 1)
            self._searched = len(self._buffer)
            if self._searched > self._longest:
                raise LineTooLong(f"more than {self._longest} bytes without a line end")
            if self._ended:
                return self._cut(self._searched, self._searched) if self._buffer else None
            self._resume()
            self._news.clear()
            await self._news.wait()

    def finish(self) -> None:
        """The program is gone: what still lies in the pipe is the last there is."""
        looked = 0
        while not self._ended and looked < LAST_LOOK and (read := self._read()):
            looked += read
        self.stop()

    def stop(self) -> None:
        """Read no more."""
        self._pause()
        self._ended = True
        self._news.set()

    def _cut(self, end: int, following: int) -> bytes:
        line = bytes(self._buffer[:end])
        del self._buffer[:following]
        self._searched = 0
        return line

    def _read(self) -> int:
        try:
            data = os.read(self._handle, CHUNK)
        except BlockingIOError:
            return 0
        except OSError:
            data = b""
        if not data:
            self.stop()
            return 0
        self._buffer += data
        self._news.set()
        if len(self._buffer) > self._longest:
            self._pause()
        return len(data)

    def _resume(self) -> None:
        if not self._reading and not self._ended:
            self._loop.add_reader(self._handle, self._read)
            self._reading = True

    def _pause(self) -> None:
        if self._reading:
            self._loop.remove_reader(self._handle)
            self._reading = False
