"""Configs as the golden rows have them, read with the real plug-in tables."""

import tempfile
from pathlib import Path
from typing import Any

import pytest

from evalci.config.suite import Suite, read_suite
from evalci.errors import ConfigError, EvalciError
from evalci.pipeline import KINDS, Request, Surroundings, prepare
from tests.vector_areas import adapter_configs


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    if row["source"] == "st_eval":
        adapter_configs.run(row)
    elif "targets" in given:
        _check_choice_of_target(given, want)
    elif want.get("ok") is False:
        with pytest.raises(ConfigError) as caught:
            _read(given["yaml"])
        assert all(part in str(caught.value) for part in want["error_contains"])
        assert all(problem.line and problem.column for problem in caught.value.problems)
    elif "arms" in want:
        assert _arms(given["yaml"]) == want["arms"]
    else:
        _check_suite(_read(given["yaml"]), want)


def _read(text: str) -> Suite:
    return read_suite(text.encode(), file="evals.yaml", folder=Path("/project"), kinds=KINDS)


def _check_suite(suite: Suite, want: dict[str, Any]) -> None:
    trials = {"count": suite.run.trials.count, "require": suite.run.trials.require}
    run = {
        name: getattr(suite.run, name) for name in ("concurrency", "classification", "history", "matrix", "budget_usd")
    }
    assert want["ok"] is True
    assert want.get("defaults", {}).items() <= {**run, "trials": trials, "gates": list(suite.gates)}.items()
    assert want.get("trials", trials) == trials
    (target,) = suite.targets.values()
    for block, defaults in ((target, want.get("target_defaults")), (suite.scorers[0], want.get("scorer_defaults"))):
        for name, value in (defaults or {}).items():
            assert getattr(block.settings, name) == value


def _arms(text: str) -> list[str]:
    with tempfile.TemporaryDirectory() as place:
        Path(place, "c.jsonl").write_text('{"input": "a"}\n')
        Path(place, "evals.yaml").write_text(text)
        plan = prepare(Request(config=Path(place, "evals.yaml")), Surroundings(environ={}))
    return [arm.name for arm in plan.arms]


def _check_choice_of_target(given: dict[str, Any], want: dict[str, Any]) -> None:
    targets = "".join(f"  {name}: {{ type: shell, cmd: cat }}\n" for name in given["targets"])
    flags = dict(zip(given["flags"][::2], given["flags"][1::2], strict=True))
    suite = _read(f"targets:\n{targets}datasets: [{{ file: c.jsonl }}]\nscorers: [{{ type: exact }}]\n")
    with pytest.raises(EvalciError) as caught:
        prepare(Request(config=Path("evals.yaml"), target=flags.get("--target")), Surroundings(environ={}), suite)
    assert caught.value.exit_code == want["exit_code"]
    assert all(part in str(caught.value) for part in want["error_contains"])
