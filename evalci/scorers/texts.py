"""How texts are shown in reasons, and how two differ that look alike."""

import unicodedata
from itertools import zip_longest

from evalci.wording import SNIPPET_LENGTH, quoted


def same_to_the_eye(wanted: str, text: str) -> bool:
    """Is the wanted text there once both are put into the same Unicode form?"""
    if wanted.isascii() and text.isascii():
        return False
    return unicodedata.normalize("NFC", wanted) in unicodedata.normalize("NFC", text)


def first_difference(wanted: str, got: str) -> str:
    """Where two unequal texts part, when their quoted beginnings would not show it; else nothing."""
    hidden = wanted[:SNIPPET_LENGTH] == got[:SNIPPET_LENGTH]
    if not hidden and unicodedata.normalize("NFC", wanted) != unicodedata.normalize("NFC", got):
        return ""
    place, pair = next((i, pair) for i, pair in enumerate(zip_longest(wanted, got)) if pair[0] != pair[1])
    expected, found = map(_named, pair)
    return f"; they differ from character {place + 1} on: expected {expected}, got {found}"


def _named(char: str | None) -> str:
    return "the end" if char is None else f"U+{ord(char):04X} {quoted(char)}"


def one_line(text: str) -> str:
    """The text with what cannot be seen in it as escapes, quotes and backslashes as they are."""
    return text if text.isprintable() else "".join(c if c.isprintable() else quoted(c)[1:-1] for c in text)


def both_ends(text: str, length: int = 1000) -> str:
    """The text, the middle of a long one left out: a traceback says what happened in its last line."""
    return text if len(text) <= length else f"{text[: length // 3]} … {text[-(length - length // 3) :]}"
