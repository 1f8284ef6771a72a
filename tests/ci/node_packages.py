"""Programs for Node that only tests need: installed from a lock file into a folder that git ignores."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest


def need_packages(folder: Path) -> None:
    """Installs what the folder's lock file says; skips the test where Node is not there and nobody insists."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        if os.environ.get("EVALCI_TEST_STRICT"):
            pytest.fail("this needs node and npm")
        pytest.skip("node is not here")
    if not (folder / "node_modules/.package-lock.json").is_file():
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=folder, check=True)
