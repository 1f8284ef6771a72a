"""Rules over an agent's path, as the golden rows have them."""

import asyncio
import json
from typing import Any

from evalci.config.decode import Decoder
from evalci.config.yaml_nodes import read_yaml
from evalci.model import Output, Score, Trajectory
from evalci.scorers.trajectory import TrajectoryRules
from evalci.targets.traces.native import trajectory_in
from tests.factories import case


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    scorer, problems = settings(given["rules"])
    if want.get("build_error"):
        assert scorer is None
        assert all(text in " ".join(problems) for text in want["error_contains"])
        return
    assert scorer is not None, problems
    score = score_of(scorer, _output(given))
    _check_verdict(score, want)
    if want.get("errored"):
        assert score.error == want["error"]
        assert score.reason.startswith(want["reason_prefix"])
    if "failures" in want:
        assert score.reason == "; ".join(want["failures"])


def settings(rules: Any) -> tuple[TrajectoryRules | None, list[str]]:
    """The scorer as a suite would set it up, None with the problems there are."""
    root, problems = read_yaml(json.dumps({"rules": rules}).encode(), name="evals.yaml")
    assert root is not None
    assert not problems
    decoder = Decoder("evals.yaml")
    found = decoder.block(root, TrajectoryRules, "scorers[0]", "trajectory scorer: ")
    return found, [line for problem in decoder.problems for line in problem.lines()]


def score_of(scorer: TrajectoryRules, output: Output) -> Score:
    return asyncio.run(scorer.score(case("c1"), output))


def _output(given: dict[str, Any]) -> Output:
    trajectory: Trajectory | None = None
    if given.get("trajectory") is not None:
        trajectory = trajectory_in(json.dumps(given["trajectory"]))
        assert trajectory is not None
    return Output(text=given.get("output_text", "an answer"), trajectory=trajectory)


def _check_verdict(score: Score, want: dict[str, Any]) -> None:
    assert (score.value, score.passed) == (want["value"], want["passed"])
    if "reason" in want:
        assert (score.reason or None) == want["reason"]
