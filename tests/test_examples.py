"""Every example replays as it lies there, ends as its README says, and does so with every network taken away."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
# What each README says of the outcome, and how many cases pass and fail in the report.
TOLD: Final = {
    "agent-trace": ("Four traces pass.", 4, 2),
    "calibrate": ("60 short questions", 44, 16),
    "classifier": ("15 right, 9 wrong", 15, 9),
    "fast-scorers": ("5 of 7 cases pass", 5, 2),
    "judged": ("8 cases pass and 4 fail", 8, 4),
    "scorer-in-node": ("6 of 10 cases pass", 6, 4),
    "shell-target": ("All 8 cases pass", 8, 0),
    "support-bot": ("7 cases pass and 9 fail", 7, 9),
}
ELSEWHERE: Final = {"from-evalcore": "tests/test_from_evalcore.py", "evidence": "tests/test_docs.py"}
AT_EVERY_SAVE: Final = "support-bot"
SLOW: Final = (pytest.mark.slow,)
NEEDS_NODE: Final = {"fast-scorers", "scorer-in-node"}


def without_network() -> list[str]:
    """A command in front that takes every network away, where the machine lets us."""
    try:
        done = subprocess.run(["unshare", "-n", "true"], capture_output=True)
    except OSError:
        return []
    return [] if done.returncode else ["unshare", "-n"]


def test_every_example_is_told_of_here() -> None:
    folders = {path.name for path in EXAMPLES.iterdir() if (path / "README.md").exists()}
    assert folders == {*TOLD, *ELSEWHERE}


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name == AT_EVERY_SAVE else SLOW) for name in TOLD])
def test_an_example_replays_without_network_as_its_readme_says(name: str, tmp_path: Path) -> None:
    if name in NEEDS_NODE and shutil.which("node") is None:
        pytest.skip("needs node")
    said, passed, failed = TOLD[name]
    assert said in " ".join((EXAMPLES / name / "README.md").read_text("utf-8").split())
    folder = tmp_path / name
    shutil.copytree(EXAMPLES / name, folder, ignore=shutil.ignore_patterns("history.db*"))
    has_baseline = (folder / ".evalci" / "baselines" / "evals" / "main.json").exists()
    words = ["run", *(["--baseline", "main"] if has_baseline else []), "--reporter", "json", "--no-history"]
    before = _files(folder)
    done = subprocess.run(
        [*without_network(), sys.executable, "-m", "evalci", *words],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)["summary"]
    assert (summary["passed"], summary["failed"]) == (passed, failed)
    assert _files(folder) == before


@pytest.mark.parametrize("name", [name for name in TOLD if name != "shell-target"])
def test_an_example_has_a_baseline_that_the_readme_uses(name: str) -> None:
    assert (EXAMPLES / name / ".evalci" / "baselines" / "evals" / "main.json").exists()
    assert re.search(r"evalci run --baseline main", (EXAMPLES / name / "README.md").read_text("utf-8"))


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
