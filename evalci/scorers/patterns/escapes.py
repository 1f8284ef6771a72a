"""What follows a backslash: a character, a named set, or an assertion."""

from typing import Final, NamedTuple

from evalci.scorers.patterns.cursor import Cursor
from evalci.scorers.patterns.emitter import Look
from evalci.scorers.patterns.errors import PatternError
from evalci.scorers.patterns.flags import Flags
from evalci.scorers.patterns.names import PERL, PERL_ASCII, property_set
from evalci.scorers.patterns.sets import CharSet

_CONTROLS: Final = {"a": "\a", "f": "\f", "t": "\t", "n": "\n", "r": "\r", "v": "\v"}
_HEX_LENGTHS: Final = {"x": 2, "u": 4, "U": 8}
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_LOOKS: Final[dict[str, Look]] = {"A": "start", "z": "end", "b": "word", "B": "not word"}


class Escaped(NamedTuple):
    """A character, or an assertion."""

    char: str = ""
    look: Look | None = None


def read_escape(cursor: Cursor, flags: Flags) -> Escaped | CharSet:
    """What the escape at the cursor stands for; the cursor moves past it."""
    cursor.advance()
    char = cursor.char
    if not char:
        raise PatternError("the pattern ends in a backslash")
    if char in _HEX_LENGTHS:
        return Escaped(_hexadecimal(cursor, flags))
    if char in "pP":
        return _property(cursor, flags)
    cursor.advance()
    if char in "dswDSW":
        return _perl(char, flags)
    if char in _CONTROLS:
        return Escaped(_CONTROLS[char])
    if char in _LOOKS:
        return Escaped(look=_look(char, cursor, flags))
    if char in "0123456789":
        raise PatternError("back-references are not possible in linear time", look_around=True)
    if char in "<>":
        raise _one_sided(f"\\{char}")
    if char.isascii() and not char.isalpha():
        return Escaped(char)
    raise PatternError(f"unknown escape \\{char}")


def _look(char: str, cursor: Cursor, flags: Flags) -> Look:
    if char == "b" and cursor.char == "{":
        after = cursor.peek_past_blanks(flags.verbose)
        if after == "-" or (after.isascii() and after.isalpha()):
            raise _one_sided(r"\b{…}")
    look = _LOOKS[char]
    if not flags.unicode and look == "word":
        return "ascii word"
    return "ascii not word" if not flags.unicode and look == "not word" else look


def _one_sided(what: str) -> PatternError:
    return PatternError(f"{what}: one-sided word boundaries are not supported here; \\b is")


def _perl(char: str, flags: Flags) -> CharSet:
    found = (PERL if flags.unicode else PERL_ASCII)[char.lower()]
    if char.islower():
        return found
    if not flags.unicode:
        raise PatternError(f"\\{char} without Unicode could match half a character")
    return found.opposite()


def _hexadecimal(cursor: Cursor, flags: Flags) -> str:
    """The character of `\\x7F`, `\\u{e9}` and their like."""
    length = _HEX_LENGTHS[cursor.char]
    kind = cursor.char
    cursor.advance()
    cursor.skip_blanks(flags.verbose)
    braced = cursor.take("{")
    digits = ""
    while cursor.skip_blanks(flags.verbose) and cursor.char in _HEX and (braced or len(digits) < length):
        digits += cursor.char
        cursor.advance()
    if (braced and not cursor.take("}")) or not digits or (not braced and len(digits) < length):
        raise PatternError(f"\\{kind} needs {length} hexadecimal digits, or some in braces")
    code = int(digits, 16)
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        raise PatternError(f"{digits} is no Unicode character")
    if not flags.unicode and kind == "x" and not braced and code > 0x7F:
        raise PatternError(f"\\x{digits} without Unicode is half a character")
    return chr(code)


def _property(cursor: Cursor, flags: Flags) -> CharSet:
    """The set of `\\pL`, `\\p{Greek}`, `\\P{sc=Grek}`."""
    negated = cursor.char == "P"
    cursor.advance()
    cursor.skip_blanks(flags.verbose)
    name, closed = cursor.char, bool(cursor.char)
    cursor.advance()
    if name == "{":
        name, closed = cursor.take_until("}")
        if flags.verbose:
            name = "".join(name.split())
    if not closed or name == "\\":
        raise PatternError("a Unicode property's name is not closed")
    if not flags.unicode:
        raise PatternError(f"\\p{{{name}}} needs Unicode")
    if "!=" in name:
        negated, name = not negated, name.replace("!=", "=", 1)
    found = property_set(name.replace(":", "=", 1))
    folded = CharSet(found.parts, folded=flags.case, negated=found.negated)
    return folded.opposite() if negated else folded
