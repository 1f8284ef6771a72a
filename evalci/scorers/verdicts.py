"""Protocol v0 between EvalCI and a scorer command: the case as JSON on stdin, a verdict as JSON on stdout."""

from typing import Any, Final

from evalci.calls import canonical
from evalci.model import Case, Output, Score
from evalci.scorers import ScorerError
from evalci.scorers.strict_json import NotJson, parse_json
from evalci.unicode import utf8_text
from evalci.wording import plain_number, quoted, seen, snippet

PASSING: Final = 0.5
FIELDS: Final = ("score", "passed", "reason")


def payload(case: Case, output: Output) -> bytes:
    """What the command reads: compact, keys sorted, `context` only when the case has some. Raises `ScorerError`."""
    try:
        return canonical(case_fields(case, output))
    except TypeError as exc:
        raise ScorerError(f"the case cannot be written as JSON: {exc}") from exc


def case_fields(case: Case, output: Output) -> dict[str, Any]:
    """What a command is told of a case and its output."""
    fields: dict[str, Any] = {"expected": case.expected, "input": case.input, "output": output.text}
    if case.context:
        fields["context"] = list(case.context)
    return fields


def read_verdict(cmd: str, stdout: str) -> Score:
    """The score that a command printed. Raises `ScorerError` for anything but one verdict."""
    text = stdout.strip()
    try:
        verdict = parse_json(text, unique=FIELDS)
    except NotJson:
        verdict = None
    return judged(cmd, verdict, text)


def judged(cmd: str, verdict: Any, text: str) -> Score:
    """The score in a JSON value that was read from `text`. Raises `ScorerError` when it is no verdict."""
    found = _fields(verdict)
    if found is None:
        raise ScorerError(f"scorer {quoted(cmd)} printed invalid verdict JSON: {seen(text)}")
    score, passed, reason = found
    if not 0 <= score <= 1:
        raise ScorerError(f"scorer {quoted(cmd)} returned score {snippet(plain_number(score))} outside 0.0..=1.0")
    passed = score >= PASSING if passed is None else passed
    if score == 1 and passed and not reason:
        return Score.good()
    return Score(
        value=float(score) + 0.0,  # -0.0 is no score of its own
        passed=passed,
        reason=utf8_text(reason or ""),
    )


def _fields(verdict: Any) -> tuple[float, bool | None, str | None] | None:
    """Score, passed and reason as far as they are what they must be; None when the value is no verdict."""
    if not isinstance(verdict, dict):
        return None
    score, passed, reason = map(verdict.get, FIELDS)
    if isinstance(score, bool) or not isinstance(score, (int, float)):
        return None
    if not isinstance(passed, bool | None) or not isinstance(reason, str | None):
        return None
    return score, passed, reason
