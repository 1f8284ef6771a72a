"""Model configs of adapters and the variables that name them, as the golden rows have them."""

import json
from typing import Any

import pytest

from evalci.errors import EvalciError
from evalci.evidence.models import models_at, models_from_json
from evalci.evidence.suite import archive_path


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    if want["ok"]:
        _load(given)
        return
    with pytest.raises(EvalciError) as caught:
        _load(given)
    assert all(part in str(caught.value) for part in want["error_contains"]), str(caught.value)
    assert caught.value.exit_code in (2, 3)


def _load(given: dict[str, Any]) -> None:
    if "ST_EVAL_MODEL_CONFIG" in given:
        models_at(given["ST_EVAL_MODEL_CONFIG"])
    elif "ST_EVAL_PLUGIN_ARCHIVE" in given:
        archive_path(given["ST_EVAL_PLUGIN_ARCHIVE"])
    else:
        models_from_json(
            json.dumps(given["config"]).encode(), "model-config.json", given["existing_files"].__contains__
        )
