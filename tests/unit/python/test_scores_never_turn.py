"""A score is a value, a verdict, both, or a failure to measure, and nothing turns one into another."""

import asyncio
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci import Score
from evalci.gates.verdict import decide, measured_mean
from evalci.model import Case, CaseResult, Output
from evalci.model import Score as Result
from evalci.scorers.function_scorer import FunctionScorer
from evalci.summary.summarize import summarize
from evalci.summary.trials import fold
from evalci.summary.verdicts import attempt
from tests.doubles import Model

floats = st.floats(allow_nan=True, allow_infinity=True) | st.sampled_from([0.0, 1.0, 0.5, -0.0])
RETURNED = st.one_of(
    st.booleans(), floats, st.integers(), st.none(), st.text(max_size=3), st.just([]), st.just(RuntimeError("boom"))
)
FIELDS = st.fixed_dictionaries(
    {"scorer_name": st.sampled_from(["s", ""])},
    optional={
        "value": floats | st.none() | st.booleans() | st.integers(-2, 2),
        "passed": st.booleans() | st.none(),
        "error": st.none() | st.sampled_from(["", "boom"]),
    },
)


def scored(returned: Any) -> Result:
    """What a function that returns (or raises) this gives, by the way every scorer function goes."""

    def judged() -> Any:
        if isinstance(returned, Exception):
            raise returned
        return returned

    judged.__evalci_inline__ = True  # type: ignore[attr-defined]
    scorer = FunctionScorer(judged, Model())
    return asyncio.run(scorer.score(Case(id="c"), Output(text="")))


def result_of(trials: list[list[Result]], errors: Any) -> CaseResult:
    attempts = tuple(attempt(output=Output(text=""), scores=tuple(scores), scorer_errors=errors) for scores in trials)
    return fold(Case(id="c"), attempts, scorer_errors=errors)


def lists(kind: st.SearchStrategy[Any], least: int = 1) -> st.SearchStrategy[list[Any]]:
    return st.lists(kind, min_size=least, max_size=4)


@given(lists(RETURNED))
def test_no_case_with_an_errored_scorer_passes_in_a_yaml_suite(returned: list[Any]) -> None:
    scores = [scored(each).named(f"s{n}", "python") for n, each in enumerate(returned)]
    result = result_of([scores], "fail")
    if any(score.error is not None for score in scores):
        assert result.status == "errored"
        assert not decide(results=[result]).passed


@given(st.integers(1, 3).flatmap(lambda width: lists(st.lists(RETURNED, min_size=width, max_size=width))))
def test_no_trial_with_an_errored_scorer_helps_a_case_pass_in_a_yaml_suite(trials: list[list[Any]]) -> None:
    scored_trials = [[scored(each).named(f"s{n}", "python") for n, each in enumerate(trial)] for trial in trials]
    result = result_of(scored_trials, "fail")
    if any(score.error is not None for trial in scored_trials for score in trial):
        assert result.status != "passed"


@given(lists(lists(RETURNED, least=0), least=1), st.sampled_from(["fail", "exclude"]))
def test_no_unmeasured_case_passes_anywhere(trials: list[list[Any]], errors: str) -> None:
    broken = [[scored(RuntimeError("boom")).named(f"s{n}", "python") for n, _ in enumerate(trial)] for trial in trials]
    result = result_of(broken, errors)
    assert result.status != "passed"
    if all(broken):
        assert result.status == "errored"
        assert not decide(results=[result]).passed
        assert not decide(results=[result], threshold=0.0).passed


@given(FIELDS)
def test_a_score_built_in_python_cannot_contradict_itself(fields: dict[str, Any]) -> None:
    try:
        score = Score(**fields)
    except (ValueError, TypeError):
        return
    assert (score.value is None) != (score.error is None)
    if score.value is None:
        assert score.passed is None
    else:
        assert 0 <= score.value <= 1
        assert (score.passed, score.value) not in ((True, 0), (False, 1))
    as_result = score.as_result()
    assert as_result.passed is (False if score.error is not None else score.passed)
    assert as_result.value == score.value


@given(lists(lists(RETURNED)), st.sampled_from(["fail", "exclude"]))
def test_no_mean_counts_what_was_not_measured(cases: list[list[Any]], errors: str) -> None:
    scores = [[scored(each).named("s", "python") for each in case] for case in cases]
    results = [result_of([case], errors) for case in scores]
    measured = [score.value for case in scores for score in case if score.value is not None]
    summary = summarize(results)
    broken = sum(score.error is not None for case in scores for score in case)
    assert sum(summary.left_out.values()) == broken
    assert len(measured) + broken == sum(map(len, cases))
    if not measured:
        assert measured_mean(results) is None
        assert not summary.mean_score
    else:
        wanted = math.fsum(measured) / len(measured)
        assert measured_mean(results) == pytest.approx(wanted)
        assert summary.mean_score["s"] == pytest.approx(wanted)


@given(RETURNED)
def test_a_verdict_is_set_by_the_scorer_alone(returned: Any) -> None:
    score = scored(returned)
    if isinstance(returned, bool):
        assert (score.passed, score.value) == (returned, float(returned))
    elif score.error is None:
        assert score.passed is None
    else:
        assert score.passed is False
