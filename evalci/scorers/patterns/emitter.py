"""Writes RE2 syntax for what the parser finds, piece by piece."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from evalci.scorers.patterns.errors import PatternError
from evalci.scorers.patterns.names import UNDERSCORE
from evalci.scorers.patterns.sets import CharSet, char_text

Look = Literal["start", "end", "line start", "line end", "word", "not word", "ascii word", "ascii not word"]
Fold = Literal["", "ascii", "unicode"]

REPEATS: Final = 1000  # RE2 refuses counted repetitions that multiply to more, so longer ones are written out
LONGEST: Final = 2_000_000  # characters of RE2 syntax, far past what its memory limit lets through
DEEPEST: Final = 250  # Rust's own limit

_LOOKS: Final[dict[Look, str]] = {
    "start": r"\A",
    "end": r"\z",
    "line start": "(?m:^)",
    "line end": "(?m:$)",
    "word": r"\b",
    "not word": r"\B",
    "ascii word": r"\b",
    "ascii not word": r"\B",
}


class Piece(NamedTuple):
    """A part of the pattern in RE2 syntax that can stand in a sequence.

    `copies` is how often its counted repetitions multiply its innermost part, `depth` how deeply it is nested.
    """

    text: str
    copies: int = 1
    depth: int = 0


class Emitter:
    """Writes a pattern for texts as they are. `looks` collects which assertions it holds."""

    def __init__(self) -> None:
        self.looks: set[Look] = set()

    def literal(self, char: str, fold: Fold) -> Piece:
        text = char_text(ord(char))
        if fold == "ascii" and char.isascii() and char.isalpha():
            return Piece(f"[{char.lower()}{char.upper()}]")
        return Piece(f"(?i:{text})" if fold == "unicode" and _has_case(char) else text)

    def chars(self, chars: CharSet) -> Piece:
        return Piece(chars.re2())

    def look(self, kind: Look) -> Piece:
        self.looks.add(kind)
        return Piece(_LOOKS[kind])

    def sequence(self, pieces: Sequence[Piece]) -> Piece:
        if len(pieces) == 1:
            return pieces[0]
        return _nested("".join(piece.text for piece in pieces), pieces)

    def choice(self, pieces: Sequence[Piece]) -> Piece:
        if len(pieces) == 1:
            return pieces[0]
        return _nested("(?:" + "|".join(piece.text for piece in pieces) + ")", pieces)

    def group(self, piece: Piece) -> Piece:
        return _nested(piece.text, (piece,))

    def repeat(self, piece: Piece, low: int, high: int | None) -> Piece:
        """The piece `low` to `high` times, without an upper end when `high` is None."""
        one = f"(?:{piece.text})"
        if high is None and low <= 1:
            return _nested(one + "*+"[low], (piece,))
        if (low, high) == (0, 1):
            return _nested(one + "?", (piece,))
        step = REPEATS // piece.copies
        times = low if high is None else high
        if (times // step + 2) * len(one) > LONGEST:
            raise PatternError("the pattern is too large")
        text = _written_out(one, low, step, "{%d}")
        text += f"{one}*" if high is None else _written_out(one, high - low, step, "{0,%d}")
        nested = _nested(text or "(?:)", (piece,))
        return nested._replace(copies=piece.copies * max(1, min(times, step)))


class MarkedEmitter(Emitter):
    """Writes the same pattern for texts whose words RE2 can tell: see `matcher.marked`."""

    def literal(self, char: str, fold: Fold) -> Piece:
        if char == "_":
            return Piece("__")
        plain = Emitter.literal(self, char, fold)
        if char.isascii() and not (fold == "unicode" and char in "kKsS"):
            return plain
        return Piece(f"(?:{plain.text}|_{plain.text}_)")

    def chars(self, chars: CharSet) -> Piece:
        rest = chars.without(UNDERSCORE).re2()
        underscore = "|__" if chars.has(UNDERSCORE) else ""
        return Piece(f"(?:{rest}|_{rest}_{underscore})")


def _nested(text: str, inside: Sequence[Piece]) -> Piece:
    depth = 1 + max((piece.depth for piece in inside), default=0)
    if depth > DEEPEST:
        raise PatternError(f"the pattern is nested more than {DEEPEST} levels deep")
    if len(text) > LONGEST:
        raise PatternError("the pattern is too large")
    return Piece(text, max((piece.copies for piece in inside), default=1), depth)


def _written_out(one: str, times: int, step: int, braces: str) -> str:
    whole, rest = divmod(times, step)
    return (one + braces % step) * whole + (one + braces % rest if rest else "")


def _has_case(char: str) -> bool:
    return not char.isascii() or char.isalpha()
