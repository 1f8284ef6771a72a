"""Forty hostile programs: each ends in time and for the right reason, none is left running, and the run goes on."""

import asyncio
import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.doubles import tools_in
from tests.factories import case
from tests.hostile.forty import FORTY, LIMIT, Hostile
from tests.programs import alive
from tests.unit.targets.program_settings import settings

pytestmark = pytest.mark.slow
STDIN = "in" * 150_000
PEAK_MB = 200
# The run, and how much memory it had at most. Not from `resource`: that counts what the parent had before the exec.
RUN = """\
import os, sys
from evalci.cli import main
code = main(sys.argv[2:], stdin=sys.stdin, stdout=sys.stdout, stderr=sys.stderr, environ=os.environ)
status = open("/proc/self/status").read()
open(sys.argv[1], "w").write(status.partition("VmHWM:")[2].split()[0])
raise SystemExit(code)
"""


@pytest.fixture
def marker() -> Iterator[str]:
    name = f"marker-{uuid.uuid4().hex}"
    yield name
    assert alive(name) == [], "something is left running"


def test_there_are_forty_of_them() -> None:
    assert len({program.name for program in FORTY}) == len(FORTY) == 40


@pytest.mark.parametrize("program", FORTY, ids=lambda program: program.name)
def test_it_ends_in_time_for_the_right_reason_and_leaves_nothing(program: Hostile, tmp_path: Path, marker: str) -> None:
    given = program.target(tmp_path, marker)
    limit = given["limits"]["timeout_seconds"]
    target = settings(given).build(tools_in(tmp_path, environ={**os.environ, "EVALCI_TEST": marker}))
    began = time.monotonic()
    output = asyncio.run(target.ask(case("c1", input=STDIN), 0))
    took = time.monotonic() - began
    told: Any = output.program
    assert told["reason"] == program.reason, told
    assert took < limit + 1
    assert told["timed_out"] is (program.reason == "timeout")
    assert told["working_dir"] is None or not Path(told["working_dir"]).exists()
    assert alive(marker) == []


def test_a_run_of_them_all_goes_on_to_its_end_in_little_memory(tmp_path: Path, marker: str) -> None:
    targets = {program.name: program.target(tmp_path, marker) for program in FORTY}
    targets["not-there"] = {"type": "program", "path": "no/such/file"}
    targets["behaves"] = {"type": "program", "path": "behaves.py"}
    (tmp_path / "behaves.py").write_text("print('well')")
    (tmp_path / "cases.jsonl").write_text(json.dumps({"id": "c1", "input": STDIN}) + "\n")
    suite = {
        "targets": targets,
        "datasets": [{"file": "cases.jsonl"}],
        "scorers": [{"type": "contains", "value": ""}],
        "run": {"matrix": list(targets)},
    }
    (tmp_path / "evals.yaml").write_text(json.dumps(suite))
    words = ["run", str(tmp_path / "evals.yaml"), "--no-history", "--json", str(tmp_path / "report.json")]
    words += ["--junit", str(tmp_path / "report.xml"), "--markdown", str(tmp_path / "report.md")]
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(tmp_path / "peak"), *words],
        env={**os.environ, "EVALCI_TEST": marker},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    took = time.monotonic() - began
    assert done.returncode == 1, done.stderr
    arms = {
        arm["suite"]["target"]: arm["results"][0] for arm in json.loads((tmp_path / "report.json").read_text())["arms"]
    }
    assert list(arms) == list(targets)
    reasons = {name: result["scores"][0]["metadata"]["reason"] for name, result in arms.items() if result["scores"]}
    wanted = {program.name: program.reason for program in FORTY}
    assert reasons == {**wanted, "behaves": "success"}
    assert arms["not-there"]["error"] == "Program file not found: no/such/file"
    assert arms["behaves"]["status"] == "passed"
    assert took < len(FORTY) * (LIMIT + 1)
    assert "\x1b[2J" not in done.stdout
    peak = int((tmp_path / "peak").read_text()) / 1024
    assert peak < PEAK_MB, f"{peak:.0f} MB"
    print(f"peak {peak:.0f} MB in {took:.0f} s")
