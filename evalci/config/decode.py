"""From YAML nodes to settings: every mistake is collected with its line and column, nothing is coerced."""

import dataclasses
import math
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeVar

from evalci.config.settings import NOTE, Checked, Fault, Faults, Note
from evalci.config.yaml_nodes import Entry, Node, Scalar, Sequence, plain
from evalci.config.yaml_nodes import Mapping as MappingNode
from evalci.errors import Problem
from evalci.unicode import utf8_text
from evalci.wording import choices_hint, plain_number, printable, quoted, snippet

T = TypeVar("T")
MISSING = object()


@dataclass(frozen=True, kw_only=True, slots=True)
class Field:
    """One key of a settings block, read off its dataclass field."""

    name: str
    key: str
    type: Any
    note: Note
    required: bool


@cache
def fields_of(cls: Any) -> tuple[Field, ...]:
    """The YAML keys of a settings class, in order."""
    return tuple(
        Field(
            name=f.name,
            key=note.key or f.name,
            type=f.type,
            note=note,
            required=f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING,
        )
        for f in dataclasses.fields(cls)
        if f.init
        for note in (f.metadata.get(NOTE) or Note(),)
    )


class Decoder:
    """Decodes nodes of one file and keeps the problems it meets."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []

    def problem(self, node: Node | Entry | None, message: str, hint: str = "") -> None:
        """Note a mistake at a node (or at the start of the file)."""
        self.problems.append(_problem(self.file, node, message, hint))

    def faults(self, node: Node, faults: Iterator[Fault] | tuple[Fault, ...]) -> bool:
        """Place each fault at the field it names below `node`; True when there was none."""
        before = len(self.problems)
        for fault in faults:
            self.problem(locate(node, fault.field), fault.message, fault.hint)
        return len(self.problems) == before

    def block(self, node: Node, cls: type[T], path: str, who: str, *, ignore: frozenset[str] = frozenset()) -> T | None:
        """A settings dataclass from a mapping, or None when anything in it is wrong.

        `path` names the block in messages about its shape (`scorers[0]`); `who` begins those about its values
        (`target "bot": `). Keys in `ignore` are read by the caller.
        """
        if isinstance(node, Scalar) and (short := getattr(cls, "SHORTHAND", None)):
            node = _wrapped(short, node)
        if not isinstance(node, MappingNode):
            self.problem(node, f"{path} must be a mapping of keys to values, got {_describe(node)}")
            return None
        before = len(self.problems)
        fields = fields_of(typing.cast(Any, cls))
        self.unknown_keys(node, {f.key for f in fields} | ignore, path)
        values: dict[str, Any] = {}
        for f in fields:
            child = node.get(f.key)
            if child is None:
                if f.required:
                    self.problem(node, f'{path} lacks the key "{f.key}"', f.note.about)
                continue
            values[f.name] = self.value(child, f.type, f"{path}.{f.key}", who, f)
        if len(self.problems) > before:
            return None
        return self._checked(node, cls(**values), who)

    def _checked(self, node: Node, settings: T, who: str) -> T | None:
        if isinstance(settings, Checked) and not self.faults(node, settings.check(who.rstrip(": ."))):
            return None
        return settings

    def unknown_keys(self, node: MappingNode, known: set[str], path: str) -> None:
        for entry in node.entries:
            if entry.key not in known:
                message = f"unknown key {_short(entry.key)}{f' in {path}' if path else ''}"
                self.problem(entry, message, choices_hint("keys", entry.key, known))

    def value(self, node: Node, kind: Any, path: str, who: str, f: Field | None = None) -> Any:
        """One value of the given type; a problem and None when it is not."""
        if kind is Any:
            return plain(node)
        if hasattr(kind, "decode"):
            return kind.decode(node, self, path)
        origin, arguments = typing.get_origin(kind), typing.get_args(kind)
        if origin in (types.UnionType, typing.Union):
            return self._optional(node, arguments, path, who, f)
        if origin is tuple:
            return self._items(node, arguments[0], path, who)
        if origin is Mapping:
            return self._entries(node, arguments[1], path, who)
        if origin is Literal:
            return self._choice(node, arguments, path)
        if dataclasses.is_dataclass(kind):
            return self.block(node, typing.cast(type, kind), path, f"{who}{f.key} " if f else who)
        return self._scalar(node, kind, path, who, f)

    def _optional(self, node: Node, arguments: tuple[Any, ...], path: str, who: str, f: Field | None) -> Any:
        if isinstance(node, Scalar) and node.value is None and not node.quoted:
            return None
        kinds = [kind for kind in arguments if kind is not type(None)]
        for kind in kinds[:-1]:
            if _fits(node, kind):
                return self.value(node, kind, path, who, f)
        return self.value(node, kinds[-1], path, who, f)

    def _items(self, node: Node, kind: Any, path: str, who: str) -> tuple[Any, ...]:
        if not isinstance(node, Sequence):
            self.problem(node, f"{path} must be a list, got {_describe(node)}", list_hint(node))
            return ()
        return tuple(self.value(item, kind, f"{path}[{i}]", who) for i, item in enumerate(node.items))

    def _entries(self, node: Node, kind: Any, path: str, who: str) -> dict[str, Any]:
        if not isinstance(node, MappingNode):
            self.problem(node, f"{path} must be a mapping of keys to values, got {_describe(node)}")
            return {}
        return {e.key: self.value(e.value, kind, f"{path}.{e.key}", who) for e in node.entries}

    def _choice(self, node: Node, choices: tuple[Any, ...], path: str) -> Any:
        value = node.value if isinstance(node, Scalar) else MISSING
        if value not in choices or type(value) not in {type(choice) for choice in choices}:
            word = node.text if isinstance(node, Scalar) else _describe(node)
            hint = choices_hint("choices", word, [str(choice) for choice in choices])
            self.problem(node, f"{path} cannot be {snippet(word, 80)}", hint)
        return value

    def _scalar(self, node: Node, kind: Any, path: str, who: str, f: Field | None) -> Any:
        value = node.value if isinstance(node, Scalar) else MISSING
        if kind is str:
            return self._text(node, value, path)
        if kind is bool:
            return self._typed(node, value, bool, path, "true or false")
        if kind is int:
            value = self._typed(node, value, int, path, "a whole number")
        else:
            value = self._typed(node, value, (int, float), path, "a number", _percent_hint(node, f))
        if value is not MISSING and f is not None:
            self._bounds(node, value, f, who)
        return float(value) if kind is float and value is not MISSING else value

    def _text(self, node: Node, value: Any, path: str) -> Any:
        if isinstance(value, str):
            if utf8_text(value) != value:
                self.problem(node, f"{path} holds half of a surrogate pair, which is no character")
            return value
        hint = ""
        if isinstance(node, Scalar) and value is not None:
            hint = f"write it in quotes: {_short(node.text)}"
        self.problem(node, f"{path} must be text, got {_describe(node)}", hint)
        return MISSING

    def _typed(self, node: Node, value: Any, kinds: Any, path: str, wanted: str, hint: str = "") -> Any:
        is_bool = isinstance(value, bool)
        if isinstance(value, kinds) and (kinds is bool or not is_bool):
            return value
        self.problem(node, f"{path} must be {wanted}, got {_describe(node)}", hint)
        return MISSING

    def _bounds(self, node: Node, value: float, f: Field, who: str) -> None:
        low, high = f.note.low, f.note.high
        if low is None and high is None:
            return
        if low is not None and high is not None:
            if not low <= value <= high:
                span = f"[{plain_number(low)}, {plain_number(high)}]"
                hint = _percent_hint(node, f)
                self.problem(node, f"{who}{f.key} must be within {span}, got {plain_number(value)}", hint)
        elif low is not None and not (value >= low and math.isfinite(value)):
            self.problem(node, f"{who}{f.key} must be at least {plain_number(low)}")
        elif high is not None and not (value <= high and math.isfinite(value)):
            self.problem(node, f"{who}{f.key} must be at most {plain_number(high)}")


def locate(node: Node, field: str) -> Node | Entry:
    """The node of a dotted field below a block; as far down as it goes."""
    here: Node = node
    for part in filter(None, field.split(".")):
        below: Node | None = None
        if isinstance(here, MappingNode):
            below = here.get(part)
        elif isinstance(here, Sequence) and part.isdecimal() and int(part) < len(here.items):
            below = here.items[int(part)]
        if below is None:
            break
        here = below
    return here


def place_faults(file: str, node: Node | None, error: Fault | Faults) -> tuple[Problem, ...]:
    """Problems for faults that came up while building a block, each at the line of the field it names."""
    faults = error.faults if isinstance(error, Faults) else (error,)
    places = (None if node is None else locate(node, fault.field) for fault in faults)
    return tuple(_problem(file, place, f.message, f.hint) for place, f in zip(places, faults, strict=True))


def _problem(file: str, node: Node | Entry | None, message: str, hint: str) -> Problem:
    """A problem whose text cannot drive a terminal, whatever it quotes."""
    line, column = _position(node)
    hint = "\n".join(map(printable, hint.split("\n")))
    return Problem(file=file, line=line, column=column, message=printable(message), hint=hint)


def _wrapped(key: str, node: Scalar) -> MappingNode:
    """The long form of a setting that was written as a single value."""
    entry = Entry(key=key, key_line=node.line, key_column=node.column, value=node)
    return MappingNode(entries=(entry,), line=node.line, column=node.column)


def _position(node: Node | Entry | None) -> tuple[int | None, int | None]:
    if node is None:
        return None, None
    if isinstance(node, Entry):
        return node.key_line, node.key_column
    return node.line, node.column


def _fits(node: Node, kind: Any) -> bool:
    """Would this node decode as this member of a union?"""
    if not isinstance(node, Scalar):
        return not isinstance(kind, type) or dataclasses.is_dataclass(kind)
    value = node.value
    if kind in (str, bool):
        return isinstance(value, kind)
    if kind in (int, float):
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return typing.get_origin(kind) is Literal and value in typing.get_args(kind)


def list_hint(node: Node) -> str:
    """For a mapping where a list belongs: its dashes were left out."""
    return "a list has `- ` before each of its entries" if isinstance(node, MappingNode) else ""


def _percent_hint(node: Node, f: Field | None) -> str:
    """For a share that is written as a percentage, how it is written."""
    if f is None or (f.note.low, f.note.high) != (0, 1) or not isinstance(node, Scalar):
        return ""
    try:
        percent = float(node.text.removesuffix("%"))
    except ValueError:
        return ""
    least = 0 if node.text.endswith("%") else 10
    return f"{plain_number(percent)} percent is {plain_number(percent / 100)}" if least <= percent <= 100 else ""


def _describe(node: Node) -> str:
    if isinstance(node, MappingNode):
        return "a mapping"
    if isinstance(node, Sequence):
        return "a list"
    text = snippet(node.text, 80)
    if node.value is None:
        return "nothing (null)"
    if isinstance(node.value, bool):
        return f"the boolean {text}"
    if isinstance(node.value, (int, float)):
        return f"the number {text}"
    return f"the text {_short(node.text)}"


def _short(text: str) -> str:
    return quoted(snippet(text, 80))
