"""Two objects compared field by field: which match, which are wrong, which are missing, which nobody asked for."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from evalci.scorers.measures.normalise import normalise

_FENCE: Final = re.compile(r"\A\s*```(?:json|JSON)?[ \t]*\r?\n(.*?)\r?\n?[ \t]*```\s*\Z", re.DOTALL)
_NUMBER: Final = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\Z")


@dataclass(frozen=True, kw_only=True, slots=True)
class FieldMatch:
    """Dotted paths, each list sorted. `unexpected` is None when the output was no object at all."""

    matched: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    unexpected: tuple[str, ...] | None = None

    @property
    def field_count(self) -> int:
        return len(self.matched) + len(self.wrong) + len(self.missing)

    @property
    def value(self) -> float:
        """Matched over expected fields, 0 to 1."""
        return len(self.matched) / self.field_count


class NothingAsked(ValueError):
    """The expectation is no object, or an empty one: there is nothing to measure."""


def match_fields(output: Any, expected: Any) -> FieldMatch:
    """The comparison. Both sides are objects, or JSON text of one (the output's in one fence at most)."""
    wanted = _object(expected)
    if not wanted:
        raise NothingAsked("json_fields needs an expected object with at least one field")
    asked = _flatten(wanted)
    seen = _object(output)
    if seen is None:
        return FieldMatch(missing=tuple(sorted(asked)))
    given = _flatten(seen)
    return FieldMatch(
        matched=tuple(sorted(path for path in asked if path in given and _equal(given[path], asked[path]))),
        wrong=tuple(sorted(path for path in asked if path in given and not _equal(given[path], asked[path]))),
        missing=tuple(sorted(path for path in asked if path not in given)),
        unexpected=tuple(sorted(path for path in given if path not in asked)),
    )


def _object(value: Any) -> Mapping[str, Any] | None:
    if isinstance(value, str):
        fenced = _FENCE.match(value)
        try:
            value = json.loads(fenced[1] if fenced else value, parse_constant=_refuse)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, Mapping) else None


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _flatten(value: Mapping[str, Any]) -> dict[str, Any]:
    """Leaves by dotted path; an empty object is a leaf. Iterative, since depth is the writer's choice."""
    leaves: dict[str, Any] = {}
    todo: list[tuple[str, Any]] = [(str(key), item) for key, item in value.items()]
    while todo:
        path, item = todo.pop()
        if isinstance(item, Mapping) and item:
            todo += [(f"{path}.{key}", below) for key, below in item.items()]
        else:
            leaves[path] = item
    return leaves


def _equal(seen: Any, wanted: Any) -> bool:
    if seen is None or wanted is None:
        return seen is wanted
    if isinstance(seen, bool) or isinstance(wanted, bool):
        return seen is wanted
    if isinstance(seen, (list, tuple)) or isinstance(wanted, (list, tuple)):
        both = isinstance(seen, (list, tuple)) and isinstance(wanted, (list, tuple))
        return both and len(seen) == len(wanted) and all(map(_equal, seen, wanted))
    if isinstance(seen, Mapping) or isinstance(wanted, Mapping):
        both = isinstance(seen, Mapping) and isinstance(wanted, Mapping)
        return both and seen.keys() == wanted.keys() and all(_equal(seen[key], wanted[key]) for key in seen)
    left, right = _number(seen), _number(wanted)
    if left is not None and right is not None:
        return left == right
    return normalise(seen) == normalise(wanted)


def _number(value: Any) -> int | float | None:
    """A number, or text that is one and nothing else."""
    if isinstance(value, (int, float)):
        return value
    text = str(value).strip()
    if not _NUMBER.match(text):
        return None
    return int(text) if text.lstrip("+-").isdigit() and len(text) < 4000 else float(text)
