"""How whole programs are run and scored, kept as golden rows: `tests/golden/targets/program/*.json`."""

import asyncio
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalci.model import Output, Score, TargetError
from tests.doubles import tools_in
from tests.factories import case
from tests.unit.targets.program_settings import settings

ROWS = sorted((Path(__file__).parents[2] / "golden" / "targets" / "program").glob("*.json"))


@pytest.mark.parametrize("path", ROWS, ids=lambda path: path.stem)
def test_a_program_is_scored_as_its_golden_row_has_it(
    path: Path, tmp_path: Path, golden: Callable[[Path, str], None]
) -> None:
    row = json.loads(path.read_text("utf-8"))
    given = row["given"]
    for name, text in given["files"].items():
        (tmp_path / name).write_text(text, "utf-8")
        (tmp_path / name).chmod(0o755 if name in given.get("executable", ()) else 0o644)
    target = settings(given["target"]).build(tools_in(tmp_path, environ={"PATH": os.environ["PATH"]}))
    try:
        output = asyncio.run(target.ask(case("c1", **given.get("case", {})), 0))
        row["want"] = _told(output, asyncio.run(target.own_scorer.score(case("c1"), output)), tmp_path)
    except TargetError as exc:
        row["want"] = {"error": str(exc)}
    golden(path, json.dumps(row, indent=2, ensure_ascii=False) + "\n")


def test_there_are_rows_of_every_reason() -> None:
    wants = [json.loads(path.read_text("utf-8"))["want"] for path in ROWS]
    reasons = {want["score"]["reason"].split("_")[0] for want in wants if "score" in want}
    assert reasons == {"success", "output", "exit", "timeout", "error"}
    assert any("error" in want for want in wants)


def _told(output: Output, score: Score, folder: Path) -> dict[str, Any]:
    """What is the same on every machine."""
    metadata = dict(score.metadata or {})
    for name in ("execution_time", "notes"):
        metadata.pop(name, None)
    metadata["command"] = ["python" if word == sys.executable else word for word in metadata["command"]]
    if str(metadata["working_dir"]).startswith("/"):
        metadata["working_dir"] = "a folder of its own"
    metadata["stderr"] = metadata["stderr"].replace(f"{folder}/", "")
    kept = {name: value[:70] if isinstance(value, str) else value for name, value in metadata.items()}
    return {
        "text": output.text[:60],
        "notes": [note for note in output.notes if "dropped" not in note],
        "score": {"value": score.value, "passed": score.passed, "reason": score.reason, "metadata": kept},
    }
