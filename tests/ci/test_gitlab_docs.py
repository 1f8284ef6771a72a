"""The jobs that docs/gitlab.md shows, run line by line against a fake GitLab: verdicts, reports, and one note."""

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.documents import ROOT, blocks_of

from .fake_gitlab import TOKEN, FakeGitLab
from .scene import DROP, SUITE

WHOLE, SHARDED = (yaml.safe_load(block.text) for block in blocks_of("docs/gitlab.md") if block.language == "yaml")
CASES = "".join(f'{{"id": "{name}", "input": "good {name}"}}\n' for name in ("apple", "pear", "plum", "fig", "lime"))

pytestmark = pytest.mark.slow


@pytest.fixture
def fake() -> Iterator[FakeGitLab]:
    with FakeGitLab() as server:
        yield server
        assert server.violations == []


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose accepted state is committed, and whose change then makes one answer worse."""
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin/evalci"
    command.write_text(f'#!/bin/sh\nPYTHONPATH={shlex.quote(str(ROOT))} exec {sys.executable} -m evalci "$@"\n')
    command.chmod(0o755)
    (tmp_path / ".git").mkdir()
    (tmp_path / "cases.jsonl").write_text(CASES)
    (tmp_path / "evals.yaml").write_text(SUITE.replace("COMMAND", "cat"))
    assert run(tmp_path, ["evalci run evals.yaml --save-baseline main"]) == 0
    (tmp_path / "evals.yaml").write_text(SUITE.replace("COMMAND", DROP))
    return tmp_path


def run(project: Path, script: list[str], fake: FakeGitLab | None = None, **more: str) -> int:
    """A job's script, as a runner of a merge request's pipeline starts it."""
    environ = {"PATH": f"{project / 'bin'}:{os.environ['PATH']}", "CI": "true", "GITLAB_CI": "true"}
    if fake is not None:
        environ |= {"GITLAB_TOKEN": TOKEN, "CI_API_V4_URL": fake.api_url, "CI_PROJECT_PATH": "group/evals"}
        environ |= {"CI_PIPELINE_SOURCE": "merge_request_event", "CI_MERGE_REQUEST_IID": "7", "CI_PIPELINE_ID": "3"}
        environ |= {"CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": "a" * 40, "CI_PROJECT_ID": "17", "CI_DEFAULT_BRANCH": "main"}
    done = subprocess.run(["/bin/sh", "-e", "-c", "\n".join(script)], cwd=project, env={**environ, **more}, check=False)
    return done.returncode


def kept(project: Path, job: dict[str, Any]) -> list[str]:
    """What the job's artifacts and its JUnit report hold."""
    artifacts = job["artifacts"]
    patterns = [f"{path}/**/report.json" for path in artifacts["paths"]]
    patterns += [artifacts["reports"]["junit"]] if "reports" in artifacts else []
    return [path.relative_to(project).as_posix() for pattern in patterns for path in sorted(project.glob(pattern))]


def test_a_merge_request_is_judged_and_told(project: Path, fake: FakeGitLab) -> None:
    job = WHOLE["evals"]
    assert run(project, job["script"], fake) == 1
    (note,) = fake.bodies()
    assert "1 regressed" in note
    assert kept(project, job) == ["evalci-report/evals/report.json", "evalci-report/evals/junit.xml"]


def test_shards_pass_as_parts_and_are_told_in_one_note_as_a_whole(project: Path, fake: FakeGitLab) -> None:
    shards, evals = SHARDED["shards"], SHARDED["evals"]
    count = shards["parallel"]
    for index in range(1, count + 1):
        place = {"CI_NODE_INDEX": str(index), "CI_NODE_TOTAL": str(count)}
        assert run(project, shards["script"], fake, **place) == 0
    assert fake.bodies() == []
    assert len(kept(project, shards)) == count
    assert run(project, evals["script"], fake) == 1
    (note,) = fake.bodies()
    assert "1 regressed" in note
    assert "shard" not in note
    assert kept(project, evals) == ["evalci-report/evals/report.json", "evalci-report/evals/junit.xml"]


def test_both_examples_start_for_merge_requests_and_the_default_branch() -> None:
    assert WHOLE["evals"]["rules"] == SHARDED[".evals"]["rules"]
    assert WHOLE["evals"]["artifacts"] == SHARDED["evals"]["artifacts"]
    assert all(job["extends"] == ".evals" for job in (SHARDED["shards"], SHARDED["evals"]))


def test_without_a_committed_state_nobody_is_sent_after_artifacts(project: Path, fake: FakeGitLab) -> None:
    (project / ".evalci/baselines/evals/main.json").unlink()
    assert run(project, WHOLE["evals"]["script"], fake) == 1
    (note,) = fake.bodies()
    assert "nothing is committed, and artifacts are looked for on GitHub alone" in note
