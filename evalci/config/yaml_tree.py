"""The tree that a YAML parser's events describe, grown without recursion and within limits.

How problems are worded is imported where a problem is met: a sound file does not pay for it.
"""

import re
from collections.abc import Mapping as Table
from dataclasses import dataclass, field, replace
from typing import Final

import yaml

from evalci.config.yaml_scalars import CORE_TAG, Refused, Value, core_value, tagged_value
from evalci.config.yaml_types import MOST_DEPTH, TOO_DEEP, Entry, Mapping, Node, Scalar, Sequence, YamlProblem
from evalci.wording import quoted, snippet

MOST_VALUES: Final = 100_000
# What aliases may add to what is written; a text counts once more for each thousand characters.
MOST_REPEATED: Final = 10_000

_HALF_CHARACTERS: Final = re.compile("[\ud800-\udfff]")
_SCALAR_KINDS: Final = ("str", "int", "float", "bool", "null")


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class _Part:
    """A finished node, how much it weighs when written out, and how deep it is."""

    node: Node
    weight: int
    height: int


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class _Open:
    """A sequence or mapping whose end is still to come."""

    is_mapping: bool
    line: int
    column: int
    anchor: str | None
    weight: int = 1
    height: int = 1
    items: list[Node] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    key_places: dict[str, tuple[int, int]] = field(default_factory=dict)
    key: Scalar | None = None
    wants_value: bool = False

    @property
    def wants_key(self) -> bool:
        return self.is_mapping and not self.wants_value


class Tree:
    """What has been read so far. A node is added to the collection that is open, not by recursion."""

    def __init__(self, name: str, originals: Table[int, str]) -> None:
        self.name = name
        self.originals = originals
        self.root: Node | None = None
        self.problems: list[YamlProblem] = []
        self.spoiled = False
        self.gave_up = False
        self.last = (1, 1)
        self._open: list[_Open] = []
        self._anchors: dict[str, _Part | _Open] = {}
        self._documents = 0
        self._written = 0
        self._repeated = 0

    @property
    def is_empty(self) -> bool:
        """Is there no document, or one with nothing in it?"""
        root = self.root
        return root is None or (isinstance(root, Scalar) and root.text == "" and not root.quoted)

    @property
    def innermost(self) -> tuple[int, int]:
        """Where the sequence or mapping starts that is being read."""
        return (self._open[-1].line, self._open[-1].column) if self._open else self.last

    def spoil(self, problem: YamlProblem) -> None:
        """Note a problem after which the tree is no longer what the file says."""
        self.problems.append(problem)
        self.spoiled = True

    def take(self, event: yaml.Event) -> None:
        """Grow by one event."""
        if mark := event.start_mark:
            self.last = mark.line + 1, mark.column + 1
        match event:
            case yaml.ScalarEvent():
                self._scalar(event)
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                self._start(event)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._end()
            case yaml.AliasEvent():
                self._alias(event.anchor or "")
            case yaml.DocumentStartEvent():
                self._document()

    def _document(self) -> None:
        self._documents += 1
        if self._documents > 1:
            hint = 'remove this "---" and what follows, or move it into a file of its own'
            self._give_up(f"a second document starts here; {self.name} holds one", hint)

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        line, column = self.last
        text = event.value.translate(self.originals) if self.originals else event.value
        is_plain = not event.style
        is_key = bool(self._open) and self._open[-1].wants_key
        value: Value | Refused = text
        if event.tag is not None:
            value = self._tagged(event.tag, text, is_key)
        elif is_plain and not (is_key and event.anchor is None):
            value = core_value(text)
        if isinstance(value, Refused):
            self._spoiled_here(value.message, value.hint)
            value = text
        if event.style == '"' and not text.isascii():
            self._check_escapes(text)
        node = Scalar(value=value, text=text, quoted=not is_plain, line=line, column=column)
        part = _Part(node=node, weight=1 + len(text) // 1000, height=0)
        if event.anchor is not None:
            self._anchors[event.anchor] = part
        self._count()
        self._add(part)

    def _tagged(self, tag: str, text: str, is_key: bool) -> Value | Refused:
        if tag == "!":
            return text
        kind = tag.removeprefix(CORE_TAG)
        if tag.startswith(CORE_TAG) and kind in _SCALAR_KINDS:
            return text if is_key else tagged_value(text, kind)
        return _refused_tag(tag.translate(self.originals), _SCALAR_KINDS)

    def _check_escapes(self, text: str) -> None:
        """PyYAML's Python parser makes half characters of what its C parser refuses."""
        if halves := _HALF_CHARACTERS.findall(text):
            from evalci.config.yaml_syntax import escape_problem

            written = "".join(f"\\u{ord(char):04x}" for char in halves)
            self.spoil(escape_problem(*self.last, written))

    def _start(self, event: yaml.CollectionStartEvent) -> None:
        line, column = self.last
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        kind = "map" if is_mapping else "seq"
        if event.tag is not None and event.tag not in ("!", CORE_TAG + kind):
            refused = _refused_tag(event.tag.translate(self.originals), (kind,))
            self._spoiled_here(refused.message, refused.hint)
        frame = _Open(is_mapping=is_mapping, line=line, column=column, anchor=event.anchor)
        if event.anchor is not None:
            self._anchors[event.anchor] = frame
        self._open.append(frame)
        self._count()
        self._check_depth(0)

    def _end(self) -> None:
        frame = self._open.pop()
        node: Node
        if frame.is_mapping:
            node = Mapping(entries=tuple(frame.entries), line=frame.line, column=frame.column)
        else:
            node = Sequence(items=tuple(frame.items), line=frame.line, column=frame.column)
        part = _Part(node=node, weight=frame.weight, height=frame.height)
        if frame.anchor is not None and self._anchors.get(frame.anchor) is frame:
            self._anchors[frame.anchor] = part
        self._add(part)

    def _alias(self, anchor: str) -> None:
        part = self._anchors.get(anchor)
        alias = quoted(snippet(f"*{anchor}", 40))
        if isinstance(part, _Part):
            self._repeated += part.weight
            if self._repeated > MOST_REPEATED:
                hint = "write out what is meant"
                self._give_up(f"with {alias}, aliases repeat more than {MOST_REPEATED} values", hint)
            self._check_depth(part.height)
            self._add(self._as_key_here(part))
            return
        if part is None:
            from evalci.config.yaml_syntax import quote_hint

            anchored = quoted(snippet(f"&{anchor}", 40))
            self._spoiled_here(f"the alias {alias} has no anchor {anchored} above it", quote_hint(f"*{anchor}"))
        else:
            self._spoiled_here(f"the alias {alias} stands inside its own anchor", "write out what is meant")
        line, column = self.last
        missing = Scalar(value=None, text="", quoted=False, line=line, column=column)
        self._add(_Part(node=missing, weight=1, height=0))

    def _as_key_here(self, part: _Part) -> _Part:
        """A key that is an alias stands where the alias does; other aliases keep the place of what was written."""
        if not isinstance(part.node, Scalar) or not self._open or not self._open[-1].wants_key:
            return part
        line, column = self.last
        return replace(part, node=replace(part.node, line=line, column=column))

    def _add(self, part: _Part) -> None:
        """Put a finished node where it belongs: as the root, an item, a key, or the value of a key."""
        if not self._open:
            self.root = part.node
            return
        frame = self._open[-1]
        frame.weight += part.weight
        frame.height = max(frame.height, part.height + 1)
        if not frame.is_mapping:
            frame.items.append(part.node)
        elif frame.wants_value:
            if frame.key is not None:
                key = frame.key
                entry = Entry(key=key.text, key_line=key.line, key_column=key.column, value=part.node)
                frame.entries.append(entry)
            frame.key, frame.wants_value = None, False
        else:
            frame.key, frame.wants_value = self._key(frame, part.node), True

    def _key(self, frame: _Open, node: Node) -> Scalar | None:
        """The key, or None when it and its value are to be left out. Keys are text: `no` and `1` are not typed."""
        line, column = node.line, node.column
        if not isinstance(node, Scalar):
            message = f"a key must be text, got {'a mapping' if isinstance(node, Mapping) else 'a list'}"
            hint = "text that starts with { or [ needs quotes"
            self.spoil(YamlProblem(line=line, column=column, message=message, hint=hint))
            return None
        if node.text == "<<" and not node.quoted:
            hint = "write out the keys that it stands for; for a key of that name, put it in quotes"
            message = 'the merge key "<<" is no part of YAML 1.2'
            self.spoil(YamlProblem(line=line, column=column, message=message, hint=hint))
            return None
        if first := frame.key_places.get(node.text):
            message = f"duplicate key {quoted(snippet(node.text, 80))}; the first is at {first[0]}:{first[1]}"
            self.problems.append(YamlProblem(line=line, column=column, message=message, hint="remove one of the two"))
            return None
        frame.key_places[node.text] = line, column
        return node

    def _count(self) -> None:
        self._written += 1
        if self._written > MOST_VALUES:
            self._give_up(f"{self.name} holds more than {MOST_VALUES} values", "move the data into dataset files")

    def _check_depth(self, height: int) -> None:
        if len(self._open) + height > MOST_DEPTH:
            self._give_up(TOO_DEEP, "flatten what starts here")

    def _spoiled_here(self, message: str, hint: str) -> None:
        line, column = self.last
        self.spoil(YamlProblem(line=line, column=column, message=message, hint=hint))

    def _give_up(self, message: str, hint: str) -> None:
        """Stop reading: what follows would say nothing more."""
        if not self.gave_up:
            self._spoiled_here(message, hint)
        self.gave_up = True


def _refused_tag(tag: str, known: tuple[str, ...]) -> Refused:
    from evalci.config.yaml_syntax import quote_hint

    short = f"!!{tag.removeprefix(CORE_TAG)}" if tag.startswith(CORE_TAG) else tag
    written = short if short.startswith("!") else f"!<{short}>"
    known_here = ", ".join(f"!!{kind}" for kind in known)
    hint = f"tags known here: {known_here}\nremove the tag; {quote_hint(written)}"
    return Refused(message=f"the tag {quoted(snippet(written, 60))} is not allowed", hint=hint)
