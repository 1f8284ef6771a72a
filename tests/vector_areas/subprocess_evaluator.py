"""The evaluator of programs, as the golden rows have it. Rows about running one run it for real."""

import builtins
import contextlib
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from evalci import program as api
from evalci.program import SubprocessEvaluator
from evalci.targets.programs import command_of
from tests.programs.script import ScriptProgram

HELLO = {"name": "prog.py", "source": "print('hello')\n", "is_executable": False}
ALWAYS = {"stdout", "stderr", "exit_code", "timed_out", "reason", "command", "args", "working_dir", "execution_time"}


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    if given.get("defaults"):
        evaluator = SubprocessEvaluator()
        assert {name: getattr(evaluator, name) for name in want} == want
    elif "scores" in given:
        _check_aggregate(given, want)
    elif "command" in want:
        _check_command(given, want["command"])
    elif "raises" in want:
        _check_raised(given, want)
    else:
        _check_evaluation(given, want)


def _check_aggregate(given: Mapping[str, Any], want: Mapping[str, Any]) -> None:
    score, metadata = SubprocessEvaluator(**given.get("config", {})).aggregate_scores(
        given["scores"], given["metadata"]
    )
    assert score == pytest.approx(want["score"], abs=1e-9)
    assert set(metadata) == set(want["metadata"])
    for key, value in want["metadata"].items():
        assert metadata[key] == (pytest.approx(value, abs=1e-9) if isinstance(value, float) else value)


def _check_command(given: Mapping[str, Any], want: list[str]) -> None:
    command = command_of(given["path"], directly=given["is_executable"], environ=os.environ)
    words = ["python" if word == sys.executable else word for word in (*command, *given.get("args", ()))]
    assert words == want


def _check_raised(given: Mapping[str, Any], want: Mapping[str, Any]) -> None:
    wrong = given.get("program", object())
    program = ScriptProgram(given["path"]) if "path" in given else wrong
    kind = getattr(api, want["raises"], None) or getattr(builtins, want["raises"])
    with pytest.raises(kind) as caught:
        SubprocessEvaluator(**given.get("config", {})).evaluate(program, **given.get("options", {}))
    assert type(caught.value).__name__ == want["raises"]
    if "message" in want:
        assert str(caught.value) == want["message"]


def _check_evaluation(given: Mapping[str, Any], want: Mapping[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        about = given.get("program", HELLO)
        name = given.get("path", about["name"])
        (Path(folder) / name).write_text(about["source"], "utf-8")
        program = ScriptProgram(
            name if given.get("cwd_contains_it") else Path(folder) / name,
            directly=given.get("is_executable", about["is_executable"]),
        )
        with contextlib.chdir(folder):
            evaluator = SubprocessEvaluator(**given.get("config", {}))
            score, metadata = evaluator.evaluate(program, **given.get("options", {}))
    assert score == pytest.approx(want["score"], abs=1e-9)
    assert ALWAYS | set(want.get("metadata_has", ())) <= set(metadata)
    for key in ("reason", "exit_code", "timed_out", "output_match"):
        if key in want:
            assert metadata.get(key) == want[key], key
