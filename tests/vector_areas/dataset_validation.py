"""Datasets as the golden rows have them; Evalstand's rows are about suites written in Python."""

import tempfile
from pathlib import Path
from typing import Any

import pytest

from evalci.datasets import read_datasets
from evalci.errors import DatasetError
from evalci.model import Case
from tests.doubles import tools_in


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for file in given["files"]:
            (folder / file["name"]).parent.mkdir(parents=True, exist_ok=True)
            if file["text"] is not None:
                (folder / file["name"]).write_text(file["text"], encoding="utf-8", newline="")
        names, tools = [file["name"] for file in given["files"]], tools_in(folder)
        if "error_contains" in want:
            with pytest.raises(DatasetError) as caught:
                read_datasets(names, tools)
            assert all(part in str(caught.value) for part in want["error_contains"])
            return
        assert [_shown(case) for case in read_datasets(names, tools).cases] == want["cases"]


def _shown(case: Case) -> dict[str, Any]:
    context = None if case.context is None else list(case.context)
    return {"id": case.id, "input": case.input, "expected": case.expected, "trace": case.trace, "context": context}
