"""Does the input of a tool call fit? JSON equality is strict: 42 is not 42.0, and true is not 1."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from evalci.calls import canonical
from evalci.config.settings import setting

ANYTHING: Final = object()


@dataclass(frozen=True, kw_only=True, slots=True)
class FieldMatcher:
    """What is asked of one field of a tool's input. Everything that is given must hold; the field must be there."""

    contains: str | None = setting(None, about="a text in the field's text, or in its compact JSON")
    equals: Any = setting(ANYTHING, about="the value, strictly: 42 is not 42.0; null is a value too")

    def fits(self, value: Any) -> bool:
        return self._holds_text(value) and (self.equals is ANYTHING or same_json(self.equals, value))

    def _holds_text(self, value: Any) -> bool:
        if self.contains is None:
            return True
        return self.contains in (value if isinstance(value, str) else canonical(value).decode())


def fits_all(fields: Mapping[str, FieldMatcher], given: Any) -> bool:
    """Does this one input have every field, each as it is asked for?"""
    if not fields:
        return True
    return isinstance(given, dict) and all(key in given and asked.fits(given[key]) for key, asked in fields.items())


def same_json(a: Any, b: Any) -> bool:
    """Are these the same JSON value? Keys may come in any order; an integer is no float, a boolean no number."""
    if type(a) is not type(b):
        return False
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same_json, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same_json(a[key], b[key]) for key in a)
    return bool(a == b)
