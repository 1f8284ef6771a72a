"""`docs/gates.md` tells of every gate what its settings are, and its examples can be read."""

import re
from pathlib import Path

import pytest

from evalci.config.decode import Decoder, fields_of
from evalci.config.yaml_nodes import Mapping, Node, Sequence, read_yaml
from evalci.gates import GATES

TEXT = (Path(__file__).parents[3] / "docs" / "gates.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^## (\w+)$\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL))


def below(node: Node | None, key: str) -> Node:
    found = node.get(key) if isinstance(node, Mapping) else None
    assert found is not None, key
    return found


def test_every_gate_has_a_section_and_every_section_a_gate() -> None:
    assert set(SECTIONS) == set(GATES)


@pytest.mark.parametrize("kind", sorted(GATES))
def test_a_section_lists_the_settings_there_are(kind: str) -> None:
    listed = re.findall(r"^\| `(\w+)` \|", SECTIONS[kind], re.MULTILINE)
    assert sorted(listed) == sorted(field.key for field in fields_of(GATES[kind].settings()))
    assert "**Unknown:**" in SECTIONS[kind]


@pytest.mark.parametrize("kind", sorted(GATES))
def test_a_sections_example_is_a_suite_with_that_gate(kind: str) -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", SECTIONS[kind], re.DOTALL)
    root, problems = read_yaml(example.encode(), name="evals.yaml")
    assert not problems
    assert isinstance(root, Mapping)
    assert [entry.key for entry in root.entries] == ["targets", "datasets", "scorers", "run"]
    gates = below(below(root, "run"), "gates")
    assert isinstance(gates, Sequence)
    decoder = Decoder("evals.yaml")
    (gate,) = gates.items
    assert decoder.block(gate, GATES[kind].settings(), "gate", "", ignore=frozenset({"type"})) is not None
    assert f"type: {kind}\n" in example
