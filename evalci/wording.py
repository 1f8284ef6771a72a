"""How messages spell things: numbers, quoted text, snippets, and the name that was probably meant."""

import unicodedata
from collections.abc import Iterable
from typing import Final

SNIPPET_LENGTH: Final = 200
_SHORT: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}
_HIDDEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Mn", "Me"})


def plain_number(value: float) -> str:
    """A number as messages print it: no trailing `.0`, never an exponent (1e-7 is `0.0000001`)."""
    if isinstance(value, int):
        return str(value)
    if value != value or value in (float("inf"), float("-inf")):
        return {"nan": "NaN", "inf": "inf", "-inf": "-inf"}[str(value)]
    if value.is_integer():
        return str(int(value)) if value or str(value)[0] != "-" else "-0"
    text = repr(value)
    if "e" not in text:
        return text
    from decimal import Decimal

    return format(Decimal(text), "f")


def quoted(text: str) -> str:
    """Text in double quotes with everything that cannot be seen written as an escape (`\\n`, `\\u{301}`)."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(map(_visible, text)) + '"'


def _visible(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    hidden = unicodedata.category(char) in _HIDDEN_CATEGORIES or (char != " " and unicodedata.category(char) == "Zs")
    return f"\\u{{{ord(char):x}}}" if hidden else char


def printable(text: str) -> str:
    """The same text with what cannot be seen written as an escape; quotes and backslashes stay as they are."""
    if text.isprintable():
        return text
    return "".join(char if char in '"\\' else _visible(char) for char in text)


def snippet(text: str, length: int = SNIPPET_LENGTH) -> str:
    """The first `length` characters, with `…` where more was cut off."""
    return text if len(text) <= length else text[:length] + "…"


def seen(text: str) -> str:
    """A snippet of what was seen, quoted."""
    return quoted(snippet(text))


def closest(word: str, choices: Iterable[str]) -> str | None:
    """The choice that was probably meant, or None."""
    import difflib

    known = list(choices)
    near = difflib.get_close_matches(word.lower(), [choice.lower() for choice in known], n=1, cutoff=0.6)
    return next((choice for choice in known if near and choice.lower() == near[0]), None)


def choices_hint(kind: str, word: str, choices: Iterable[str]) -> str:
    """The hint under "unknown …": every choice, sorted, and the one that was probably meant."""
    known = sorted(choices)
    near = closest(word, known)
    lines = [f"known {kind}: {', '.join(known) or 'none'}"]
    return "\n".join([*lines, f'did you mean "{near}"?'] if near else lines)


def count_of(number: int, noun: str, plural: str | None = None) -> str:
    """`1 case`, `3 cases`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
