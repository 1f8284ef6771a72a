"""Datasets as the golden rows have them, and the cases of suites in Python."""

import tempfile
from pathlib import Path
from typing import Any

import pytest

from evalci.datasets import read_datasets
from evalci.errors import DatasetError
from evalci.model import Case
from evalci.python.cases import numbered
from tests.doubles import tools_in


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    if "files" not in given:
        _in_python(given["cases"], want)
        return
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


def _in_python(cases: list[dict[str, Any]], want: dict[str, Any]) -> None:
    if "error_contains" not in want:
        assert [case.id for case in numbered("qa", cases)] == want["ids"]
        return
    with pytest.raises(ValueError) as caught:
        numbered("qa", cases)
    assert all(part in str(caught.value) for part in want["error_contains"])
