"""What the golden rows say of manifests, with runs of a real suite."""

import asyncio
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from evalci.adapters.call import call_adapter
from evalci.adapters.settings import Adapter
from evalci.evidence.verify import verify
from tests.evidence_suites import run as run_suite
from tests.evidence_suites import suite_in


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    if "stderr" in given:
        _check_stderr(given, want)
        return
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        assert run_suite(place, suite_in(place))[0] == 0
        out = place / "out"
        if given.get("artifact_on_disk_not_in_manifest"):
            (out / "notes.txt").write_text("x")
            (problem,) = verify(out).problems
            assert ("no part of the run" in problem) == (want["part_of_the_run"] is False)
        elif given.get("artifact_bytes_changed_after_run"):
            page = (out / "report.md").read_bytes()
            (out / "report.md").write_bytes(bytes([page[0] ^ 1]) + page[1:])
            assert "report.md: differs: it has SHA-256" in verify(out).problems[0]
        elif "config_has" in given:
            text = (out / "manifest.json").read_text()
            assert ("temperature" in text) == want["config_text_in_manifest"]
            assert bool(json.loads(text)["digests"]["config"]) == want["config_sha256_in_manifest"]
        else:
            record = json.loads((out / "attempts/0001/record.json").read_text())
            assert set(want["fields"]) <= set(record)


def _check_stderr(given: dict[str, Any], want: dict[str, Any]) -> None:
    code = f"import sys; sys.stderr.write({given['stderr']!r})"
    adapter = Adapter(command=(sys.executable, "-c", code), pass_env=tuple(given["pass_env"]))
    called = asyncio.run(call_adapter(adapter, {}, dict.fromkeys(given["pass_env"], given["env_value"])))
    assert want["stored_stderr_lacks"] not in called.stderr
    assert ("[redacted]" in called.stderr) == want["redaction"]
