import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from tests.evidence_suites import run, suite_in

SCHEMAS = {
    name: json.loads((files("evalci.evidence") / f"{name}_schema.json").read_text())
    for name in ("manifest", "statement")
}


@pytest.mark.parametrize("how", ["well", "cached"])
def test_what_a_run_leaves_fits_the_published_schemas(tmp_path: Path, how: str) -> None:
    run(tmp_path, {**suite_in(tmp_path), "BEHAVE": how})
    for name, schema in SCHEMAS.items():
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.Draft202012Validator(schema).validate(json.loads((tmp_path / f"out/{name}.json").read_bytes()))
