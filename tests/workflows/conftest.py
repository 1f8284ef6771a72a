"""Tools that only these tests need, in an environment of their own: linters of workflows, and a runner of them."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCK = Path(__file__).with_name("tools.lock")


@pytest.fixture(scope="session")
def tools() -> Path:
    """The folder of the tools' programs."""
    return make_tools()


def make_tools() -> Path:
    """The folder of the tools' programs, made once for each state of the lock."""
    place = ROOT / ".cache" / "venv-tools"
    place.parent.mkdir(exist_ok=True)
    with place.with_suffix(".lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        make(place)
    return place / "bin"


def make(place: Path) -> None:
    """Another worker may have made it, or may be at it."""
    mark, want = place / ".made-from", LOCK.read_text()
    if not mark.is_file() or mark.read_text() != want:
        pip = [str(place / "bin/python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        try:
            subprocess.run([sys.executable, "-m", "venv", "--clear", str(place)], check=True)
            subprocess.run([*pip, "--require-hashes", "--only-binary=:all:", "--requirement", str(LOCK)], check=True)
        except (OSError, subprocess.CalledProcessError):
            if os.environ.get("EVALCI_TEST_STRICT"):
                raise
            pytest.skip("the tools cannot be installed here")
        mark.write_text(want)
