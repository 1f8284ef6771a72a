"""A judge's stated agreement with people, measured again in the run."""

from evalci.datasets.labels import Label
from evalci.gates.calibration import keeps_agreement, validated
from evalci.model import CaseResult, GateOutcome, Output, Score
from evalci.summary.trials import single
from tests.factories import case

LABELS = {"a": Label(True), "b": Label(True), "c": Label(False), "d": Label(False)}


def judged(**values: float | None) -> list[CaseResult]:
    return [
        single(case(case_id), output=Output(text=""), scores=(Score(value=1.0, passed=True), _score(value)))
        for case_id, value in values.items()
    ]


def _score(value: float | None) -> Score:
    about = {"unvalidated": True, "judge_model": "m"}
    if value is None:
        return Score.broken("no verdict", metadata=about)
    return Score.graded(value, threshold=0.5, metadata=about)


def kept(results: list[CaseResult], min_kappa: float = 0.9) -> GateOutcome:
    return keeps_agreement(results, 1, scorer="right", labels=LABELS, threshold=0.5, min_kappa=min_kappa)


def test_full_agreement_holds() -> None:
    outcome = kept(judged(a=0.5, b=1.0, c=0.4, d=0.0))
    assert (outcome.passed, outcome.actual) == (True, 1.0)
    assert outcome.gate == "calibration(right) >= 0.9"


def test_less_than_the_config_says_fails() -> None:
    outcome = kept(judged(a=0.5, b=1.0, c=0.9, d=0.0))
    assert (outcome.passed, outcome.actual) == (False, 0.5)
    assert kept(judged(a=0.5, b=1.0, c=0.9, d=0.0), 0.5).passed


def test_what_was_not_measured_counts_as_disagreement() -> None:
    outcome = kept(judged(a=0.5, b=None, c=0.0, d=None))
    assert (outcome.passed, outcome.actual) == (False, 0.0)
    assert "2 answers not measured" in outcome.reason


def test_a_label_whose_case_is_gone_counts_as_disagreement() -> None:
    outcome = kept(judged(a=0.5, c=0.0, d=0.0))
    assert (outcome.passed, outcome.actual) == (False, 0.5)
    assert "1 label without a case" in outcome.reason


def test_a_label_of_another_answer_counts_as_disagreement() -> None:
    labels = {**LABELS, "a": Label(True, ""), "b": Label(True, "what people saw")}
    results = judged(a=0.5, b=1.0, c=0.0, d=0.0)
    outcome = keeps_agreement(results, 1, scorer="right", labels=labels, threshold=0.5, min_kappa=0.9)
    assert (outcome.passed, outcome.actual) == (False, 0.5)
    assert "1 label about another answer" in outcome.reason
    assert "not measured" not in outcome.reason


def test_a_judge_that_says_the_same_of_everything_is_no_measurement() -> None:
    results = judged(a=1.0)
    outcome = keeps_agreement(results, 1, scorer="right", labels={"a": Label(True)}, threshold=0.5, min_kappa=-1)
    assert (outcome.passed, outcome.actual) == (False, None)
    assert "kappa cannot be told" in outcome.reason


def test_a_judge_that_kept_it_is_no_longer_unvalidated() -> None:
    (result,) = validated(judged(a=0.5), 1, 0.8)
    assert result.scores[1].metadata == {"judge_model": "m", "kappa": 0.8}
    assert result.scores[0].metadata is None
    errored = single(case("x"), error="boom")
    assert validated([errored], 1, 0.8) == (errored,)
