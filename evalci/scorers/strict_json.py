"""JSON read strictly: one value, no NaN, no number that Python cannot hold, big integers exact."""

import json
from collections.abc import Collection
from functools import lru_cache
from typing import Any, Final, NoReturn

from evalci.json_mistakes import mistake_of

DEEPEST: Final = 127  # EvalCore reads no deeper, and what Python can read depends on its version
_BLANKS: Final = " \t\n\r"
_TOO_DEEP: Final = f"it is nested more than {DEEPEST} levels deep"


class NotJson(ValueError):
    """A text is not JSON; the message says why, for the end of a sentence."""


def parse_json(text: str, *, unique: Collection[str] = ()) -> Any:
    """The value that the text writes down. Raises `NotJson`.

    Of a doubled key the last value counts, but a key in `unique` may stand in an object only once.
    """
    if not text.strip(_BLANKS):
        raise NotJson("it is empty")
    try:
        value = _decoder(frozenset(unique)).decode(text)
    except NotJson:
        raise
    except json.JSONDecodeError as exc:
        raise NotJson(_complaint(text, exc)) from exc
    except RecursionError as exc:
        raise NotJson(_TOO_DEEP) from exc
    except ValueError as exc:  # Python reads no integers of more than some thousand digits
        raise NotJson("it holds an integer too long to read") from exc
    if text.count("[") + text.count("{") > DEEPEST and _holds(value) and _is_deeper(value, DEEPEST):
        raise NotJson(_TOO_DEEP)
    return value


def _is_deeper(value: Any, levels: int) -> bool:
    """Does the value hold lists and objects in more than so many levels?"""
    layer = [value]
    for _ in range(levels):
        layer = [item for each in layer for item in (each.values() if isinstance(each, dict) else each) if _holds(item)]
    return bool(layer)


def _holds(value: Any) -> bool:
    return isinstance(value, (dict, list))


def _complaint(text: str, error: json.JSONDecodeError) -> str:
    """Where reading stopped."""
    mistake = mistake_of(error)
    if not text[mistake.position :].strip(_BLANKS):
        return "it ends too early"
    return f"it goes wrong at line {mistake.line}, column {mistake.column}"


def _refuse(constant: str) -> NoReturn:
    raise NotJson(f"{constant} is no JSON number")


def _finite(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise NotJson(f"{digits[:40]} is too large a number")
    return value


@lru_cache(maxsize=4)
def _decoder(unique: frozenset[str]) -> json.JSONDecoder:
    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(members)
        if len(value) < len(members):
            keys = [key for key, _ in members]
            if any(keys.count(key) > 1 for key in unique):
                raise NotJson("a key stands twice in it")
        return value

    return json.JSONDecoder(parse_constant=_refuse, parse_float=_finite, object_pairs_hook=pairs if unique else None)
