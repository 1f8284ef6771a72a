"""The folder a program runs in, and the temporary folders that are its own."""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evalci.process.job import Job, Place

_HOMES: Final = {"HOME": "home", "XDG_CONFIG_HOME": "config", "XDG_CACHE_HOME": "cache", "TMPDIR": "tmp"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Workplace:
    """Where a program runs and what it sees there; `temporary` is to be removed afterwards."""

    cwd: str
    environment: Mapping[str, str]
    temporary: str | None = None

    def remove(self) -> str | None:
        """Nothing, or a note that some of the temporary folder is still there."""
        import shutil

        if self.temporary is None:
            return None
        shutil.rmtree(self.temporary, ignore_errors=True)
        if not os.path.lexists(self.temporary):
            return None
        _open_up(Path(self.temporary))
        shutil.rmtree(self.temporary, ignore_errors=True)
        return "its temporary folder could not be removed" if os.path.lexists(self.temporary) else None


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


def _open_up(root: Path) -> None:
    """Let folders that were locked by their program be entered and emptied. Links are not followed."""
    root.chmod(stat.S_IRWXU)
    for folder, below, _ in os.walk(root):
        for path in (Path(folder, name) for name in below):
            if not path.is_symlink():
                path.chmod(stat.S_IRWXU)
