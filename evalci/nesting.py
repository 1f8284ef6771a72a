"""How deep JSON may be nested before nobody can be trusted to walk it."""

import re
from typing import Final

MOST_DEPTH: Final = 100
_TEXT_OR_BRACKET: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[\[\]{}]', re.DOTALL)


def too_deep(data: bytes) -> bool:
    """Is this JSON nested deeper than `MOST_DEPTH`? Costs next to nothing for the usual line."""
    if data.count(b"{") + data.count(b"[") <= MOST_DEPTH:
        return False
    depth = 0
    for found in _TEXT_OR_BRACKET.finditer(data):
        if found[0] in b"[{":
            depth += 1
            if depth > MOST_DEPTH:
                return True
        elif found[0] in b"]}":
            depth -= 1
    return False
