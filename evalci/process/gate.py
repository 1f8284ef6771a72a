"""Limits that hold before a program's first instruction.

A shell waits at a gate, a line on its stdin, until the limits are set on it from outside; then it becomes the program.
That costs one exec of a small shell, and running code between fork and exec in a threaded parent is avoided. Where
limits cannot be set from outside (not Linux), the shell sets those it knows itself.
"""

import contextlib
import math
import os
import resource
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evalci.process.cage import Cage, put_in_cage
from evalci.process.job import Job
from evalci.process.limits import Limits
from evalci.process.network import without_network
from evalci.process.workplace import Workplace

OPENING: Final = b"\n"
_FROM_OUTSIDE: Final = hasattr(resource, "prlimit")
_MEGABYTE: Final = 1024 * 1024
_NATIVE: Final = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """How a job is started: its argv with what goes before it, whether there is a gate, what will not bind."""

    argv: tuple[str, ...]
    gated: bool = False
    notes: tuple[str, ...] = ()


def plan(job: Job) -> Plan:
    """The way to start a job; with nothing to set beforehand the program is started directly."""
    words: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    if job.isolate_network:
        found = without_network()
        words = found or ()
        notes = () if found else ("the network is not cut off: this system does not let us",)
    if not _needs_gate(job.limits):
        return Plan(argv=words + job.argv, notes=notes)
    if not _FROM_OUTSIDE:
        notes += ("memory_mb does not bind on this system",) if job.limits.memory_mb else ()
        notes += ("processes binds all of this user's processes together",) if job.limits.processes else ()
    script = "; ".join(("read -r _ || exit 125", *_ulimits(job.limits), 'exec "$@"'))
    return Plan(argv=("/bin/sh", "-c", script, "sh", *words, *job.argv), gated=True, notes=notes)


def set_limits(pid: int, limits: Limits) -> tuple[Cage | None, tuple[str, ...]]:
    """The cage the process now sits in, if one was needed and possible, and notes on limits that do not bind."""
    if not _FROM_OUTSIDE:
        return None, ()
    notes = []
    for name, which, soft, hard in _rlimits(limits):
        try:
            _, ceiling = resource.prlimit(pid, which)
            soft, hard = (value if ceiling == resource.RLIM_INFINITY else min(value, ceiling) for value in (soft, hard))
            resource.prlimit(pid, which, (soft, hard))
        except (OSError, ValueError) as error:
            notes.append(f"{name} does not bind: {error}")
    cage = None
    if limits.processes is not None:
        cage = put_in_cage(pid, limits.processes)
        if cage is None:
            notes.append(_count_by_user(pid, limits.processes))
    return cage, tuple(notes)


def check_program(name: str, workplace: Workplace) -> str | None:
    """Why a program cannot be executed, or None. For starts where a shell stands between and would hide the reason."""
    search = workplace.environment.get("PATH", os.defpath)
    here = Path(workplace.cwd)
    folders = [here] if "/" in name else [here / folder for folder in search.split(os.pathsep)]
    there = [folder / name for folder in folders if _exists(folder / name)]
    if not there:
        return "there is no such program"
    path = next((path for path in there if path.is_file() and os.access(path, os.X_OK)), None)
    if path is None:
        return "it may not be executed"
    try:
        with path.open("rb") as file:
            first = file.readline(256)
    except OSError:  # executable, but not to be read
        return None
    if not first.startswith((b"#!", *_NATIVE)):
        return "it is neither a program of this system nor a script with a #! line"
    interpreter = first[2:].split()[:1] if first.startswith(b"#!") else []
    if interpreter and not _exists(here / os.fsdecode(interpreter[0])):
        return "the interpreter in its #! line does not exist"
    return None


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # in a folder that is closed to us
        return False


def _needs_gate(limits: Limits) -> bool:
    wanted = (limits.cpu_seconds, limits.memory_mb, limits.file_size_mb, limits.processes)
    return any(value is not None for value in wanted)


def _rlimits(limits: Limits) -> Iterator[tuple[str, int, int, int]]:
    """Name, resource, soft and hard limit. CPU time is whole seconds: rounded up, never ending a program early."""
    if limits.cpu_seconds is not None:
        seconds = math.ceil(limits.cpu_seconds)
        yield "cpu_seconds", resource.RLIMIT_CPU, seconds, seconds + 1
    if limits.memory_mb is not None:
        yield "memory_mb", resource.RLIMIT_AS, limits.memory_mb * _MEGABYTE, limits.memory_mb * _MEGABYTE
    if limits.file_size_mb is not None:
        yield "file_size_mb", resource.RLIMIT_FSIZE, limits.file_size_mb * _MEGABYTE, limits.file_size_mb * _MEGABYTE


def _ulimits(limits: Limits) -> Iterator[str]:
    """The same as shell commands. POSIX counts file sizes in blocks of 512 bytes."""
    if _FROM_OUTSIDE:
        return
    if limits.cpu_seconds is not None:
        seconds = math.ceil(limits.cpu_seconds)
        yield f"ulimit -S -t {seconds}; ulimit -H -t {seconds + 1}"
    if limits.file_size_mb is not None:
        yield f"ulimit -f {limits.file_size_mb * _MEGABYTE // 512}"
    if limits.processes is not None:
        yield f"ulimit -u {limits.processes}"


def _count_by_user(pid: int, processes: int) -> str:
    """Bound the user's processes, in lieu of the program's; the note that says what that means."""
    if os.geteuid() == 0:
        return "processes does not bind: it takes a cgroup that may be written, and RLIMIT_NPROC does not bind root"
    allowed = _tasks_of(os.getuid()) - 1 + processes  # the program to be is one of those counted
    try:
        resource.prlimit(pid, resource.RLIMIT_NPROC, (allowed, allowed))
    except (OSError, ValueError) as error:
        return f"processes does not bind: {error}"
    return "processes binds all of this user's processes together: there is no cgroup that may be written"


def _tasks_of(uid: int) -> int:
    count = 0
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if folder.name.isdigit() and folder.stat().st_uid == uid:
                count += sum(1 for _ in (folder / "task").iterdir())
    return count
