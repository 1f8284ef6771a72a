"""What a YAML file holds once read: nodes that know where they stand, and the problems met on the way."""

from dataclasses import dataclass
from typing import Any, Final

MOST_DEPTH: Final = 64
TOO_DEEP: Final = f"values are nested more than {MOST_DEPTH} deep"


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlProblem:
    """One thing wrong with a YAML file: where it is (counted from 1), what it is, and what to do next."""

    line: int
    column: int
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """One value that is neither a sequence nor a mapping.

    `text` is its characters before typing, without quotes; `quoted` says that they stood in quotes or in a
    `|` or `>` block, and so are text whatever they look like.
    """

    value: str | int | float | bool | None
    text: str
    quoted: bool
    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequence:
    """A list of nodes, in the order written."""

    items: "tuple[Node, ...]"
    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One key of a mapping and the node under it."""

    key: str
    key_line: int
    key_column: int
    value: "Node"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapping:
    """Keys and nodes, in the order written; no key comes twice."""

    entries: tuple[Entry, ...]
    line: int
    column: int

    def get(self, key: str) -> "Node | None":
        """The node under a key, or None when the key is not there."""
        return next((entry.value for entry in self.entries if entry.key == key), None)


Node = Scalar | Sequence | Mapping


def plain(node: Node) -> Any:
    """The same data as ordinary dicts, lists and values, shared nowhere; nodes are never too deep to walk."""
    match node:
        case Scalar():
            return node.value
        case Sequence():
            return [plain(item) for item in node.items]
        case Mapping():
            return {entry.key: plain(entry.value) for entry in node.entries}
