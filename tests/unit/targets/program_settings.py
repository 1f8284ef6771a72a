"""The settings of a program target, read from YAML keys."""

import json
from collections.abc import Mapping
from typing import Any

from evalci.config.decode import Decoder
from evalci.config.yaml_nodes import read_yaml
from evalci.targets.program import Program


def settings(given: Mapping[str, Any]) -> Program:
    """The settings in YAML keys; the lines of the message when they are wrong."""
    root, problems = read_yaml(json.dumps({"type": "program", **given}).encode(), name="evals.yaml")
    assert root is not None
    assert not problems
    decoder = Decoder("evals.yaml")
    found = decoder.block(root, Program, "targets.p", 'target "p": ', ignore=frozenset({"type"}))
    if found is None:
        raise ValueError("\n".join(line for problem in decoder.problems for line in problem.lines()))
    return found
