"""Makes other people's text safe to print in one line of a terminal."""

import re
from typing import Final

_UNSAFE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SHORT: Final = {"\t": " ", "\n": "\\n", "\r": "\\r"}


def sanitise(text: str) -> str:
    """The text with control characters and changes of direction spelled out; everything else untouched.

    A tab is a space, a line feed `\\n`, other controls `\\x1b`, and what could reorder a line `\\u{202e}`.
    """
    if text.isascii() and text.isprintable():
        return text
    return _UNSAFE.sub(_spelled, text)


def _spelled(found: re.Match[str]) -> str:
    return _SHORT.get(found[0]) or spelled(found[0])


def spelled(char: str) -> str:
    """`\\x1b`, `\\u{202e}`: a character that cannot be shown, by its number."""
    return f"\\x{ord(char):02x}" if ord(char) < 0x100 else f"\\u{{{ord(char):04x}}}"
