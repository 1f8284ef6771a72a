"""Takes untrusted JSON apart: each step checks a type and knows its path, such as `results[3].scores[0].value`."""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NoReturn, TypeVar, get_args, overload

from evalci.errors import ReportError
from evalci.json_mistakes import mistake_of
from evalci.reporters.json_report import writable
from evalci.wording import count_of, plain_number, seen, snippet

T = TypeVar("T")

MAX_BYTES: Final = 64 * 1024 * 1024
MAX_NESTING: Final = 300
MAX_COUNT: Final = 2**53
_HINT: Final = "write the report anew with this version of evalci"
_NAMES: Final = {dict: "an object", list: "a list", bool: "true or false", type(None): "null"}


def parse(data: bytes, max_bytes: int = MAX_BYTES) -> Any:
    """Strict JSON out of UTF-8. Raises `ReportError` past `max_bytes`, on NaN, and on endless nesting."""
    if len(data) > max_bytes:
        raise ReportError(f"the report has {len(data):,} bytes, at most {max_bytes:,} are read")
    try:
        value = json.loads(data.decode(), parse_constant=_refuse, parse_float=_finite)
    except RecursionError:
        raise ReportError("the report is no JSON that evalci would write: it is nested too deeply") from None
    except json.JSONDecodeError as exc:
        mistake = mistake_of(exc)
        where = f"line {mistake.line}, column {mistake.column}"
        raise ReportError(f"the report is not valid JSON: {mistake.why} at {where}", hint=_HINT) from None
    except ValueError as exc:
        raise ReportError(f"the report is not valid JSON: {exc}", hint=_HINT) from None
    return writable(value, MAX_NESTING) if b"\\ud" in data.lower() else value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:20]} is no finite number")
    return number


def refuse(path: str, wanted: str, value: Any) -> NoReturn:
    """`results[0].status: wanted text, saw 3`."""
    what = _NAMES.get(type(value)) or (seen(value) if isinstance(value, str) else snippet(plain_number(value), 40))
    raise ReportError(f"the report cannot be used: {path}: wanted {wanted}, saw {what}", hint=_HINT)


class Node:
    """A JSON object at a path. A key that is missing and one that is null are the same; unknown keys are ignored."""

    __slots__ = ("path", "value")

    def __init__(self, value: Any, path: str) -> None:
        if type(value) is not dict:
            refuse(path or "the top level", "an object", value)
        self.value: dict[str, Any] = value
        self.path = path

    def at(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    def has(self, key: str) -> bool:
        return self.value.get(key) is not None

    def _need(self, key: str, wanted: str) -> Any:
        value = self.value.get(key)
        if value is None:
            self._lacks(key, wanted)
        return value

    def _lacks(self, key: str, wanted: str) -> NoReturn:
        raise ReportError(f"the report cannot be used: {self.at(key)} is missing: wanted {wanted}", hint=_HINT)

    def text(self, key: str, default: str | None = None) -> str:
        value = self.value.get(key, default)
        if type(value) is not str:
            if value is None and default is not None:
                return default
            if value is None:
                self._lacks(key, "text")
            refuse(self.at(key), "text", value)
        return value

    def maybe_text(self, key: str) -> str | None:
        return self.text(key) if self.value.get(key) is not None else None

    def flag(self, key: str) -> bool:
        value = self._need(key, "true or false")
        if type(value) is not bool:
            refuse(self.at(key), "true or false", value)
        return value

    def maybe_flag(self, key: str) -> bool | None:
        return self.flag(key) if self.value.get(key) is not None else None

    @overload
    def count(self, key: str) -> int: ...
    @overload
    def count(self, key: str, default: int) -> int: ...
    @overload
    def count(self, key: str, default: None) -> int | None: ...
    def count(self, key: str, default: int | None = -1) -> int | None:
        """A whole number, zero or more; -1 as default asks for one to be there."""
        value = self.value.get(key)
        if value is None:
            return default if default != -1 else self._lacks(key, "a whole number")
        return a_count(value, self.at(key))

    def number(self, key: str) -> float | None:
        value = self.value.get(key)
        return None if value is None else a_number(value, self.at(key))

    def fraction(self, key: str) -> float:
        """A number from 0 to 1 that must be there."""
        value = a_number(self._need(key, "a number from 0 to 1"), self.at(key))
        if not 0 <= value <= 1:
            refuse(self.at(key), "a number from 0 to 1", value)
        return value

    def one_of(self, key: str, choices: Any) -> Any:
        """One of the words of a `Literal`."""
        return a_choice(self._need(key, "one of its words"), choices, self.at(key))

    def node(self, key: str) -> "Node":
        return Node(self._need(key, "an object"), self.at(key))

    def maybe(self, key: str, read: Callable[["Node"], T]) -> T | None:
        """What `read` makes of the object, None when there is none."""
        value = self.value.get(key)
        return None if value is None else read(Node(value, self.at(key)))

    def items(self, key: str) -> Iterator[tuple[Any, str]]:
        """Each item of a list with its path; none when the list is missing."""
        value = self.value.get(key)
        if value is None:
            return
        path = self.at(key)
        if type(value) is not list:
            refuse(path, "a list", value)
        for n, item in enumerate(value):
            yield item, f"{path}[{n}]"

    def each(self, key: str, read: Callable[["Node"], T]) -> tuple[T, ...]:
        return tuple([read(Node(item, path)) for item, path in self.items(key)])

    def texts(self, key: str) -> tuple[str, ...]:
        return tuple([a_text(item, path) for item, path in self.items(key)])

    def mapping(self, key: str, read: Callable[[Any, str], T]) -> Mapping[str, T]:
        """Every member read as the same kind of value."""
        value = self.value.get(key)
        if value is None:
            return {}
        inner = Node(value, self.at(key))
        return {name: read(item, inner.at(name)) for name, item in inner.value.items()}

    def anything(self, key: str) -> Any:
        """Any JSON value, nested no deeper than evalci writes."""
        value = self.value.get(key)
        if isinstance(value, dict | list):
            _bounded(value, self.at(key), MAX_NESTING)
        return value

    def shorter_than(self, key: str, most: int) -> None:
        """Refuses a list of more than `most` items."""
        value = self.value.get(key)
        if isinstance(value, list) and len(value) > most:
            raise ReportError(
                f"the report cannot be used: {self.at(key)}: {count_of(len(value), 'item')}, at most {most}"
            )


def a_text(value: Any, path: str) -> str:
    if type(value) is not str:
        refuse(path, "text", value)
    return value


def a_count(value: Any, path: str) -> int:
    if type(value) is not int or not 0 <= value <= MAX_COUNT:
        refuse(path, "a whole number, zero or more", value)
    return value


def a_number(value: Any, path: str) -> float:
    """A JSON number, true and false being none; a whole number too large for a float is refused."""
    if type(value) is float or (type(value) is int and abs(value) <= MAX_COUNT):
        return value
    refuse(path, "a number", value)


def a_number_or_none(value: Any, path: str) -> float | None:
    return None if value is None else a_number(value, path)


def a_choice(value: Any, choices: Any, path: str) -> Any:
    words = get_args(choices)
    if type(value) is not str or value not in words:
        refuse(path, f"one of {', '.join(words)}", value)
    return value


def _bounded(value: Any, path: str, depth: int) -> None:
    if not depth:
        raise ReportError(f"the report cannot be used: {path} is nested too deeply")
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            _bounded(inner, path, depth - 1)
