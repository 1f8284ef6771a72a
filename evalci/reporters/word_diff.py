"""Two short texts word by word: what stayed, what went, what came."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final, Literal

# Past this many words on a side, a page of marks helps nobody, and comparing takes its time.
MOST_WORDS: Final = 400
_WORDS: Final = re.compile(r"\s+|\w+|[^\w\s]")

Part = tuple[Literal["same", "gone", "new"], str]


def word_diff(before: str, after: str) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """The parts of each side: of the first `same` and `gone`, of the second `same` and `new`."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    if max(len(old), len(new)) > MOST_WORDS:
        return (("gone", before),), (("new", after),)
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    left = tuple(_joined(("same" if kind == "equal" else "gone", "".join(old[a:b])) for kind, a, b, _, _ in blocks))
    right = tuple(_joined(("same" if kind == "equal" else "new", "".join(new[c:d])) for kind, _, _, c, d in blocks))
    return left, right


def _joined(parts: Iterator[Part]) -> Iterator[Part]:
    return (part for part in parts if part[1])
