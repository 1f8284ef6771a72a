"""What executors are told and what their answers prove, kept as golden rows: `tests/golden/targets/adapter/*.json`."""

import asyncio
import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from evalci.adapters.envelopes import MODES, conditions_of
from evalci.model import TargetError
from tests.adapter_rows import ENVIRON, ROOT, command, shown
from tests.doubles import tools_in
from tests.evidence_suites import tar_gz
from tests.factories import case
from tests.unit.targets.target_rows import settings

ROWS = sorted((ROOT / "targets" / "adapter").glob("*.json"))


@pytest.mark.parametrize("path", ROWS, ids=lambda path: path.stem)
def test_an_executor_proves_what_its_golden_row_has(
    path: Path, tmp_path: Path, golden: Callable[[Path, str], None]
) -> None:
    row = json.loads(path.read_text("utf-8"))
    given = row["given"]
    data = tar_gz({"skill/SKILL.md": b"be careful\n"})
    digest = hashlib.sha256(data).hexdigest()
    (tmp_path / "plugin.tar.gz").write_bytes(data)
    (tmp_path / "plugin.tar.gz.sha256").write_text(digest)
    about = {"archive": "plugin.tar.gz", "command": command(tmp_path, given["says"])}
    executor = settings("adapter", {**about, **given["target"]}).build(tools_in(tmp_path, environ=ENVIRON))
    try:
        output = asyncio.run(executor.ask(case("hidden-id", expected="hidden", **given["case"]), 0))
        assert output.cost_usd is None
        row["want"] = {"text": output.text, "tokens": output.tokens, "request_ids": [*executor.request_ids.values()]}
    except TargetError as exc:
        assert not executor.request_ids
        row["want"] = {"error": str(exc)}
    row["want"]["told"] = told = json.loads((tmp_path / "says.told").read_text("utf-8"))
    assert told.pop("digest", digest) == digest
    assert "hidden" not in json.dumps(told)
    golden(path, shown(row, {digest: "DIGEST", told["plugin_archive"]: "A COPY OF THE ARCHIVE"}))


def test_there_are_rows_of_every_condition_and_mode_that_prove_and_that_do_not() -> None:
    rows = [json.loads(path.read_text("utf-8")) for path in ROWS]
    told = {(row["want"]["told"]["condition"], row["want"]["told"]["mode"], "error" in row["want"]) for row in rows}
    asked = [(condition, mode) for mode in MODES for condition in conditions_of(mode)]
    assert told == {(condition, mode, fails) for condition, mode in asked for fails in (True, False)}
