"""Starts evalci out of its single file: unpacks it once, since native modules cannot be imported from a zip."""

import os
import runpy
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import NoReturn

HERE = Path(__file__).parent
NAME = "@DIGEST@"


def main() -> None:
    if sys.version_info < (3, 11):  # noqa: UP036 - this file is what an older Python meets first
        refuse("evalci needs Python 3.11 or later; this is " + sys.version.split()[0])
    library = unpacked(cache())
    sys.path.insert(0, str(library))
    # The steps of `evalci ci` are processes of their own, and start from here too.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(library), os.environ.get("PYTHONPATH")]))
    runpy.run_module("evalci", run_name="__main__", alter_sys=True)


def refuse(why: str) -> NoReturn:
    """Nothing was run: that is no verdict, so the exit code is not that of a suite that failed."""
    sys.stderr.write(why + "\n")
    sys.exit(2)


def cache() -> Path:
    """A folder of the user's own: nobody else may put modules there."""
    named = os.environ.get("EVALCI_PYZ_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    return Path(base) / "evalci"


def unpacked(folder: Path) -> Path:
    """The unpacked library; an earlier start may have left it, and two at once do not disturb each other."""
    library = folder / NAME
    if library.is_dir():
        return library
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=NAME + ".", dir=folder))
        with zipfile.ZipFile(HERE) as archive:
            archive.extractall(fresh, [name for name in archive.namelist() if name.startswith("lib/")])
    except OSError as exc:
        refuse(f"evalci.pyz unpacks itself once and cannot write to {folder}: set EVALCI_PYZ_CACHE ({exc.strerror})")
    try:
        (fresh / "lib").rename(library)
    except OSError:
        if not library.is_dir():
            raise
    shutil.rmtree(fresh, ignore_errors=True)
    return library


main()
