"""Attribute values as OTLP JSON wraps them, and keys as it spells them."""

import math
import re
from collections.abc import Callable
from functools import cache
from typing import Any, Final

_WHOLE: Final = re.compile(r"-?[0-9]{1,20}")
_DECIMAL: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def member(node: dict[str, Any], key: str) -> Any:
    """What stands under a field's name: `startTimeUnixNano`, or `start_time_unix_nano` as the proto files have it."""
    value = node.get(key)
    return node.get(_snake(key)) if value is None else value


def value_in(wrapper: Any) -> Any:
    """The JSON value in a wrapper such as `{"intValue": "5"}`; None for an empty one, and for one of no known kind."""
    if not isinstance(wrapper, dict):
        return wrapper
    for kind, read in _READERS.items():
        held = member(wrapper, kind)
        if held is not None:
            return read(held)
    return None


def attributes_in(entries: list[Any]) -> dict[str, Any]:
    """A key-value list as a dict; an entry without a key is left out."""
    named = (entry for entry in entries if isinstance(entry, dict) and isinstance(entry.get("key"), str))
    return {entry["key"]: value_in(entry.get("value")) for entry in named}


def whole_number(value: Any) -> int | None:
    """A whole number that may be written as text, as JSON has 64-bit integers; None for anything else."""
    if isinstance(value, str):
        return int(value) if _WHOLE.fullmatch(value) else None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _as_it_is(held: Any) -> Any:
    return held


def _integer(held: Any) -> Any:
    number = whole_number(held)
    return held if number is None else number


def _double(held: Any) -> Any:
    """A float. `"NaN"` and `"Infinity"`, which JSON has no number for, stay text."""
    is_number = isinstance(held, (int, float)) and not isinstance(held, bool)
    if not is_number and not (isinstance(held, str) and _DECIMAL.fullmatch(held)):
        return held
    try:
        number = float(held)
    except OverflowError:
        return held
    return number if math.isfinite(number) else held


def _list(held: Any) -> Any:
    return [value_in(item) for item in _values(held)]


def _mapping(held: Any) -> Any:
    return attributes_in(_values(held))


def _values(held: Any) -> list[Any]:
    values = held.get("values") if isinstance(held, dict) else held
    return values if isinstance(values, list) else []


@cache
def _snake(key: str) -> str:
    return re.sub("[A-Z]", lambda found: "_" + found[0].lower(), key)


_READERS: Final[dict[str, Callable[[Any], Any]]] = {
    "stringValue": _as_it_is,
    "intValue": _integer,
    "boolValue": _as_it_is,
    "doubleValue": _double,
    "arrayValue": _list,
    "kvlistValue": _mapping,
    "bytesValue": _as_it_is,
}
