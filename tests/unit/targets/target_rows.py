"""Settings of a target out of a golden row, read as a config's block is read."""

import json
from collections.abc import Mapping
from typing import Any

from evalci.config.decode import Decoder
from evalci.config.yaml_nodes import read_yaml
from evalci.targets import TARGETS


def settings(kind: str, given: Mapping[str, Any]) -> Any:
    root, problems = read_yaml(json.dumps({**given, "type": kind}).encode(), name="evals.yaml")
    assert root is not None
    assert not problems
    decoder = Decoder("evals.yaml")
    found = decoder.block(root, TARGETS[kind].settings(), "targets.t", 'target "t": ', ignore=frozenset({"type"}))
    assert found is not None, decoder.problems
    return found
