"""The case folders, each from a public bug report, run through the installed command by their own checker."""

import subprocess
import sys
from pathlib import Path

import pytest

CASES = Path(__file__).parent / "cases"
# What a later part of the product brings; a folder that starts to pass here has to leave this list.
WAITING: dict[str, str] = {}


def _folders() -> list[object]:
    names = sorted(path.parent.name for path in CASES.glob("*/case.json"))
    return [
        pytest.param(name, marks=pytest.mark.xfail(reason=WAITING[name], strict=True) if name in WAITING else ())
        for name in names
    ]


@pytest.mark.slow
@pytest.mark.parametrize("folder", _folders())
def test_the_case_folder_holds(folder: str) -> None:
    command = f"{sys.executable} -m evalci"
    done = subprocess.run(
        [sys.executable, str(CASES / "check.py"), "--command", command, "--jobs", "1", folder],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
