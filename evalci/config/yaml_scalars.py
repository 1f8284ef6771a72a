"""The type of a scalar by the core schema of YAML 1.2: `no`, `on`, dates, `1_000` and `1:30` are text."""

import math
import re
from dataclasses import dataclass
from typing import Final

from evalci.wording import quoted, snippet

Value = str | int | float | bool | None
CORE_TAG: Final = "tag:yaml.org,2002:"

_NULLS: Final = ("", "~", "null", "Null", "NULL")
_BOOLS: Final = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_WORDS: Final[dict[str, Value]] = {**dict.fromkeys(_NULLS), **_BOOLS}
_FIRST_OF_NUMBER: Final = frozenset("+-.0123456789")
# `012` is twelve: YAML 1.2 writes octal as 0o14.
_INT: Final = re.compile(r"[-+]?[0-9]+")
_BASED: Final = re.compile(r"0o(?P<octal>[0-7]+)|0x(?P<hex>[0-9a-fA-F]+)")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INFINITE: Final = re.compile(r"(?P<sign>[-+]?)\.(inf|Inf|INF)")
_NANS: Final = (".nan", ".NaN", ".NAN")
# More digits than any float holds, fewer than Python refuses to read.
_MOST_DIGITS: Final = 250


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Why a scalar has no value, and what to do next."""

    message: str
    hint: str


def core_value(text: str) -> Value | Refused:
    """What plain, unquoted text stands for: null, a bool, a number, or itself."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _FIRST_OF_NUMBER:
        return text
    number = _number(text)
    return text if number is None else number


def tagged_value(text: str, kind: str) -> Value | Refused:
    """What text stands for under `!!kind`, one of the scalar tags of the core schema."""
    if kind == "str":
        return text
    value = core_value(text)
    if isinstance(value, Refused):
        return value
    if kind == "null" and value is None:
        return None
    if kind == "bool" and isinstance(value, bool):
        return value
    if kind == "int" and isinstance(value, int) and not isinstance(value, bool):
        return value
    if kind == "float" and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    message = f"{quoted(snippet(text, 40))} is no value for the tag !!{kind}"
    return Refused(message=message, hint="remove the tag")


def _number(text: str) -> int | float | Refused | None:
    if _INT.fullmatch(text):
        return _too_long(text) or int(text)
    if based := _BASED.fullmatch(text):
        return _too_long(text) or int(based[based.lastgroup or 0], 8 if based["octal"] else 16)
    if _FLOAT.fullmatch(text):
        value = float(text)
        return _refused(text) if math.isinf(value) else value
    if infinite := _INFINITE.fullmatch(text):
        return -math.inf if infinite["sign"] == "-" else math.inf
    return math.nan if text in _NANS else None


def _too_long(text: str) -> Refused | None:
    return _refused(text) if len(text) > _MOST_DIGITS else None


def _refused(text: str) -> Refused:
    message = f"the number {quoted(snippet(text, 20))} is too large"
    return Refused(message=message, hint="write a smaller number; if it is text, put it in quotes")
