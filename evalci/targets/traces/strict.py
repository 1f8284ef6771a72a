"""JSON of a trace file, read strictly: no NaN, no endless nesting, no text that could not be written again."""

import json
from typing import Any, Final, NoReturn

from evalci.json_mistakes import mistake_of
from evalci.nesting import MOST_DEPTH, too_deep
from evalci.unicode import without_surrogates


class NotJson(ValueError):
    """A text is no JSON value; the message says why and where, and shows nothing of the text."""


def parse(text: str) -> Any:
    """The value that the text writes down; of doubled keys the last one counts. Raises `NotJson`."""
    if too_deep(text.encode("utf-8", "surrogatepass")):
        raise NotJson(f"it is nested more than {MOST_DEPTH} deep")
    try:
        return without_surrogates(_DECODER.decode(text))
    except NotJson:
        raise
    except json.JSONDecodeError as exc:
        mistake = mistake_of(exc)
        raise NotJson(f"it goes wrong at line {mistake.line}, column {mistake.column}") from exc
    except (RecursionError, ValueError) as exc:  # Python reads no integer of more than some thousand digits
        raise NotJson("it holds a number that is too long") from exc


def unwrapped(value: Any) -> Any:
    """What a text writes down as JSON, be it `42` or `true`; a text that is no JSON, and any other value, as it is."""
    if not isinstance(value, str):
        return value
    try:
        return parse(value)
    except NotJson:
        return value


def _refuse(constant: str) -> NoReturn:
    raise NotJson(f"{constant} is no JSON number")


def _finite(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise NotJson("it holds a number that is too large")
    return value


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)
