"""Compiles a pattern with RE2 and tests texts with it.

RE2 knows only ASCII words at `\\b` and `\\B`. A pattern that holds one is compiled a second time for texts that are not
ASCII, and those are *marked* first, so that RE2's own words fall where Unicode's do: every other word character is put
between two underscores, and an underscore is written twice. A character of the text is then one of `x`, `_é_` and `__`,
and reading from the start cannot take one for another.
"""

from collections.abc import Callable
from typing import Any, Final

from evalci.scorers.patterns.emitter import Emitter, MarkedEmitter
from evalci.scorers.patterns.errors import PatternError
from evalci.scorers.patterns.names import WORD
from evalci.scorers.patterns.parser import parse
from evalci.unicode import utf8_text

_MEMORY: Final = 64 << 20
_ANY_MARKED: Final = "(?s:[^_]|__|_[^_]_)"
_UNICODE_WORDS: Final = frozenset({"word", "not word"})
_ASCII_WORDS: Final = frozenset({"ascii word", "ascii not word"})


def compile_matcher(pattern: str, *, full: bool) -> Callable[[str], bool]:
    """A test for texts. Raises `PatternError`."""
    emitter = Emitter()
    plain = parse(_checked(pattern), emitter).text
    # RE2 would look for a match between the bytes of a character too, which only \B can find.
    skip = "(?s:.)*" if "ascii not word" in emitter.looks else ""
    search = _search(_re2(plain, full, skip))
    if not emitter.looks & _UNICODE_WORDS:
        return search
    if emitter.looks & _ASCII_WORDS:
        raise PatternError(r"\b of Unicode and \b of ASCII in one pattern are not supported here")
    words = parse(pattern, MarkedEmitter()).text
    search_marked = _search(_re2(words, full, f"{_ANY_MARKED}*"))
    marks = _Marks()

    def match(text: str) -> bool:
        return search(text) if text.isascii() else search_marked(utf8_text(text).translate(marks))

    return match


def _checked(pattern: str) -> str:
    if utf8_text(pattern) != pattern:
        raise PatternError("the pattern holds half a surrogate pair")
    return pattern


def _re2(text: str, full: bool, skip: str) -> Any:
    """The compiled pattern; `skip` matches what may come before it when it has to start at a whole character."""
    import re2

    if full:
        text = rf"\A(?:{text})\z"
    elif skip:
        text = rf"\A{skip}(?:{text})"
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    try:
        return re2.compile(text, options)
    except re2.error as exc:
        raise PatternError("the pattern is too large") from exc


def _search(compiled: Any) -> Callable[[str], bool]:
    """Bytes go in: RE2 then counts no characters to say where the match was."""
    find = compiled.search

    def search(text: str) -> bool:
        try:
            return find(text.encode()) is not None
        except UnicodeEncodeError:
            return find(utf8_text(text).encode()) is not None

    return search


class _Marks(dict[int, str]):
    """For `str.translate`: how each character is marked, learnt as they come."""

    def __init__(self) -> None:
        import re2

        super().__init__({ord("_"): "__"})
        self._is_word = re2.compile(WORD.re2()).fullmatch

    def __missing__(self, code: int) -> str:
        char = chr(code)
        self[code] = f"_{char}_" if code > 0x7F and self._is_word(char) else char
        return self[code]
