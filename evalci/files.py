"""Reading the data files that a suite names, and nothing outside the project."""

import os
from dataclasses import dataclass
from pathlib import Path, PurePath

from evalci.wording import closest


class FileRefused(Exception):
    """A data file cannot be read; its text says which and why."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProjectFiles:
    """The files of one project.

    `root` is the nearest folder upwards from the config that holds `.git`, else the config's own folder. What a pull
    request names must not be able to read the machine's other files into a report.
    """

    root: Path
    allow_outside: bool = False

    @classmethod
    def around(cls, folder: Path, *, allow_outside: bool = False) -> "ProjectFiles":
        """The project that a config's folder belongs to."""
        folder = folder.absolute()
        root = next((place for place in (folder, *folder.parents) if (place / ".git").exists()), folder)
        return cls(root=root, allow_outside=allow_outside)

    def find(self, path: str, folder: Path) -> Path:
        """The file that `path` names from `folder`. Raises `FileRefused` when it lies outside the project."""
        if "\0" in path:
            raise FileRefused("a path cannot hold a NUL character")
        found = folder / path
        if not self.allow_outside and not _inside(found, self.root):
            raise FileRefused(f"{path}: it lies outside the project; move it inside, or pass --allow-outside")
        return found

    def read(self, path: str, folder: Path) -> bytes:
        """The bytes of a data file. Raises `FileRefused` when it is outside, missing or unreadable."""
        found = self.find(path, folder)
        try:
            if found.exists() and not (found.is_file() or found.is_dir()):
                raise FileRefused(f"{path}: it is a pipe or a device, and no file")
            return found.read_bytes()
        except OSError as exc:
            raise FileRefused(f"{path}: {exc.strerror or exc}") from exc

    def near(self, path: str, folder: Path) -> str | None:
        """The file of the same kind, in the same folder, that was probably meant by a path where there is none."""
        wanted = PurePath(path)
        try:
            beside = list(self.find(str(wanted.parent), folder).glob(f"*{wanted.suffix}*"))
        except (FileRefused, OSError, ValueError):
            return None
        stems = {found.stem: found.name for found in sorted(beside) if found.is_file()}
        meant = closest(wanted.stem, stems)
        return None if meant is None else wanted.with_name(stems[meant]).as_posix()

    def name(self, path: Path) -> str:
        """How reports name a file: relative to the project, with slashes; the same from any working directory."""
        relative = os.path.relpath(path.absolute(), self.root)
        return path.name if relative.startswith("..") else Path(relative).as_posix()


def read_bounded(path: Path, most: int) -> bytes:
    """All of a file; of what has no size, such as a device, one byte more than `most`."""
    with path.open("rb") as file:
        return file.read(-1 if path.is_file() else most + 1)


def _inside(path: Path, root: Path) -> bool:
    real, top = os.path.realpath(path), os.path.realpath(root)
    return real == top or real.startswith(top.rstrip(os.sep) + os.sep)
