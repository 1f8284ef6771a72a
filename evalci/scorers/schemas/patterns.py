"""The regular expressions of a schema, which are ECMAScript's: none of them can keep a run from ending.

They are put into Rust's syntax and run in linear time; what cannot be (look-around, back-references) runs on a
backtracking engine under a time limit.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import zip_longest
from typing import Final

from evalci.scorers.patterns import PatternError, compile_pattern

SECONDS: Final = 2.0
_SPACE: Final = r"\t-\r\x20\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_SETS: Final = {"d": "0-9", "w": "0-9A-Za-z_", "s": _SPACE}
_PIECE: Final = re.compile(
    r"""\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}  # one character in two halves
      | \\c[A-Za-z]
      | \\.
      | .""",
    re.VERBOSE | re.DOTALL,
)
# Means nothing special to ECMAScript inside a class, but does to the engines.
_LITERAL_IN_CLASS: Final = frozenset("[&~|-")


class TookTooLong(Exception):
    """A pattern ran into the time limit."""


@lru_cache(maxsize=256)
def compile_ecma(pattern: str) -> Callable[[str], bool]:
    """A test for texts: does the pattern match somewhere in it? Raises `PatternError`."""
    try:
        return compile_pattern(_translated(pattern, end=r"\z"))
    except PatternError as refused:
        try:
            return _backtracking(_translated(pattern, end=r"\Z"))
        except ValueError:
            raise refused from None


def _backtracking(pattern: str) -> Callable[[str], bool]:
    import regex

    try:
        search = regex.compile(pattern, regex.V1).search
    except (regex.error, RecursionError) as exc:
        raise ValueError(str(exc)) from exc

    def matches(text: str) -> bool:
        try:
            return search(text, timeout=SECONDS) is not None
        except TimeoutError as exc:
            raise TookTooLong(f"a pattern of the schema took more than {SECONDS:g}s") from exc

    return matches


def _translated(pattern: str, *, end: str) -> str:
    """The pattern in the syntax that both engines share; `end` is how the engine spells the very end of a text."""
    written: list[str] = []
    in_class = first = False
    pieces = [match.group() for match in _PIECE.finditer(pattern)]
    for piece, after in zip_longest(pieces, pieces[1:], fillvalue=""):
        if not in_class:
            in_class = first = piece == "["
            written.append(piece if in_class else _outside(piece, end))
        elif piece == "]":
            in_class = False
            written.append(piece)
        elif first and piece == "^":
            written.append(piece)
        else:
            first = False
            written.append(_inside(piece, is_range=piece == "-" and written[-1] not in ("[", "^") and after != "]"))
    return "".join(written)


def _outside(piece: str, end: str) -> str:
    if piece == "$":
        return end
    if piece == ".":
        return r"[^\n\r\u2028\u2029]"
    if piece[0] == "\\" and piece[1:].lower() in _SETS:
        return f"[{'^' if piece[1].isupper() else ''}{_SETS[piece[1].lower()]}]"
    return _character(piece)


def _inside(piece: str, *, is_range: bool) -> str:
    if piece in _LITERAL_IN_CLASS and not is_range:
        return "\\" + piece
    if piece[0] == "\\" and piece[1:] in _SETS:
        return _SETS[piece[1]]
    if piece[0] == "\\" and piece[1:].lower() in _SETS:
        return f"[^{_SETS[piece[1].lower()]}]"
    return _character(piece)


def _character(piece: str) -> str:
    """`\\cJ` and a character in two halves, as the engines spell them; any other piece as it is."""
    if len(piece) == 3 and piece.startswith("\\c"):
        return f"\\x{ord(piece[2]) % 32:02x}"
    if len(piece) == 12:
        return re.escape(bytes.fromhex(piece[2:6] + piece[8:]).decode("utf-16-be"))
    return piece
