"""Folding trials, as the golden rows have it."""

from typing import Any

import pytest

from evalci.calls.endpoint import Endpoint
from evalci.config.decode import Decoder
from evalci.config.suite import Trials
from evalci.config.yaml_nodes import Mapping, read_yaml
from evalci.model import Case, CaseResult, Output, Score, Trial
from evalci.summary.trials import fold
from evalci.summary.verdicts import attempt


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    if "trials_config" in given:
        _check_shorthand(given["trials_config"], want)
        return
    result = fold(Case(id="c"), tuple(map(_trial, given["trials"])), require=given["require"])
    assert (result.status == "passed") == want["passed"]
    assert result.passed_trials == want["passed_trials"]
    assert result.latency_ms == want["latency_ms"]
    assert _tag(result) == want["tag"]
    assert result.is_flaky == want["flaky"]
    assert result.trial_stats is not None
    assert result.trial_stats.pass_fraction == pytest.approx(want["pass_fraction"], abs=1e-9)
    assert result.error == want.get("error")
    assert len(result.scores) == len(want["scores"])
    for score, wanted in zip(result.scores, want["scores"], strict=True):
        _check_score(score, wanted)


def _check_score(score: Score, want: dict[str, Any]) -> None:
    assert score.scorer == want["scorer"]
    assert score.passed == want["passed"]
    if want["value"] is None:
        assert score.value is None
    else:
        assert score.value == pytest.approx(want["value"], abs=1e-9)
    if "reason" in want:
        assert score.reason == (want["reason"] or "")


def _trial(given: dict[str, Any]) -> Trial:
    if "error" in given:
        return attempt(error=given["error"])
    output = Output(text="", latency_ms=given["latency_ms"])
    return attempt(output=output, scores=tuple(map(score_of, given["scores"])))


def score_of(given: dict[str, Any]) -> Score:
    """A score as rows write it: without a value, with an error, it is a broken one."""
    scorer = given["scorer"]
    if given.get("value") is None:
        error = given.get("error") or given.get("reason", "").removeprefix("scorer error: ") or "broke"
        return Score.broken(error).named(scorer, scorer)
    passed, reason = given.get("passed"), given.get("reason", "")
    return Score(scorer=scorer, type=scorer, value=given["value"], passed=passed, reason=reason)


def _tag(result: CaseResult) -> str:
    return f"[{result.passed_trials}/{len(result.trials)} trials]" if result.trials else ""


def _check_shorthand(given: Any, want: dict[str, Any]) -> None:
    root, problems = read_yaml(f"trials: {given}\n".encode(), name="evals.yaml")
    assert isinstance(root, Mapping)
    assert not problems
    node = root.get("trials")
    assert node is not None
    trials = Decoder("evals.yaml").block(node, Trials, "run.trials", "run.trials.")
    assert trials is not None
    assert (trials.count, trials.require) == (want["count"], want["require"])
    if "trials_detail" in want:
        result = fold(Case(id="c"), (attempt(output=Output(text="")),) * trials.count)
        assert (result.trials or None) == want["trials_detail"]
        assert _tag(result) == want["tag"]
    if "cache_trial_salt" in want:
        endpoint = Endpoint("chat", {"model": "m"})
        assert ("trial" in endpoint.request("x", trials.count - 1)) == want["cache_trial_salt"]
