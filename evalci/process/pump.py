"""Moving bytes between a program's pipes and memory, on the event loop, in whatever order the program likes."""

import asyncio
import os
from collections import deque
from collections.abc import Callable
from typing import Final

from evalci.process.child import CLOSED, Pipes

CHUNK: Final = 256 * 1024
FLOOD: Final = 16  # times what is kept: past this a program is not talkative but broken
LAST_LOOK: Final = 1024 * 1024  # a pipe holds no more than this


class Inflow:
    """What a program wrote to one stream: the beginning of it, and how many bytes were dropped after that."""

    def __init__(self, loop: asyncio.AbstractEventLoop, handle: int, keep: int, on_flood: Callable[[], None]) -> None:
        self.dropped = 0
        self.ended = loop.create_future()
        self._loop = loop
        self._handle = handle
        self._keep = keep
        self._kept = bytearray()
        self._on_flood = on_flood
        loop.add_reader(handle, self._read)

    def take(self) -> bytes:
        """Everything kept, after a last look at what lies in the pipe. Nothing is read any more."""
        looked = 0
        while not self.ended.done() and looked < LAST_LOOK:
            read = self._read()
            if read == 0:
                break
            looked += read
        self.stop()
        return bytes(self._kept)

    def stop(self) -> None:
        """Read no more."""
        if not self.ended.done():
            self._loop.remove_reader(self._handle)
            self.ended.set_result(None)

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
        room = self._keep - len(self._kept)
        if room >= len(data):
            self._kept += data
        else:
            self._kept += data[:room]
            self.dropped += len(data) - room
            if self.dropped > self._keep * (FLOOD - 1):
                self._on_flood()
        return len(data)


class Outflow:
    """What a program is given to read. One that does not want it, or not all of it, is left alone."""

    def __init__(self, loop: asyncio.AbstractEventLoop, pipes: Pipes) -> None:
        self._loop = loop
        self._pipes = pipes
        self._waiting: deque[memoryview] = deque()
        self._is_last = False
        self._watching = False

    def send(self, data: bytes, *, last: bool = False) -> None:
        """Write this, now or when the program reads on; after the last the program sees the end of its input."""
        if data:
            self._waiting.append(memoryview(data))
        self._is_last = self._is_last or last
        if not self._watching:
            self._write()

    def stop(self) -> None:
        """Write no more, and close."""
        self._waiting.clear()
        if self._watching:
            self._loop.remove_writer(self._pipes.stdin)
            self._watching = False
        self._pipes.close_stdin()

    def _write(self) -> None:
        if self._pipes.stdin == CLOSED:
            return
        try:
            while self._waiting:
                written = os.write(self._pipes.stdin, self._waiting[0][:CHUNK])
                self._waiting[0] = self._waiting[0][written:]
                if not self._waiting[0]:
                    self._waiting.popleft()
        except BlockingIOError:
            if not self._watching:
                self._loop.add_writer(self._pipes.stdin, self._write)
                self._watching = True
            return
        except OSError:  # it closed its stdin, or is gone
            self.stop()
            return
        if self._watching:
            self._loop.remove_writer(self._pipes.stdin)
            self._watching = False
        if self._is_last:
            self.stop()
