"""What the rows on text scorers ask of a score."""

from typing import Any

from evalci.model import Score
from evalci.wording import seen as shown


def check(score: Score, want: dict[str, Any], *, wanted: str, seen: str) -> None:
    """Value and verdict; no reason on a pass, and on a failure one that names what was wanted and what was seen."""
    assert score.error is None
    assert (score.value, score.passed) == (want["value"], want["passed"])
    if "reason" in want:
        assert score.reason == (want["reason"] or "")
    if score.passed:
        assert score.reason == ""
    else:
        assert shown(wanted)[1:-1] in score.reason
        assert shown(seen) in score.reason
