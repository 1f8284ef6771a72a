"""One line of JSONL to one JSON object: strict, exact, and with the column of what is wrong."""

import math
import re
from typing import Any, Final, NoReturn

import orjson

from evalci.json_mistakes import mistake_of
from evalci.nesting import MOST_DEPTH, too_deep
from evalci.unicode import without_surrogates
from evalci.wording import snippet

_TEXTS_ONLY: Final = frozenset({str, type(None)})
# An integer that needs more than 64 bits has at least this many digits; the quick parser would round it.
_BIG_NUMBER: Final = re.compile(rb"\d{19}")


class InvalidLine(Exception):
    """A line is no case. `message` has `{at}` where the line's place belongs; `column` counts characters from 1."""

    def __init__(self, message: str, column: int | None = None, *, is_blank: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.column = column
        self.is_blank = is_blank

    @classmethod
    def because(cls, why: str, column: int | None = None) -> "InvalidLine":
        """The line at that place is invalid, and why."""
        return cls("invalid case at {at}: " + why.replace("{", "{{").replace("}", "}}"), column)


def read_object(line: bytes) -> dict[str, Any]:
    """The object on a line. orjson is quick; what it refuses or would round goes to the slow, exact parser."""
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError:
        row = _read_slowly(line)
    if not isinstance(row, dict):
        raise InvalidLine.because(f"a case is a JSON object, got {kind_of(row)}")
    if not _TEXTS_ONLY.issuperset(map(type, row.values())):
        if too_deep(line):
            raise InvalidLine.because(f"values are nested more than {MOST_DEPTH} deep")
        if _BIG_NUMBER.search(line):
            return dict(_read_slowly(line))
    return row


def kind_of(value: Any) -> str:
    """What a JSON value is, in words."""
    names = {dict: "an object", list: "a list", str: "text", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")


def _read_slowly(line: bytes) -> Any:
    """The same with the standard library: half surrogates become U+FFFD, big integers stay exact."""
    import json

    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as exc:
        column = len(line[: exc.start].decode("utf-8")) + 1
        raise InvalidLine.because("not valid UTF-8", column) from exc
    if not text.strip():
        raise InvalidLine("", is_blank=True)
    try:
        return without_surrogates(json.loads(text, parse_constant=_refuse, parse_float=_finite, parse_int=_integer))
    except json.JSONDecodeError as exc:
        mistake = mistake_of(exc)
        raise InvalidLine.because(f"not valid JSON: {mistake.why}", mistake.column) from exc
    except RecursionError as exc:
        raise InvalidLine.because(f"values are nested more than {MOST_DEPTH} deep") from exc


def _refuse(name: str) -> NoReturn:
    raise InvalidLine.because(f"not valid JSON: {name} is no JSON value")


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        _refuse(f"the number {snippet(digits, 20)}")
    return value


def _integer(digits: str) -> int:
    try:
        return int(digits)
    except ValueError as exc:
        # Python reads no integer of more than some thousand digits.
        raise InvalidLine.because(f"the number {snippet(digits, 20)} has too many digits") from exc
