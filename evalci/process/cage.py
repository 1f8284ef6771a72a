"""A cgroup of our own that bounds how many processes a program has, where one can be made.

RLIMIT_NPROC counts per user and does not bind root; the pids controller does both right. cgroup v2 and v1 are read.
"""

import contextlib
import functools
import itertools
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_NUMBERS: Final = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Cage:
    """A folder of the cgroup tree that holds one program and all it starts."""

    folder: Path

    def kill(self) -> bool:
        """Is anything alive in it? All of it is killed."""
        inside = [int(line) for line in self._read("cgroup.procs").split()]
        for pid in inside:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        return bool(inside)

    def remove(self) -> bool:
        """Is it gone? It cannot go while anything is in it."""
        try:
            self.folder.rmdir()
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return True

    def _read(self, name: str) -> str:
        try:
            return (self.folder / name).read_text()
        except OSError:
            return ""


def put_in_cage(pid: int, processes: int) -> Cage | None:
    """A cage with the process in it, or None where this process may not make one."""
    parent = _where_cages_go()
    if parent is None:
        return None
    cage = Cage(parent / f"evalci-{os.getpid()}-{next(_NUMBERS)}")
    try:
        cage.folder.mkdir()
        (cage.folder / "pids.max").write_text(str(processes))
        (cage.folder / "cgroup.procs").write_text(str(pid))
    except OSError:
        cage.remove()
        return None
    return cage


@functools.cache
def _where_cages_go() -> Path | None:
    """The nearest group above us, or our own, in which a new one gets a pids controller and we may write."""
    for mounted, path, is_v2 in _pids_trees():
        here = mounted / path.lstrip("/")
        for folder in (here, *here.parents):
            if not folder.is_relative_to(mounted):
                break
            if os.access(folder, os.W_OK) and (not is_v2 or _hands_down_pids(folder)):
                return folder
    return None


def _hands_down_pids(folder: Path) -> bool:
    try:
        return "pids" in (folder / "cgroup.subtree_control").read_text().split()
    except OSError:
        return False


def _pids_trees() -> Iterator[tuple[Path, str, bool]]:
    """Mount point, our own path below it, and whether it is v2, for each tree that may count processes."""
    try:
        groups = [line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines()]
        mounts = [line.split(" ") for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    except OSError:
        return
    for _, controllers, path in groups:
        is_v2 = controllers == ""
        if not is_v2 and "pids" not in controllers.split(","):
            continue
        for mount in mounts:
            kind, options = mount[mount.index("-") + 1], mount[-1].split(",")
            if kind == "cgroup2" if is_v2 else (kind == "cgroup" and "pids" in options):
                root = mount[3].rstrip("/")
                if path == root or path.startswith(root + "/"):
                    yield Path(mount[4]), path[len(root) :], is_v2
