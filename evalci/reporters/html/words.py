"""Two texts word by word: what is gone from the first, what is new in the second."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

MOST_WORDS: Final = 4_000
LEAST_IN_COMMON: Final = 0.2
# Punctuation stands alone, and so does each character of scripts that write without spaces; all else between white
# space is a word, so that no mark is torn from its letter and no joined emoji apart.
_POINTS: Final = "!-/:-@\\[-^`{-~\u00a1\u00ab\u00bb\u00bf\u2010-\u205e\u3001-\u303f\uff01-\uff0f\uff1a-\uff20"
_ALONE: Final = "\u3040-\u30ff\u3400-\u9fff"
_WORDS: Final = re.compile(rf"[{_POINTS}{_ALONE}]|[^\s{_POINTS}{_ALONE}]+|\s+")
_TELLING: Final = re.compile(rf"[^\s{_POINTS}]")


class Piece(NamedTuple):
    """A stretch of one of the texts; `changed` when the other text lacks it."""

    text: str
    changed: bool


class _Run(NamedTuple):
    """Stretches of both texts that stand for each other; equal when they are the same."""

    equal: bool
    before: tuple[int, int]
    after: tuple[int, int]


def compare_words(before: str, after: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Both texts in pieces that add up to them. Nothing is marked where hardly a word is common, or words too many."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    plain = (Piece(before, False),), (Piece(after, False),)
    if max(len(old), len(new)) > MOST_WORDS:
        return plain
    runs = tuple(_without_crumbs(_runs(old, new), old))
    common = sum(_letters(old[slice(*run.before)]) for run in runs if run.equal)
    if common < LEAST_IN_COMMON * max(_letters(old), _letters(new)):
        return plain
    return tuple(_pieces(old, ((run.before, run.equal) for run in runs))), tuple(
        _pieces(new, ((run.after, run.equal) for run in runs))
    )


def _runs(old: Sequence[str], new: Sequence[str]) -> Iterator[_Run]:
    """Stretches in order, equal and changed ones in turn."""
    from rapidfuzz.distance import Indel

    numbers: dict[str, int] = {}
    first, second = ([numbers.setdefault(word, len(numbers)) for word in words] for words in (old, new))
    changed: _Run | None = None
    for found in Indel.opcodes(first, second):
        equal = found.tag == "equal"
        run = _Run(equal, (found.src_start, found.src_end), (found.dest_start, found.dest_end))
        if equal:
            if changed is not None:
                yield changed
            changed = None
            yield run
        else:
            changed = run if changed is None else _joined(changed, run)
    if changed is not None:
        yield changed


def _without_crumbs(runs: Iterable[_Run], old: Sequence[str]) -> Iterator[_Run]:
    """Changes that only white space or punctuation keeps apart are one change: people read phrases."""
    held: list[_Run] = []
    for run in runs:
        if len(held) == 2 and not run.equal:
            held = [_joined(held[0], run)]
        elif run.equal and len(held) == 1 and not _TELLING.search("".join(old[slice(*run.before)])):
            held.append(run)
        else:
            yield from held
            held = [] if run.equal else [run]
            if run.equal:
                yield run
    yield from held


def _joined(first: _Run, last: _Run) -> _Run:
    return _Run(False, (first.before[0], last.before[1]), (first.after[0], last.after[1]))


def _letters(words: Sequence[str]) -> int:
    return sum(len(word) for word in words if _TELLING.match(word))


def _pieces(words: Sequence[str], stretches: Iterable[tuple[tuple[int, int], bool]]) -> Iterator[Piece]:
    for (start, end), equal in stretches:
        if start < end:
            yield Piece("".join(words[start:end]), not equal)
