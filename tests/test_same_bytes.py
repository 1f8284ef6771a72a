"""The same recordings give the same bytes: rendered twice, with another concurrency, from another folder."""

import shutil
from pathlib import Path

import pytest

from evalci.reporters import REPORTERS
from tests.unit.cli.test_main import Run

EXAMPLES = Path(__file__).parent.parent / "examples"
FILES = [name for name in REPORTERS if name != "terminal"]


@pytest.mark.parametrize("example", ["support-bot", "classifier", "agent-trace", "judged"])
def test_reports_do_not_depend_on_concurrency_or_place(
    example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    for number, concurrency in enumerate((1, 1, 13)):
        folder = tmp_path / f"run{number}" / example
        shutil.copytree(EXAMPLES / example, folder)
        config = folder / "evals.yaml"
        lines = [line for line in config.read_text().splitlines() if "concurrency:" not in line]
        place = lines.index("run:")
        config.write_text("\n".join([*lines[: place + 1], f"  concurrency: {concurrency}", *lines[place + 1 :], ""]))
        monkeypatch.chdir(folder if number else tmp_path)
        words = [word for name in FILES for word in (f"--{name}", str(tmp_path / f"out{number}" / name))]
        run = Run("run", "evals.yaml" if number else str(config), "--baseline", "main", "--no-history", *words)
        assert run.code == 0, run.err
        reports = {name: (tmp_path / f"out{number}" / name).read_bytes() for name in FILES}
        seen.append({**reports, "terminal": run.out.encode()})
    assert seen[0] == seen[1] == seen[2]
