"""Accuracy and F1 of outputs against expected labels."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.model import CaseResult, Output
from evalci.summary.classification import classify, label_of
from tests.factories import case, errored

LABELS = st.sampled_from(("cat", "dog", "Cat", ""))


def answered(expected: Any, text: str) -> CaseResult:
    return CaseResult(case=case(expected=expected), status="passed", output=Output(text=text))


def pairs(*found: tuple[Any, str]) -> list[CaseResult]:
    return [answered(expected, text) for expected, text in found]


def test_labels_are_trimmed_text_or_compact_json() -> None:
    assert label_of("  cat\n") == "cat"
    assert label_of(True) == "true"
    assert label_of({"b": 1, "a": [None]}) == '{"a":[null],"b":1}'


def test_space_around_an_answer_does_not_matter_but_case_does() -> None:
    assert classify(pairs(("cat", " cat\n"))).accuracy == 1.0
    assert classify(pairs(("cat", "Cat"))).accuracy == 0.0


def test_cases_without_an_expected_value_are_left_out() -> None:
    found = classify(pairs((None, "cat"), ("cat", "cat")))
    assert (found.labeled_cases, found.accuracy) == (1, 1.0)


def test_a_case_without_an_output_is_labelled_and_wrong() -> None:
    found = classify([errored(case=case(expected="dog")), answered("cat", "cat")])
    assert (found.labeled_cases, found.accuracy, found.macro_f1) == (2, 0.5, 0.5)


def test_an_answer_that_is_no_class_enters_no_precision() -> None:
    (dog,) = classify(pairs(("dog", "dog"), ("dog", "fish"))).classes
    assert (dog.label, dog.precision, dog.recall, dog.support) == ("dog", 1.0, 0.5, 2)


def test_nothing_labelled_is_zero_over_nothing() -> None:
    found = classify(pairs((None, "cat")))
    assert (found.labeled_cases, found.accuracy, found.macro_f1, found.classes) == (0, 0.0, 0.0, ())


@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=12))
def test_figures_match_their_definitions(found: list[tuple[str, str]]) -> None:
    result = classify(pairs(*found))
    assert result.accuracy == pytest.approx(sum(a == b for a, b in found) / len(found))
    assert [scores.label for scores in result.classes] == sorted({expected for expected, _ in found})
    for scores in result.classes:
        assert scores.f1 == pytest.approx(_f1(found, scores.label))
    assert result.macro_f1 == pytest.approx(sum(scores.f1 for scores in result.classes) / len(result.classes))


def _f1(found: Sequence[tuple[str, str]], label: str) -> float:
    true = sum(pair == (label, label) for pair in found)
    wrong = sum((expected == label) != (seen == label) for expected, seen in found)
    return 2 * true / (2 * true + wrong) if true else 0.0


@given(st.permutations([("cat", "cat"), ("cat", "dog"), ("dog", "dog"), ("bird", "fish")]))
def test_the_order_of_cases_does_not_matter(found: list[tuple[str, str]]) -> None:
    assert classify(pairs(*found)) == classify(pairs(*sorted(found)))
