"""Reads the syntax of Rust's `regex` crate, refusing what it refuses, and tells an emitter what it found."""

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from evalci.scorers.patterns.brackets import read_bracket
from evalci.scorers.patterns.cursor import Cursor
from evalci.scorers.patterns.emitter import Emitter, Fold, Look, Piece
from evalci.scorers.patterns.errors import PatternError
from evalci.scorers.patterns.escapes import read_escape
from evalci.scorers.patterns.flags import Flags
from evalci.scorers.patterns.sets import CharSet

_LOOK_AROUND: Final = ("?=", "?!", "?<=", "?<!")
_OPERATORS: Final = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_MOST: Final = 2**32 - 1


class Item(NamedTuple):
    """One element of a sequence; flags stand there as an element that cannot be repeated."""

    piece: Piece
    repeatable: bool = True


@dataclass(slots=True)
class Frame:
    """An open group: the branches before this one, the elements of this one, and the flags to go back to."""

    flags: Flags
    branches: list[Piece] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)


def parse(pattern: str, emitter: Emitter) -> Piece:
    """The whole pattern, written by the emitter. Raises `PatternError` for what is no pattern."""
    return _Parser(pattern, emitter).parse()


class _Parser:
    """Keeps the open groups on a list of its own, so that no pattern can exhaust Python's stack."""

    def __init__(self, pattern: str, emitter: Emitter) -> None:
        self.cursor = Cursor(pattern)
        self.emitter = emitter
        self.flags = Flags()
        self.names: set[str] = set()
        self.stack = [Frame(self.flags)]

    def parse(self) -> Piece:
        cursor = self.cursor
        while cursor.skip_blanks(self.flags.verbose):
            char = cursor.char
            if char == "(":
                self._open()
            elif char == ")":
                self._close()
            elif char == "|":
                cursor.advance()
                self._end_branch(self.stack[-1])
            elif char in _OPERATORS:
                cursor.advance()
                self._repeat(*_OPERATORS[char])
            elif char == "{":
                self._repeat(*self._counts())
            else:
                self._add(self._primitive(char))
        if len(self.stack) > 1:
            raise PatternError("a group is not closed")
        return self._whole(self.stack[0])

    def _add(self, piece: Piece) -> None:
        self.stack[-1].items.append(Item(piece))

    def _end_branch(self, frame: Frame) -> None:
        frame.branches.append(self.emitter.sequence([item.piece for item in frame.items]))
        frame.items = []

    def _whole(self, frame: Frame) -> Piece:
        self._end_branch(frame)
        return self.emitter.choice(frame.branches)

    def _open(self) -> None:
        """A group, or flags for the rest of the group that is open."""
        cursor = self.cursor
        cursor.advance()
        cursor.skip_blanks(self.flags.verbose)
        if cursor.starts_with(*_LOOK_AROUND):
            raise PatternError("look-around is not possible in linear time", look_around=True)
        inner = self.flags
        if cursor.take("?P<") or cursor.take("?<"):
            self._name()
        elif cursor.take("?"):
            inner, flags_only = self.flags.read(cursor)
            if flags_only:
                self.flags = inner
                self.stack[-1].items.append(Item(Piece(""), repeatable=False))
                return
        self.stack.append(Frame(self.flags))
        self.flags = inner

    def _close(self) -> None:
        if len(self.stack) == 1:
            raise PatternError("a group is closed that was not opened")
        self.cursor.advance()
        frame = self.stack.pop()
        self.flags = frame.flags
        self._add(self.emitter.group(self._whole(frame)))

    def _name(self) -> None:
        name, closed = self.cursor.take_until(">")
        first, rest = name[:1], name[1:]
        ok = (first == "_" or first.isalpha()) and all(char in "_.[]" or char.isalnum() for char in rest)
        if not closed or not ok:
            raise PatternError(f'"{name}" cannot be the name of a group')
        if name in self.names:
            raise PatternError(f'two groups are named "{name}"')
        self.names.add(name)

    def _repeat(self, low: int, high: int | None) -> None:
        items = self.stack[-1].items
        if not items or not items[-1].repeatable:
            raise PatternError("a repetition has nothing to repeat")
        self.cursor.take("?")  # lazy or not: the same texts match
        items[-1] = Item(self.emitter.repeat(items[-1].piece, low, high))

    def _counts(self) -> tuple[int, int | None]:
        """The numbers of `{2}`, `{2,}` or `{2,5}`."""
        cursor, verbose = self.cursor, self.flags.verbose
        cursor.advance()
        low = self._number()
        high: int | None = low
        if cursor.take(","):
            cursor.skip_blanks(verbose)
            high = None if cursor.char == "}" else self._number()
            if high is None and cursor.char != "}":
                raise PatternError("a repetition's numbers cannot be read")
        if low is None or not cursor.take("}"):
            raise PatternError("a repetition's numbers cannot be read")
        cursor.skip_blanks(verbose)
        if high is not None and high < low:
            raise PatternError(f"a repetition cannot be from {low} to {high} times")
        return low, high

    def _number(self) -> int | None:
        cursor, verbose = self.cursor, self.flags.verbose
        cursor.skip_white_space()
        digits = ""
        while cursor.char and cursor.char in "0123456789":
            digits += cursor.char
            cursor.advance()
            cursor.skip_blanks(verbose)
        cursor.skip_white_space()
        cursor.skip_blanks(verbose)
        if len(digits) > 10 or int(digits or 0) > _MOST:
            raise PatternError(f"{digits} repetitions are too many")
        return int(digits) if digits else None

    def _primitive(self, char: str) -> Piece:
        """One character, set or assertion."""
        emitter, flags = self.emitter, self.flags
        if char == "[":
            return emitter.chars(read_bracket(self.cursor, flags))
        if char == "\\":
            found = read_escape(self.cursor, flags)
            if isinstance(found, CharSet):
                return emitter.chars(found)
            return emitter.literal(found.char, _fold(flags)) if found.look is None else emitter.look(found.look)
        self.cursor.advance()
        if char == ".":
            return emitter.chars(flags.dot())
        if char in "^$":
            return emitter.look(self._line(char))
        return emitter.literal(char, _fold(flags))

    def _line(self, char: str) -> Look:
        if not self.flags.lines:
            return "start" if char == "^" else "end"
        if self.flags.crlf:
            raise PatternError("^ and $ with the flags m and R together are not supported here")
        return "line start" if char == "^" else "line end"


def _fold(flags: Flags) -> Fold:
    if not flags.case:
        return ""
    return "unicode" if flags.unicode else "ascii"
