"""JSON Pointer (RFC 6901): one place in a JSON document."""

import re
from typing import Any, Final

_INDEX: Final = re.compile(r"0|[1-9][0-9]*")


def is_pointer(text: str) -> bool:
    """Is it a pointer? Empty, or it starts with a slash; a tilde is followed by 0 or 1."""
    return (not text or text.startswith("/")) and re.search(r"~(?![01])", text) is None


def resolve(document: Any, pointer: str) -> Any:
    """The value that a pointer names, the empty one the whole document. Raises `LookupError` when there is none."""
    value = document
    for token in pointer.split("/")[1:]:
        # In this order: `~01` is the name `~1`, not a slash.
        value = _member(value, token.replace("~1", "/").replace("~0", "~"))
    return value


def _member(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return value[name]
    # The index `-` names the element after the last one, which is never there.
    if isinstance(value, list) and _INDEX.fullmatch(name) and len(name) < 20:
        return value[int(name)]
    raise LookupError(name)
