"""JSON read strictly: one value, no NaN, no number that Python cannot hold, big integers exact."""

import json
from typing import Any, Final, NoReturn


class NotJson(ValueError):
    """A text is not JSON; the message says why, for the end of a sentence."""


def parse_json(text: str) -> Any:
    """The value that the text writes down; of doubled keys the last one counts. Raises `NotJson`."""
    if not text.strip(_BLANKS):
        raise NotJson("it is empty")
    try:
        return _DECODER.decode(text)
    except NotJson:
        raise
    except json.JSONDecodeError as exc:
        raise NotJson(_complaint(text, exc)) from exc
    except RecursionError as exc:
        raise NotJson("it is nested too deeply") from exc
    except ValueError as exc:  # Python reads no integers of more than some thousand digits
        raise NotJson("it holds an integer too long to read") from exc


def _complaint(text: str, error: json.JSONDecodeError) -> str:
    """Where reading stopped, in the same words for every version of Python."""
    position = error.pos
    if text[position : position + 1] == "," and "trailing comma" in error.msg:  # 3.13 points at the comma itself
        rest = text[position + 1 :]
        position = len(text) - len(rest.lstrip(_BLANKS))
    before = text[:position]
    if not text[position:].strip(_BLANKS):
        return "it ends too early"
    line, column = before.count("\n") + 1, position - before.rfind("\n")
    return f"it goes wrong at line {line}, column {column}"


def _refuse(constant: str) -> NoReturn:
    raise NotJson(f"{constant} is no JSON number")


def _finite(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise NotJson(f"{digits[:40]} is too large a number")
    return value


_BLANKS: Final = " \t\n\r"
_DECODER: Final = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)
