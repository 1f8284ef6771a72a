"""Finding and ending what a job left behind: every process it started, also one that left its session.

A job's program leads a session of its own, so killing its group ends almost everything. A process that escaped (a
double fork with setsid) becomes a child of this process, which makes itself the subreaper. Whose it is says a mark
that a fork and an exec hand on: the soft limit on real-time CPU, far too high to bind. An environment variable would
do too, but programs would see it, and `env -i` would wash it off.
"""

import contextlib
import functools
import os
import resource
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

_RTTIME: Final[int] = getattr(resource, "RLIMIT_RTTIME", -1)
_FIRST_MARK: Final = 1 << 52  # microseconds: 142 years
_SET_SUBREAPER, _GET_SUBREAPER = 36, 37  # prctl options, linux/prctl.h
SEES_ALL: Final = _RTTIME >= 0 and Path("/proc/self/task").is_dir()
_LISTS_CHILDREN: Final = Path(f"/proc/self/task/{os.getpid()}/children").exists()


class Household:
    """The jobs of this process that are alive, and which child belongs to which of them."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._marks: dict[int, int | None] = {}
        self._started = 0
        self._was_reaper: bool | None = None

    @contextlib.contextmanager
    def starting(self) -> Iterator[int | None]:
        """The mark that a program started in this block carries, None where there are no marks.

        One start at a time, so that marks never mix; `adopt` it before the block ends.
        """
        with self._lock:
            if not SEES_ALL:
                yield None
                return
            self._become_reaper()
            own = resource.getrlimit(_RTTIME)
            try:
                yield self._next_mark(own[1])
            finally:
                resource.setrlimit(_RTTIME, own)
                self._retire()

    def adopt(self, leader: int, mark: int | None) -> None:
        """Note a job by the process that leads it."""
        self._marks[leader] = mark

    def fasten(self, leader: int) -> None:
        """Let the program no more raise its mark, which without this it could change to look like nobody's."""
        mark = self._marks.get(leader)
        if mark is not None:
            with contextlib.suppress(OSError, ValueError):
                resource.prlimit(leader, _RTTIME, (mark, mark))

    def dismiss(self, leader: int) -> None:
        """Forget a job of which nothing is left; after the last one this process stops adopting orphans."""
        with self._lock:
            self._marks.pop(leader, None)
            self._retire()

    def kill_orphans(self, leader: int) -> bool:
        """Were there processes of this job, other than its leader, that are not gone yet? All of them are killed."""
        if not SEES_ALL:
            return False
        with self._lock:
            found = [pid for pid in _children() if pid not in self._marks and self._belongs(pid, leader)]
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        return bool(found)

    def _belongs(self, pid: int, leader: int) -> bool:
        try:
            session = os.getsid(pid)
            mark = _mark_of(pid)
        except (OSError, ValueError, LookupError):
            return False
        if session in self._marks:
            return session == leader
        if session == os.getsid(0):  # not a job's: what left our session cannot come back to it
            return False
        if mark in self._marks.values():
            return mark == self._marks[leader]
        if mark == resource.getrlimit(_RTTIME)[0]:  # whatever else this process started
            return False
        return len(self._marks) == 1  # a mark that was tampered with: it goes when the last job does

    def _next_mark(self, ceiling: int) -> int | None:
        self._started += 1
        mark = _FIRST_MARK + (os.getpid() << 24) + self._started
        try:
            resource.setrlimit(_RTTIME, (mark, ceiling))
        except (OSError, ValueError):
            return None
        return mark

    def _become_reaper(self) -> None:
        if self._was_reaper is None:
            self._was_reaper = _is_reaper()
            _be_reaper(True)

    def _retire(self) -> None:
        if not self._marks and self._was_reaper is not None:
            _be_reaper(self._was_reaper)
            self._was_reaper = None


HOUSEHOLD: Final = Household()


def _children() -> list[int]:
    """The children of this process, whichever thread has them; dead ones too, until they are waited for."""
    if not _LISTS_CHILDREN:
        everyone = (int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdigit())
        return [pid for pid in everyone if _parent_of(pid) == os.getpid()]
    found: list[int] = []
    for thread in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError), open(thread / "children") as listing:
            found += map(int, listing.read().split())
    return found


def _parent_of(pid: int) -> int | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, IndexError):
        return None


def _mark_of(pid: int) -> int:
    try:
        return resource.prlimit(pid, _RTTIME)[0]
    except PermissionError:  # it runs as someone else by now
        with open(f"/proc/{pid}/limits") as file:
            soft = file.read().partition("Max realtime timeout")[2].split()[0]
        return int(soft) if soft.isdigit() else resource.RLIM_INFINITY


def _is_reaper() -> bool:
    import ctypes

    answer = ctypes.c_int(0)
    _prctl()(_GET_SUBREAPER, ctypes.byref(answer), 0, 0, 0)
    return bool(answer.value)


def _be_reaper(wanted: bool) -> None:
    _prctl()(_SET_SUBREAPER, int(wanted), 0, 0, 0)


@functools.cache
def _prctl() -> Callable[..., int]:
    import ctypes

    prctl: Callable[..., int] = ctypes.CDLL(None).prctl
    return prctl
