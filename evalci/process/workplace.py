"""The folder a program runs in, and the temporary folders that are its own."""

import itertools
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evalci.process.job import Job, Place

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_HOMES: Final = {"HOME": "home", "XDG_CONFIG_HOME": "config", "XDG_CACHE_HOME": "cache", "TMPDIR": "tmp"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Workplace:
    """Where a program runs and what it sees there; `temporary` is to be removed afterwards."""

    cwd: str
    environment: Mapping[str, str]
    temporary: str | None = None

    def remove(self) -> str | None:
        """Nothing, or a note that some of the temporary folder is still there."""
        if self.temporary is None or not os.path.lexists(self.temporary):
            return None
        try:
            _remove(self.temporary)
        except OSError as error:
            return f"its temporary folder could not be removed: {error.strerror}"
        return None


def prepare(job: Job) -> Workplace:
    """The folder of a job, made when it is to be fresh."""
    import tempfile

    if job.place is Place.GIVEN:
        return Workplace(cwd=str(Path(job.cwd or "").absolute()), environment=job.environment)
    root = Path(tempfile.mkdtemp(prefix="evalci-")).resolve()
    homes = {variable: root / name for variable, name in _HOMES.items()} if job.place is Place.FRESH_HOME else {}
    cwd = root / "work"
    for folder in (cwd, *homes.values()):
        folder.mkdir()
    environment = dict(job.environment) | {variable: str(folder) for variable, folder in homes.items()}
    return Workplace(cwd=str(cwd), environment=environment, temporary=str(root))


def _remove(root: str) -> None:
    """Remove a folder and all in it, however deep or locked. Links are not followed.

    A folder's folders are moved up to the root before it goes, so neither the depth of calls, the length of paths nor
    the number of open handles grows with what a program dug.
    """
    if not stat.S_ISDIR(os.lstat(root).st_mode):  # the program put something else there, perhaps a link to elsewhere
        Path(root).unlink()
        return
    Path(root).chmod(stat.S_IRWXU)
    top = os.open(root, _FOLDER)
    mark = os.urandom(8).hex()
    fresh = (f"{mark}-{number}" for number in itertools.count())
    try:
        while found := _entries(top):
            for name, is_folder in found:
                if is_folder:
                    _empty(name, top, fresh)
                    os.rmdir(name, dir_fd=top)
                else:
                    os.unlink(name, dir_fd=top)
    finally:
        os.close(top)
    Path(root).rmdir()


def _empty(name: str, top: int, fresh: Iterator[str]) -> None:
    """Remove the files of a folder in `top`, and move its folders up under fresh names."""
    folder = os.open(name, _FOLDER, dir_fd=top)
    try:
        for below, is_folder in _entries(folder):
            if is_folder:
                os.rename(below, next(fresh), src_dir_fd=folder, dst_dir_fd=top)
            else:
                os.unlink(below, dir_fd=folder)
    finally:
        os.close(folder)


def _entries(folder: int) -> list[tuple[str, bool]]:
    """The names in an open folder, and which are folders themselves (no links); those can be entered afterwards."""
    with os.scandir(folder) as entries:
        found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for name, is_folder in found:
        if is_folder:
            os.chmod(name, stat.S_IRWXU, dir_fd=folder)
    return found
