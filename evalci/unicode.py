"""Text that can be written as UTF-8: half surrogate pairs become U+FFFD wherever text comes in."""

from typing import Any


def utf8_text(text: str) -> str:
    """The text with each lone surrogate replaced by U+FFFD; the same object when there is none."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def without_surrogates(value: Any) -> Any:
    """The same JSON value with every text in it, keys too, writable as UTF-8."""
    if isinstance(value, str):
        return utf8_text(value)
    if isinstance(value, list):
        return [without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {utf8_text(key): without_surrogates(item) for key, item in value.items()}
    return value
