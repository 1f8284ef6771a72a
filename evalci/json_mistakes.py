"""Where a text stops being JSON, and why: the same in every version of Python, whose own errors differ."""

import json
from typing import Final, NamedTuple

_BLANKS: Final = " \t\n\r"


class Mistake(NamedTuple):
    """Why a text is no JSON, as the end of a sentence; where, counted in characters from 0, and from 1 in its line."""

    why: str
    position: int
    line: int
    column: int


def mistake_of(error: json.JSONDecodeError) -> Mistake:
    """What the standard library found. Python 3.13 has a message, and another place, for a comma before a bracket."""
    text, position = error.doc, error.pos
    why = f"{error.msg[:1].lower()}{error.msg[1:]}"
    if "trailing comma" in error.msg:  # there the place is the comma's own
        position = _after_blanks(text, position + 1)
    if text[position : position + 1] in ("}", "]") and text[:position].rstrip(_BLANKS)[-1:] == ",":
        why = f"a comma stands before the {text[position]}"
    before = text[:position]
    return Mistake(why, position, before.count("\n") + 1, position - before.rfind("\n"))


def _after_blanks(text: str, position: int) -> int:
    return len(text) - len(text[position:].lstrip(_BLANKS))
