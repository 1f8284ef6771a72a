"""Scorers as a suite sets them up, built and asked about one output."""

import asyncio
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evalci.config.decode import Decoder
from evalci.config.settings import Fault
from evalci.config.yaml_nodes import read_yaml
from evalci.errors import Problem
from evalci.model import Output, Score
from evalci.scorers import SCORERS, ScorerError
from evalci.tools import Tools
from tests.doubles import tools_in
from tests.factories import case


class Refused(Exception):
    """A scorer's settings are wrong; the text is what its user reads."""


def built(given: Mapping[str, Any], tools: Tools) -> Any:
    """A scorer from its YAML keys. Raises `Refused`."""
    root, problems = read_yaml(json.dumps(given).encode(), name="evals.yaml")
    assert root is not None
    assert not problems
    decoder = Decoder("evals.yaml")
    kind = given["type"]
    cls = SCORERS[kind].settings(given)
    settings: Any = decoder.block(root, cls, "scorers[0]", f"{kind} scorer: ", ignore=frozenset({"type"}))
    if settings is None:
        raise Refused("\n".join(line for problem in decoder.problems for line in problem.lines()))
    try:
        return settings.build(tools) if hasattr(settings, "build") else settings
    except Fault as fault:
        problem = Problem(file="evals.yaml", message=fault.message, hint=fault.hint)
        raise Refused("\n".join(problem.lines())) from fault


def score_of(scorer: Any, output: str, given: Mapping[str, Any] | None = None) -> Score:
    """What the scorer makes of an output; `given` is the case as its dataset has it."""
    fields = dict(given or {})
    if "context" in fields:
        fields["context"] = tuple(fields["context"])
    try:
        score: Score = asyncio.run(scorer.score(case(fields.pop("id", "c1"), **fields), Output(text=output)))
    except ScorerError as exc:
        return Score.broken(str(exc))
    return score


def scored(given: Mapping[str, Any], output: str, about: Mapping[str, Any] | None = None, **files: str) -> Score:
    """The score of an output by a scorer from its YAML keys, in a folder that holds the files. Raises `Refused`."""
    with tempfile.TemporaryDirectory() as place:
        for name, text in files.items():
            (Path(place) / name).write_text(text, "utf-8")
        return score_of(built(given, tools_in(Path(place))), output, about)


def told(score: Score) -> dict[str, Any]:
    """What a report would hold of the score."""
    broken = {"error": score.error} if score.error is not None else {}
    return {"value": score.value, "passed": score.passed, "reason": score.reason, **broken}
