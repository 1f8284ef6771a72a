"""Sets of code points: named parts that RE2 knows, and exact ranges where a set operation needs them."""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

Range = tuple[int, int]
Part = Range | str
"""A range of code points, both ends included, or what RE2 calls a set inside brackets (`\\p{L}`)."""

LAST: Final = 0x10FFFF
_SURROGATES: Final = (0xD800, 0xDFFF)
_PLAIN: Final = frozenset(map(ord, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"))


@dataclass(frozen=True, slots=True)
class CharSet:
    """A union of parts; then, if `folded`, with every other case of its letters; then, if `negated`, all others."""

    parts: tuple[Part, ...] = ()
    folded: bool = False
    negated: bool = False

    def re2(self) -> str:
        """The set as a piece of an RE2 pattern that matches one character."""
        inner = "".join(part if isinstance(part, str) else _range_text(part) for part in self.parts)
        if not inner:
            return r"(?s:.)" if self.negated else rf"[^\x00-\x{{{LAST:x}}}]"
        text = f"[^{inner}]" if self.negated else f"[{inner}]"
        return f"(?i:{text})" if self.folded else text

    def ranges(self) -> tuple[Range, ...]:
        """Its code points as sorted ranges that do not touch."""
        if self.folded or any(isinstance(part, str) for part in self.parts):
            return _members(self.re2())
        ranges = merged(part for part in self.parts if not isinstance(part, str))
        return complement(ranges) if self.negated else ranges

    def has(self, code: int) -> bool:
        """Is this code point in the set?"""
        import re2

        return re2.fullmatch(self.re2(), chr(code)) is not None

    def without(self, code: int) -> "CharSet":
        """The same set less one code point that has no other case."""
        if self.negated:
            return CharSet((*self.parts, (code, code)), self.folded, negated=True)
        parts = tuple(piece for part in self.parts for piece in _part_without(part, code))
        return CharSet(parts, self.folded)

    def opposite(self) -> "CharSet":
        """Every code point that is not in the set."""
        return CharSet(self.parts, self.folded, not self.negated)

    def exact(self) -> "CharSet":
        """The same set as plain ranges."""
        return CharSet(self.ranges())


def union(sets: Iterable[CharSet]) -> CharSet:
    """Everything that is in one of the sets."""
    parts: list[Part] = []
    for each in sets:
        parts += each.ranges() if each.negated or each.folded else each.parts
    return CharSet(tuple(parts))


def intersection(a: CharSet, b: CharSet) -> CharSet:
    """What is in both."""
    return CharSet(complement(merged((*complement(a.ranges()), *complement(b.ranges())))))


def difference(a: CharSet, b: CharSet) -> CharSet:
    """What is in `a` and not in `b`."""
    return intersection(a, b.exact().opposite())


def symmetric_difference(a: CharSet, b: CharSet) -> CharSet:
    """What is in one of them only."""
    return union((difference(a, b), difference(b, a)))


def merged(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """The same code points as sorted ranges that do not touch."""
    result: list[Range] = []
    for low, high in sorted(ranges):
        if result and low <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(high, result[-1][1]))
        else:
            result.append((low, high))
    return tuple(result)


def complement(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """All other code points; the ranges are sorted and do not touch."""
    result: list[Range] = []
    start = 0
    for low, high in ranges:
        if low > start:
            result.append((start, low - 1))
        start = high + 1
    if start <= LAST:
        result.append((start, LAST))
    return tuple(result)


def spans_as_ranges(spans: Iterable[tuple[int, int]]) -> Iterator[Range]:
    """Code point ranges for spans of `every_character`."""
    for start, end in spans:
        yield _code_at(start), _code_at(end - 1)


@lru_cache(maxsize=1)
def every_character() -> str:
    """All code points in order, without the surrogates."""
    low = array("I", range(_SURROGATES[0]))
    high = array("I", range(_SURROGATES[1] + 1, LAST + 1))
    return low.tobytes().decode("utf-32-le") + high.tobytes().decode("utf-32-le")


@lru_cache(maxsize=128)
def _members(re2_set: str) -> tuple[Range, ...]:
    """What a set of RE2's contains, by asking it about every character."""
    import re2

    spans = (match.span() for match in re2.finditer(f"(?:{re2_set})+", every_character()))
    return tuple(spans_as_ranges(spans))


def _code_at(index: int) -> int:
    return index if index < _SURROGATES[0] else index + _SURROGATES[1] + 1 - _SURROGATES[0]


def _part_without(part: Part, code: int) -> Iterator[Part]:
    if isinstance(part, str) and not CharSet((part,)).has(code):
        yield part
        return
    ranges = _members(f"[{part}]") if isinstance(part, str) else (part,)
    for low, high in ranges:
        if low <= code <= high:
            yield from ((a, b) for a, b in ((low, code - 1), (code + 1, high)) if a <= b)
        else:
            yield low, high


def _range_text(part: Range) -> str:
    low, high = map(char_text, part)
    return low if part[0] == part[1] else f"{low}-{high}"


def char_text(code: int) -> str:
    """One code point as RE2 spells it, inside brackets or out."""
    return chr(code) if code in _PLAIN else f"\\x{{{code:x}}}"
