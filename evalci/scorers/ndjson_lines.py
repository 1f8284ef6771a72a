"""The lines of protocol ndjson: a request out of a case, an answer out of what a scorer printed."""

from typing import Any, Final, NamedTuple

from evalci.calls import canonical
from evalci.model import Case, Output, Score
from evalci.process import text_of
from evalci.scorers import ScorerError
from evalci.scorers.strict_json import NotJson, parse_json
from evalci.scorers.verdicts import FIELDS, case_fields, judged

_UNIQUE: Final = ("id", "error", *FIELDS)
# JSON may hold these as they are, but some languages read a line only as far as one of them.
_LINE_ENDS: Final = (("\u0085", b"\\u0085"), ("\u2028", b"\\u2028"), ("\u2029", b"\\u2029"))


class Answer(NamedTuple):
    """A JSON object that a scorer printed, the number of the request it answers, and the text as it was."""

    number: int
    fields: dict[str, Any]
    text: str


def request_line(number: int, case: Case, output: Output) -> bytes:
    """The case as protocol v0 has it, with a number, in one line for every reader. Raises `ScorerError`."""
    try:
        line = canonical({**case_fields(case, output), "id": number})
    except TypeError as exc:
        raise ScorerError(f"the case cannot be written as JSON: {exc}") from exc
    if not line.isascii():
        for end, escaped in _LINE_ENDS:
            line = line.replace(end.encode(), escaped)
    return line


def read_answer(line: bytes) -> Answer | None:
    """The answer that a line holds; None when it is no JSON object with a whole number as `id`."""
    text = text_of(line).strip()
    try:
        fields = parse_json(text, unique=_UNIQUE)
    except NotJson:
        return None
    if not isinstance(fields, dict):
        return None
    number = fields.get("id")
    return Answer(number, fields, text) if isinstance(number, int) and not isinstance(number, bool) else None


def score_from(cmd: str, answer: Answer) -> Score:
    """The verdict in an answer. Raises `ScorerError` when there is none, or when the scorer says that it failed."""
    error = answer.fields.get("error")
    if error is not None:
        raise ScorerError(f"scorer command failed: {error if isinstance(error, str) else canonical(error).decode()}")
    return judged(cmd, answer.fields, answer.text)
