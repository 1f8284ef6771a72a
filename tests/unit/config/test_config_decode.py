"""From nodes to settings: types, unions, bounds, and where a fault is placed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import pytest

from evalci.config.decode import Decoder, place_faults
from evalci.config.settings import Fault, Faults, setting
from evalci.config.yaml_nodes import Node, read_yaml


@dataclass(frozen=True, kw_only=True)
class Inner:
    SHORTHAND: ClassVar = "size"

    size: int = setting(low=1)


@dataclass(frozen=True, kw_only=True)
class Everything:
    text: str = "t"
    flag: bool = False
    ratio: float = setting(0.5, low=0, high=1)
    most: float = setting(1, high=10)
    least: int = setting(1, low=1)
    kind: Literal["a", "b", 3] = "a"
    text_or_flag: str | bool = "x"
    number_or_text: float | str = 0.5
    choice_or_number: Literal["auto"] | int = "auto"
    items_or_text: tuple[str, ...] | str = "x"
    inner_or_text: Inner | str = "x"
    inner: Inner | None = None
    items: tuple[int, ...] = ()
    table: Mapping[str, float] | None = None
    anything: Any = None
    lambda_: int = setting(0, key="lambda")

    def check(self, who: str) -> Iterator[Fault]:
        if self.text == "bad":
            yield Fault("items.1", f"{who}: the second item is bad")


def node_of(text: str) -> Node:
    node, problems = read_yaml(text.encode(), name="f.yaml")
    assert node is not None and not problems
    return node


def decode(text: str) -> tuple[Everything | None, list[str]]:
    decoder = Decoder("f.yaml")
    found = decoder.block(node_of(text), Everything, "it", 'it "x": ')
    return found, [line for problem in decoder.problems for line in problem.lines()]


@pytest.mark.parametrize(("text", "field", "value"), [
    ("ratio: 1", "ratio", 1.0), ("most: -5", "most", -5.0), ("kind: b", "kind", "b"), ("kind: 3", "kind", 3),
    ("text_or_flag: true", "text_or_flag", True), ("text_or_flag: 'true'", "text_or_flag", "true"),
    ("number_or_text: 3", "number_or_text", 3.0), ("number_or_text: x", "number_or_text", "x"),
    ("choice_or_number: auto", "choice_or_number", "auto"), ("choice_or_number: 7", "choice_or_number", 7),
    ("items_or_text: [a, b]", "items_or_text", ("a", "b")), ("items_or_text: a", "items_or_text", "a"),
    ("inner_or_text: { size: 2 }", "inner_or_text", Inner(size=2)), ("inner_or_text: a", "inner_or_text", "a"),
    ("inner: 4", "inner", Inner(size=4)), ("inner: ~", "inner", None), ("inner: { size: 4 }", "inner", Inner(size=4)),
    ("items: [1, 2]", "items", (1, 2)), ("table: { a: 1 }", "table", {"a": 1.0}), ("table:", "table", None),
    ("anything: { a: [1, ~, x] }", "anything", {"a": [1, None, "x"]}), ("lambda: 3", "lambda_", 3),
])  # fmt: skip
def test_a_value_becomes_what_its_field_is(text: str, field: str, value: Any) -> None:
    found, problems = decode(text)
    assert problems == []
    assert getattr(found, field) == value
    assert type(getattr(found, field)) is type(value)


@pytest.mark.parametrize(("text", "said"), [
    ("ratio: 1.5", 'f.yaml:1:8: it "x": ratio must be within [0, 1], got 1.5'),
    ("most: 11", 'it "x": most must be at most 10'),
    ("most: .inf", 'it "x": most must be at most 10'),
    ("least: 0", 'it "x": least must be at least 1'),
    ("kind: c", "it.kind cannot be c"),
    ("kind: true", "it.kind cannot be true"),
    ("kind: 3.0", "it.kind cannot be 3.0"),
    ("choice_or_number: often", 'it.choice_or_number must be a whole number, got the text "often"'),
    ("inner: 0", 'it "x": inner size must be at least 1'),
    ("inner: { size: 0 }", 'it "x": inner size must be at least 1'),
    ("inner: {}", 'it.inner lacks the key "size"'),
    ("items: [1, x]", 'it.items[1] must be a whole number, got the text "x"'),
    ("table: { a: x }", 'it.table.a must be a number, got the text "x"'),
    ("table: [a]", "it.table must be a mapping of keys to values, got a list"),
    ("lambda_: 3", 'unknown key "lambda_" in it'),
    ("[a]", "it must be a mapping of keys to values, got a list"),
    ("text: bad\nitems: [1, 2]", 'f.yaml:2:12: it "x": the second item is bad'),
    ("text: bad\nitems: [1]", 'f.yaml:2:8: it "x": the second item is bad'),
    ("text: bad", 'f.yaml:1:1: it "x": the second item is bad'),
])  # fmt: skip
def test_a_value_that_is_not_says_what_it_must_be(text: str, said: str) -> None:
    found, problems = decode(text)
    assert found is None
    assert said in problems[0]


def test_faults_of_building_stand_at_the_field_they_name() -> None:
    node = node_of("a:\n  b: [1, 2]\n  c: x\n")
    both = Faults([Fault("a.b.1", "first"), Fault("a.c", "second\x1b[2J", "hint\nmore\x07"), Fault("", "whole")])
    assert [problem.lines() for problem in place_faults("f.yaml", node, both)] == [
        ("f.yaml:2:10: first",),
        (r"f.yaml:3:6: second\u{1b}[2J", "  hint", r"  more\u{7}"),
        ("f.yaml:1:1: whole",),
    ]
    assert [problem.lines() for problem in place_faults("f.yaml", None, Fault("a", "lost"))] == [("f.yaml: lost",)]
    assert "first; second" in str(both)
