"""The single file for machines without containers: how it starts, and how it ends when it cannot."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.documents import ROOT


@pytest.fixture(scope="module")
def single_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As scripts/build-pyz makes it, but for the packages, which this environment has."""
    target = tmp_path_factory.mktemp("pyz") / "evalci.pyz"
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("__main__.py", (ROOT / "scripts/pyz/__main__.py").read_text("utf-8"))
        for path in (ROOT / "evalci").rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                archive.write(path, f"lib/{path.relative_to(ROOT)}")
    return target


def start(file: Path, cache: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environ = {"PATH": os.environ["PATH"], "EVALCI_PYZ_CACHE": str(cache)}
    return subprocess.run(
        [sys.executable, str(file), *words], env=environ, cwd=file.parent, capture_output=True, text=True, check=False
    )


def test_it_unpacks_itself_once_and_passes_exit_codes_on(single_file: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert start(single_file, cache, "--version").stdout.startswith("evalci ")
    (unpacked,) = cache.iterdir()
    when = unpacked.stat().st_mtime_ns
    missing = start(single_file, cache, "run", "nowhere.yaml")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert "evalci init" in missing.stderr
    assert [place.stat().st_mtime_ns for place in cache.iterdir()] == [when]


def test_where_it_cannot_unpack_itself_nothing_was_run_and_no_verdict_is_given(
    single_file: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    done = start(single_file, tmp_path / "file/cache", "run")
    assert (done.returncode, done.stdout) == (2, "")
    assert "set EVALCI_PYZ_CACHE" in done.stderr
    assert "Traceback" not in done.stderr
