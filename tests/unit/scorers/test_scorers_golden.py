"""What the deterministic scorers say of given outputs, kept as golden rows: `tests/golden/scorers/<type>/*.json`."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.doubles import tools_in
from tests.scoring import Refused, built, score_of, told

FOLDER = Path(__file__).parents[2] / "golden" / "scorers"
KINDS = (
    "close_to",
    "contains",
    "exact",
    "json-schema",
    "json_fields",
    "levenshtein",
    "normalised_contains",
    "normalised_exact",
    "python",
    "ratio",
    "regex",
    "subprocess",
)
ROWS = sorted(path for kind in KINDS for path in FOLDER.glob(f"{kind}/*.json"))


@pytest.mark.parametrize("path", ROWS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_scorer_says_of_an_output_what_its_golden_row_has(
    path: Path, tmp_path: Path, golden: Callable[[Path, str], None]
) -> None:
    row = json.loads(path.read_text("utf-8"))
    given = row["given"]
    assert given["scorer"]["type"] == path.parent.name
    for name, contents in given.get("files", {}).items():
        text = contents if isinstance(contents, str) else json.dumps(contents)
        (tmp_path / name).write_text(text, "utf-8")
    tools = tools_in(tmp_path, environ={"PATH": os.environ["PATH"]})
    try:
        row["want"] = told(score_of(built(given["scorer"], tools), given["output"], given.get("case")))
    except Refused as refused:
        row["want"] = {"refused": str(refused).splitlines()}
    golden(path, json.dumps(row, indent=2, ensure_ascii=False) + "\n")


@pytest.mark.parametrize("kind", KINDS)
def test_there_are_rows_that_pass_and_rows_that_fail(kind: str) -> None:
    wants = [json.loads(path.read_text("utf-8"))["want"] for path in ROWS if path.parent.name == kind]
    assert {want["passed"] for want in wants if "passed" in want} >= {True, False}
