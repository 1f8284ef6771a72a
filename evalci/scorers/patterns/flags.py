"""The flags of a pattern: `(?imsxuUR)`."""

from dataclasses import dataclass, replace
from typing import Final

from evalci.scorers.patterns.cursor import Cursor
from evalci.scorers.patterns.errors import PatternError
from evalci.scorers.patterns.sets import LAST, CharSet

_FIELDS: Final = {"i": "case", "m": "lines", "s": "dot_all", "u": "unicode", "x": "verbose", "R": "crlf", "U": "lazy"}
_LINE_END: Final = 10


@dataclass(frozen=True, slots=True)
class Flags:
    """What holds at a place in the pattern. `case` ignores case; `lazy` changes which match is found, never whether."""

    case: bool = False
    lines: bool = False
    dot_all: bool = False
    unicode: bool = True
    verbose: bool = False
    crlf: bool = False
    lazy: bool = False

    def read(self, cursor: Cursor) -> tuple["Flags", bool]:
        """The flags after `(?`, and whether they stand alone rather than at the head of a group."""
        changes: dict[str, bool] = {}
        on, last = True, ""
        while cursor.char not in (":", ")"):
            last = cursor.char
            cursor.advance()
            if last == "-" and on:
                on = False
            elif last in _FIELDS and _FIELDS[last] not in changes:
                changes[_FIELDS[last]] = on
            else:
                raise PatternError(f'"(?{last}" is no group' if last else "a group is not closed")
        alone = cursor.char == ")"
        cursor.advance()
        if last == "-" or (alone and not last):
            raise PatternError("flags are missing")
        return replace(self, **changes), alone

    def dot(self) -> CharSet:
        """What `.` matches."""
        if not self.unicode:
            raise PatternError(". without Unicode could match half a character")
        if self.dot_all:
            return CharSet(((0, LAST),))
        return CharSet(((_LINE_END, _LINE_END), (13, 13)) if self.crlf else ((_LINE_END, _LINE_END),), negated=True)
