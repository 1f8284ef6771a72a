"""What the golden rows ask of the scorers of suites in Python."""

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import pytest

from evalci import Score


def scored(function: Callable[..., Any], *arguments: Any) -> Score:
    """What a scorer function makes of its arguments."""
    score = function(*arguments)
    if inspect.isawaitable(score):
        score = asyncio.run(_awaited(score))
    assert isinstance(score, Score)
    return score


async def _awaited(value: Any) -> Any:
    return await value


def check(score: Score, want: dict[str, Any]) -> None:
    """Value and verdict, and every other key that is metadata."""
    about = score.metadata or {}
    assert (score.error is not None) == want.get("errored", False)
    if "value" in want:
        assert score.value == (want["value"] if want["value"] is None else pytest.approx(want["value"], abs=1e-9))
    if not want.get("errored"):
        assert score.passed is want["passed"]
    for key in ("parsed_output", "difference", "distance", "normalised_output", "matched", "wrong", "missing"):
        if key in want:
            assert about[key] == (pytest.approx(want[key]) if isinstance(want[key], float) else want[key])
    for key, value in want.get("metadata", {}).items():
        assert about[key] == value
    if score.passed is False:
        assert about["reason"] or score.error
