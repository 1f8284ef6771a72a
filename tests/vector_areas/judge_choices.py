"""The choice form of `judge`, as the golden rows have it: in Python, and in YAML."""

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evalci import llm
from evalci.calls import CallError, Reply
from evalci.model import Score as Result
from evalci.scorers import judge
from tests.doubles import Model, tools_in
from tests.scoring import Refused, built, score_of
from tests.vector_areas.python_scores import scored

CHOICES = {"A": 1.0, "B": 0.5, "C": 0.0}


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    choices = given.get("choices", CHOICES)
    if want.get("build_error"):
        with pytest.raises(ValueError, match=want["error_contains"][0]):
            judge("R", choices)
        with pytest.raises(Refused, match=want["error_contains"][0]):
            _in_yaml(given, choices)
        return
    model = Model(lambda call: _answer(given))
    with llm.session(llm.Session(caller=model, case_id="c", label="score:c")):
        score = scored(judge("R", choices), "the answer", "the reference")
    same = _in_yaml(given, choices)
    assert (same.value, same.error is not None) == (score.value, score.error is not None)
    assert (score.error is not None) == want["errored"]
    assert score.value == want["value"]
    for about in (score.metadata or {}, same.metadata or {}):
        assert about["unvalidated"] is True
        if "choice" in want:
            assert about["choice"] == want["choice"]
    if not want["errored"]:
        assert score.passed is same.passed is want["passed"]
    else:
        assert score.as_result().passed is same.passed is want["passed"]


def _answer(given: dict[str, Any]) -> Reply | CallError:
    return CallError(given["judge_call"]) if "judge_call" in given else Reply(text=given["reply"])


def _in_yaml(given: dict[str, Any], choices: dict[str, float]) -> Result:
    model = Model(lambda call: _answer(given))
    settings = {"type": "judge", "url": "http://x/v1", "model": "m", "rubric": "R", "choices": choices}
    with tempfile.TemporaryDirectory() as folder:
        scorer = built(settings, replace(tools_in(Path(folder)), record=lambda live: model))
        return score_of(scorer, "the answer", {"input": "q", "expected": "the reference"})
