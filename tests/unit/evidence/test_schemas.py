import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.evidence_suites import AGREED, run, suite_in

SCHEMAS = {
    name: json.loads((files("evalci.evidence") / f"{name}_schema.json").read_text())
    for name in ("manifest", "statement")
}


@pytest.mark.parametrize("how", ["well", "cached"])
@pytest.mark.parametrize("answers", [None, AGREED], ids=["uncalibrated", "calibrated"])
def test_what_a_run_leaves_fits_the_published_schemas(
    tmp_path: Path, how: str, answers: list[dict[str, Any]] | None
) -> None:
    run(tmp_path, {**suite_in(tmp_path, answers=answers), "BEHAVE": how, "JUDGE": how})
    for name, schema in SCHEMAS.items():
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.Draft202012Validator(schema).validate(json.loads((tmp_path / f"out/{name}.json").read_bytes()))
