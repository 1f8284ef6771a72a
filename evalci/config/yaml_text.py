"""The characters of a YAML file: UTF-8 without its byte order mark, free of what YAML forbids."""

import re
from collections.abc import Iterator, Mapping
from itertools import chain, islice

from evalci.config.yaml_types import YamlProblem

MOST_BYTES = 4 * 1024 * 1024
# One more is looked for, so that a reader can be told that there are more.
MOST_PROBLEMS = 100

_BREAK = re.compile(r"\r\n|\r|\n")
# Bytes that are not UTF-8 arrive here as U+DC80..U+DCFF, Python's stand-ins for them.
_FORBIDDEN = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\udc80-\udcff\ufffe\uffff]"
_BREAK_OR_FAULT = re.compile(rf"\r\n|\r|\n|(?P<fault>{_FORBIDDEN}+|(?<![^\r\n])\ufeff)")
_FAULT = re.compile(rf"{_FORBIDDEN}|(?<![^\r\n])\ufeff")
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
# YAML 1.1, which the parsers speak, breaks lines at the first three; YAML 1.2 does not. The two parsers disagree
# on how a byte order mark within the file counts, so it goes the same way.
_MISREAD = "\x85\u2028\u2029\ufeff"
_ANY_MISREAD = re.compile(f"[{_MISREAD}]")


def text_of(data: bytes, name: str) -> tuple[str, tuple[YamlProblem, ...]]:
    """The text of a file, and every place where it is no text that YAML may hold."""
    if len(data) > MOST_BYTES:
        message = f"{name} has {len(data)} bytes; at most {MOST_BYTES} are read"
        return "", (YamlProblem(line=1, column=1, message=message, hint="move the data into dataset files"),)
    if data.startswith(_UTF16_MARKS):
        message = f"{name} is UTF-16, not UTF-8"
        return "", (YamlProblem(line=1, column=1, message=message, hint="save the file as UTF-8"),)
    text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    return text, tuple(islice(_faults(text), MOST_PROBLEMS + 1)) if _FAULT.search(text) else ()


def lines_of(text: str) -> list[str]:
    """The lines of a text as YAML counts them, without their ends."""
    return _BREAK.split(text)


def with_stand_ins(text: str) -> tuple[str, Mapping[int, str]]:
    """The text with a stand-in for each character the parsers would misread, and the table that undoes it.

    A stand-in is one character that the text does not use, so lines and columns stay as they were.
    """
    misread = [char for char in _MISREAD if char in text] if _ANY_MISREAD.search(text) else []
    if not misread:
        return text, {}
    used = set(text)
    # 4 MiB cannot hold all of these at four bytes each, so there are always enough left.
    unused = (chr(code) for code in chain(range(0xE000, 0xF900), range(0x10000, 0x110000)) if chr(code) not in used)
    stand_ins = dict(zip(misread, unused, strict=False))
    for char, stand_in in stand_ins.items():
        text = text.replace(char, stand_in)
    return text, {ord(stand_in): char for char, stand_in in stand_ins.items()}


def _faults(text: str) -> Iterator[YamlProblem]:
    line, line_start = 1, 0
    for found in _BREAK_OR_FAULT.finditer(text):
        if found["fault"] is None:
            line, line_start = line + 1, found.end()
        else:
            message, hint = _about(found["fault"][0])
            yield YamlProblem(line=line, column=found.start() - line_start + 1, message=message, hint=hint)


def _about(char: str) -> tuple[str, str]:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        return f"byte 0x{code - 0xDC00:02X} is not UTF-8", "save the file as UTF-8"
    if code == 0xFEFF:
        return "a byte order mark (U+FEFF) starts this line", "remove the invisible character"
    if code == 0:
        return "a NUL character, which YAML forbids", "save the file as UTF-8 text, and remove the character"
    escape = f"\\x{code:02X}" if code <= 0xFF else f"\\u{code:04X}"
    return (
        f"the character U+{code:04X}, which YAML forbids",
        f"remove it, or write it as {escape} inside double quotes",
    )
