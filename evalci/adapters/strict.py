"""Exactly one JSON object, and nothing that only looks like one."""

import json
from typing import Any, NoReturn

from evalci.json_mistakes import mistake_of
from evalci.nesting import MOST_DEPTH, too_deep
from evalci.unicode import without_surrogates


class NotOneObject(ValueError):
    """The text is not exactly one JSON object; the message says why and names JSON."""


def one_object(data: bytes) -> dict[str, Any]:
    """The object that the bytes hold. No fence, no log line, no second object, no doubled key, no NaN."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as exc:
        raise NotOneObject(f"it is not JSON: byte {exc.start} is not UTF-8") from exc
    if not text.strip(" \t\r\n"):
        raise NotOneObject("it is empty, not one JSON object")
    if too_deep(data):
        raise NotOneObject(f"its JSON is nested more than {MOST_DEPTH} levels deep")
    try:
        value = json.loads(text, parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_pairs)
    except json.JSONDecodeError as exc:
        what = "there is more after the first value" if exc.msg == "Extra data" else "it goes wrong"
        mistake = mistake_of(exc)
        raise NotOneObject(
            f"it is not one JSON object: {what} at line {mistake.line}, column {mistake.column}"
        ) from exc
    except NotOneObject:
        raise
    except (ValueError, RecursionError) as exc:
        raise NotOneObject("it is not JSON: it holds a number too long to read") from exc
    if not isinstance(value, dict):
        raise NotOneObject("it is JSON, but not an object")
    return without_surrogates(value)  # type: ignore[no-any-return]


def _pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(members)
    if len(value) < len(members):
        keys = [key for key, _ in members]
        doubled = next(key for key in keys if keys.count(key) > 1)
        raise NotOneObject(f'its JSON holds the key "{doubled}" twice')
    return value


def _finite(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise NotOneObject(f"{digits[:40]} is too large a number for JSON")
    return value


def _refuse(constant: str) -> NoReturn:
    raise NotOneObject(f"{constant} is no JSON number")
