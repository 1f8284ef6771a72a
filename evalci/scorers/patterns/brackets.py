"""Reads a bracketed class: `[^a-z]`, nested classes, and the set operations `&&`, `--` and `~~`."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from evalci.scorers.patterns.cursor import Cursor
from evalci.scorers.patterns.emitter import DEEPEST
from evalci.scorers.patterns.errors import PatternError
from evalci.scorers.patterns.escapes import Escaped, read_escape
from evalci.scorers.patterns.flags import Flags
from evalci.scorers.patterns.names import POSIX
from evalci.scorers.patterns.sets import CharSet, difference, intersection, symmetric_difference, union

Operation = Callable[[CharSet, CharSet], CharSet]
_OPERATIONS: Final[dict[str, Operation]] = {
    "&&": intersection,
    "--": difference,
    "~~": symmetric_difference,
}
_LAST_ASCII: Final = 0x7F


@dataclass(slots=True)
class Open:
    """A bracket that is not closed yet: what it holds, and what waits for the right side of an operation."""

    negated: bool
    items: list[CharSet] = field(default_factory=list)
    left: tuple[CharSet, Operation] | None = None


def read_bracket(cursor: Cursor, flags: Flags) -> CharSet:
    """The set of the class at the cursor, which moves past it."""
    return _Reader(cursor, flags).read()


class _Reader:
    def __init__(self, cursor: Cursor, flags: Flags) -> None:
        self.cursor = cursor
        self.flags = flags

    def read(self) -> CharSet:
        stack = [self._open()]
        while self.cursor.skip_blanks(self.flags.verbose):
            char = self.cursor.char
            top = stack[-1]
            if char == "[":
                posix = self._posix()
                if posix is not None:
                    top.items.append(posix)
                    continue
                stack.append(self._open())
                if len(stack) > DEEPEST:
                    raise PatternError(f"the pattern is nested more than {DEEPEST} levels deep")
            elif char == "]":
                self.cursor.advance()
                chars = self._closed(stack.pop())
                if not stack:
                    return chars
                stack[-1].items.append(chars)
            elif char + self.cursor.peek() in _OPERATIONS:
                top.left = (self._side(top), _OPERATIONS[char + self.cursor.peek()])
                top.items = []
                self.cursor.place += 2
            else:
                top.items.append(self._item())
        raise PatternError("a class is not closed")

    def _open(self) -> Open:
        """Past `[`, `[^`, and the first characters that mean themselves there."""
        self._next()
        bracket = Open(negated=self.cursor.char == "^")
        if bracket.negated:
            self._next()
        while self.cursor.char == "-":
            bracket.items.append(_one("-"))
            self._next()
        if self.cursor.char == "]" and not bracket.items:
            bracket.items.append(_one("]"))
            self._next()
        return bracket

    def _next(self) -> None:
        self.cursor.advance()
        if not self.cursor.skip_blanks(self.flags.verbose):
            raise PatternError("a class is not closed")

    def _side(self, bracket: Open) -> CharSet:
        """What stands since the bracket or the last operation, with that operation done."""
        right = union(bracket.items)
        if bracket.left is None:
            return right
        left, operation = bracket.left
        return operation(self._with_cases(left), self._with_cases(right))

    def _closed(self, bracket: Open) -> CharSet:
        chars = self._with_cases(self._side(bracket))
        return self._whole_characters(chars.opposite() if bracket.negated else chars)

    def _with_cases(self, chars: CharSet) -> CharSet:
        if not self.flags.case:
            return chars
        if self.flags.unicode:
            return CharSet(chars.parts if not chars.negated else chars.ranges(), folded=True)
        return CharSet((*chars.ranges(), *_other_cases(chars)))

    def _whole_characters(self, chars: CharSet) -> CharSet:
        """The set itself. Without Unicode a class is of bytes, and one past ASCII is no character."""
        if not self.flags.unicode and (chars.negated or any(high > _LAST_ASCII for _, high in chars.ranges())):
            raise PatternError("a class without Unicode could match half a character")
        return chars

    def _posix(self) -> CharSet | None:
        """The set of `[:alpha:]`; None, and the cursor stays, when there is no such name here."""
        back = self.cursor.place
        if self.cursor.take("[:"):
            negated = self.cursor.take("^")
            name, closed = self.cursor.take_until(":]")
            if closed and name in POSIX:
                chars = self._with_cases(POSIX[name])
                return self._whole_characters(chars.opposite() if negated else chars)
        self.cursor.place = back
        return None

    def _item(self) -> CharSet:
        """One character, a range of them, or a named set."""
        verbose = self.flags.verbose
        first = self._single()
        self.cursor.skip_blanks(verbose)
        if self.cursor.char != "-" or self.cursor.peek_past_blanks(verbose) in ("]", "-"):
            return first if isinstance(first, CharSet) else _one(first)
        self._next()
        last = self._single()
        if isinstance(first, CharSet) or isinstance(last, CharSet):
            raise PatternError("a range in a class needs a character at both ends")
        if first > last:
            raise PatternError(f"the range {first}-{last} runs backwards")
        return CharSet(((ord(first), ord(last)),))

    def _single(self) -> str | CharSet:
        char = self.cursor.char
        if char == "\\":
            found = read_escape(self.cursor, self.flags)
            if isinstance(found, Escaped) and found.look is not None:
                raise PatternError("an assertion cannot stand in a class")
            char = found.char if isinstance(found, Escaped) else ""
            if isinstance(found, CharSet):
                return found
        else:
            self.cursor.advance()
        if not self.flags.unicode and not char.isascii():
            raise PatternError(f"{char} in a class needs Unicode")
        return char


def _one(char: str) -> CharSet:
    return CharSet(((ord(char), ord(char)),))


def _other_cases(chars: CharSet) -> tuple[tuple[int, int], ...]:
    """ASCII letters whose other case is in the set."""
    letters = (code for low, high in chars.ranges() for code in range(low, min(high, _LAST_ASCII) + 1))
    swapped = (ord(chr(code).swapcase()) for code in letters if chr(code).isalpha())
    return tuple((code, code) for code in swapped)
