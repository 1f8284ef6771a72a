"""What a header may hold, and which static headers may hold a secret."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE: Final = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_SECRET_NAME: Final = re.compile(r"(^|[-_])(authorization|cookie|password|secret|token|(api)?key)$", re.IGNORECASE)
# Their values are public words; masking one of them would spoil a message for nothing.
_HARMLESS: Final = frozenset({
    "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "content-language",
    "content-type", "origin", "referer", "user-agent",
})  # fmt: skip
_MASK: Final = "[redacted]"
_SHORTEST_SECRET: Final = 6


def is_header_name(text: str) -> bool:
    """Is it a name that HTTP allows?"""
    return _NAME.fullmatch(text) is not None


def is_header_value(text: str) -> bool:
    """Can it be sent: one line of Latin-1 without control characters?"""
    return _VALUE.fullmatch(text) is not None


def secret_values(headers: Mapping[str, str]) -> tuple[str, ...]:
    """What surely is a secret: the name says so, and the value is no plain word."""
    values = (value for name, value in headers.items() if _SECRET_NAME.search(name))
    return tuple(part for part in _parts(values) if any(char.isdigit() for char in part))


def masking(headers: Mapping[str, str]) -> Callable[[str], str]:
    """A function that takes the values of all headers but the harmless ones out of an error's text."""
    found = _parts(value for name, value in headers.items() if name.lower() not in _HARMLESS)
    spellings = dict.fromkeys(spelling for part in found for spelling in _spellings(part))

    def mask(text: str) -> str:
        for spelling in spellings:
            text = text.replace(spelling, _MASK)
        return text

    return mask


def _spellings(part: str) -> Iterator[str]:
    """A value as it is, and as JSON writes it."""
    yield part
    yield json.dumps(part, ensure_ascii=False)[1:-1]
    yield json.dumps(part)[1:-1]


def _parts(values: Iterable[str]) -> tuple[str, ...]:
    """Each value, and what in it is no scheme and no cookie's name; longest first, without what is too short."""
    parts = {part for value in values for part in _split(value.strip()) if len(part) >= _SHORTEST_SECRET}
    return tuple(sorted(parts, key=lambda part: (-len(part), part)))


def _split(value: str) -> Iterator[str]:
    yield value
    scheme, _, credentials = value.partition(" ")
    if scheme.isalpha():
        yield credentials.strip()
    for cookie in value.split(";"):
        yield cookie.partition("=")[2].strip()
