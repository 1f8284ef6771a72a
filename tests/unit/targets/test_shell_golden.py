"""What the shell target makes of commands, kept as golden rows: `tests/golden/targets/shell/*.json`."""

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from evalci.model import TargetError
from tests.doubles import tools_in
from tests.factories import case
from tests.unit.targets.target_rows import settings

ROWS = sorted((Path(__file__).parents[2] / "golden" / "targets" / "shell").glob("*.json"))


@pytest.mark.parametrize("path", ROWS, ids=lambda path: path.stem)
def test_a_command_gives_what_its_golden_row_has(
    path: Path, tmp_path: Path, golden: Callable[[Path, str], None]
) -> None:
    row = json.loads(path.read_text("utf-8"))
    given = row["given"]
    tools = tools_in(tmp_path, environ={"PATH": os.environ["PATH"], **given.get("environ", {})})
    try:
        output = asyncio.run(settings("shell", given["target"]).build(tools).ask(case("c1", input=given["input"]), 0))
        row["want"] = {"output": output.text, **({"notes": list(output.notes)} if output.notes else {})}
    except TargetError as exc:
        row["want"] = {"error": str(exc)}
    golden(path, json.dumps(row, indent=2, ensure_ascii=False) + "\n")


def test_there_are_rows_with_an_output_and_rows_with_an_error() -> None:
    wants = [json.loads(path.read_text("utf-8"))["want"] for path in ROWS]
    assert {"output" in want for want in wants} == {True, False}
