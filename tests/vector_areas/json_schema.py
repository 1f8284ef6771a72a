"""`json-schema`, as the golden rows have it."""

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.doubles import tools_in
from tests.scoring import Refused, built, score_of


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    with tempfile.TemporaryDirectory() as place:
        name = given.get("schema_file", "schema.json")
        text = given.get("schema_file_text") or json.dumps(given.get("schema"))
        if given.get("file_exists", True):
            (Path(place) / name).parent.mkdir(exist_ok=True)
            (Path(place) / name).write_text(text, "utf-8")
        settings = {"type": "json-schema", "schema": name}
        if want.get("build_error"):
            with pytest.raises(Refused) as refused:
                built(settings, tools_in(Path(place)))
            assert all(text in str(refused.value) for text in want["error_contains"])
            return
        score = score_of(built(settings, tools_in(Path(place))), given["output"])
    assert (score.value, score.passed) == (want["value"], want["passed"])
    assert (score.error is not None) == want["errored"]
    if "reason" in want:
        assert score.reason == (want["reason"] or "")
    assert all(text in score.reason for text in want.get("reason_contains", ()))
    if "pointers_shown" in want:
        shown = [violation.partition(": ")[0] for violation in score.reason.split("; ")]
        assert shown == want["pointers_shown"]
        assert len(shown) == min(want["violation_count"], 3)
