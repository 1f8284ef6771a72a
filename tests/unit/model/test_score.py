"""A score that says nothing, or two things at once, cannot be made."""

from typing import Any

import pytest

from evalci.model import Score


@pytest.mark.parametrize(("fields", "why"), [
    ({}, "either a value or an error"),
    ({"value": 1.0, "error": "boom", "passed": False}, "either a value or an error"),
    ({"error": "boom"}, "passed=False"),
    ({"error": "boom", "passed": True}, "passed=False"),
    ({"error": "", "passed": False}, "says what broke"),
    ({"value": float("nan")}, "finite"),
    ({"value": float("inf")}, "finite"),
])  # fmt: skip
def test_what_is_no_score_cannot_be_made(fields: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Score(**fields)


def test_a_threshold_is_met_exactly_or_not_at_all() -> None:
    assert Score.graded(0.7, threshold=0.7).passed is True
    assert Score.graded(0.7 - 1e-12, threshold=0.7).passed is False
    assert Score.graded(0.7).passed is None


def test_a_broken_score_fails_and_has_no_value() -> None:
    broken = Score.broken("no answer")
    assert (broken.value, broken.passed, broken.reason) == (None, False, "scorer error: no answer")
