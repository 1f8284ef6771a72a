"""Which fields of an expected object does the output have right?"""

from dataclasses import dataclass
from typing import Any

from evalci.config.settings import setting
from evalci.model import Case, Output, Score
from evalci.scorers.measures.fields import FieldMatch, NothingAsked, match_fields
from evalci.wording import count_of


@dataclass(frozen=True, kw_only=True, slots=True)
class JsonFields:
    """The part of the expected fields that match; a verdict with `require_all` or a threshold."""

    require_all: bool = setting(False, about="pass only when every expected field matches")
    threshold: float | None = setting(None, about="the value that passes; no verdict without", low=0, high=1)

    async def score(self, case: Case, output: Output) -> Score:
        return judge_fields(output.text, case.expected, require_all=self.require_all, threshold=self.threshold)


def judge_fields(output: Any, expected: Any, *, require_all: bool, threshold: float | None = None) -> Score:
    """The score of one output; an expectation without fields is a broken score, for it measures nothing."""
    try:
        found = match_fields(output, expected)
    except NothingAsked as exc:
        return Score.broken(str(exc))
    value = found.value
    passed = None
    if require_all:
        passed = len(found.matched) == found.field_count
    if threshold is not None and passed is not False:
        passed = value >= threshold
    return Score(value=value, passed=passed, reason="" if value == 1 else _reason(found), metadata=_about(found))


def _reason(found: FieldMatch) -> str:
    parts = [
        f"{name} {', '.join(paths)}" for name, paths in (("wrong", found.wrong), ("missing", found.missing)) if paths
    ]
    unreadable = "the output is no JSON object; " if found.unexpected is None else ""
    return f"{unreadable}{len(found.matched)} of {count_of(found.field_count, 'field')} match: {'; '.join(parts)}"


def _about(found: FieldMatch) -> dict[str, Any]:
    about = {"matched": list(found.matched), "wrong": list(found.wrong), "missing": list(found.missing)}
    return {**about, "unexpected": list(found.unexpected or ()), "field_count": found.field_count}
