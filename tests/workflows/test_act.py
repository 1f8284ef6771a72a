"""The Action in a real run of a workflow, by `act`, against the fake GitHub; what cannot be fetched has stand-ins."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.ci import github_shapes as shapes
from tests.ci.fake_github import JOB_TOKEN, FakeGitHub
from tests.ci.scene import BASE, HEAD, PULL, payload_of

from .conftest import ROOT

pytestmark = pytest.mark.slow

IMAGE = os.environ.get("EVALCI_IMAGE", "")
RUNTIMES = [
    "host",
    pytest.param("container", marks=pytest.mark.skipif(not IMAGE, reason="only scripts/test-container has an image")),
]
WORKFLOW = """
name: evals
on: [pull_request, push, merge_group]
permissions: {contents: read, actions: read, pull-requests: write}
jobs:
  evals:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1
      - id: evals
        uses: org/evalci@v1
        with: {runtime: RUNTIME, image: "IMAGE"}
      - if: always()
        env: {SAID: "${{ toJSON(steps.evals.outputs) }}"}
        run: echo "$SAID" > "$RUN_FOLDER/outputs.json"
"""
SUITE = """
targets: {bot: {type: shell, cmd: COMMAND}}
datasets: [{file: cases.jsonl}]
scorers: [{type: contains, value: good}]
"""
# Stand for actions/upload-artifact and actions/cache.
UPLOAD = """
name: upload
description: Copies instead of uploading.
inputs: {name: {}, path: {}}
runs:
  using: composite
  steps:
    - shell: bash
      env: {NAME: "${{ inputs.name }}", WHAT: "${{ inputs.path }}"}
      run: |
        set -eu
        mkdir -p "$RUN_FOLDER/artifacts/$NAME"
        while IFS= read -r path; do
          case "$path" in
            evalci-report | evalci-report/state) cp -R "$GITHUB_WORKSPACE/$path/." "$RUN_FOLDER/artifacts/$NAME/" ;;
            "" | !*) ;;
            *) echo "what is $path?"; exit 1 ;;
          esac
        done <<< "$WHAT"
"""
NOTHING = """
name: nothing
description: Neither finds nor keeps anything.
inputs: {path: {}, key: {}, restore-keys: {}}
runs:
  using: composite
  steps: [{shell: bash, run: "true"}]
"""


@dataclass
class Ran:
    """What a workflow came to."""

    code: int
    log: str
    folder: Path

    @property
    def outputs(self) -> dict[str, Any]:
        return json.loads((self.folder / "outputs.json").read_text())

    @property
    def summary(self) -> str:
        """As the runner shows it; a step sees no summary but its own."""
        return self.log.partition("Summary - ")[2]

    @property
    def artifacts(self) -> list[str]:
        return sorted(path.name for path in (self.folder / "artifacts").glob("*"))

    def report(self) -> dict[str, Any]:
        return json.loads((self.folder / "artifacts/evalci-report/evals/report.json").read_text())


@pytest.fixture
def fake():
    with FakeGitHub() as server:
        yield server
        assert server.violations == []


@dataclass
class Job:
    """A repository with a suite and the workflow, and the runner."""

    tools: Path
    fake: FakeGitHub
    root: Path
    runtime: str

    def run(self, event: str, payload: dict[str, Any], *, command: str = "cat") -> Ran:
        project, run = self.root / "project", self.root / "run"
        for folder in (project / ".github/workflows", run):
            folder.mkdir(parents=True)
        image = IMAGE if self.runtime == "container" else ""
        (project / ".github/workflows/evals.yml").write_text(
            WORKFLOW.replace("RUNTIME", self.runtime).replace("IMAGE", image)
        )
        (project / "evals.yaml").write_text(SUITE.replace("COMMAND", command))
        (project / "cases.jsonl").write_text('{"id": "a", "input": "good a"}\n{"id": "b", "input": "good b"}\n')
        git(project, "init", "-q", "-b", "main")
        git(project, "remote", "add", "origin", f"https://github.com/{shapes.REPOSITORY}.git")
        git(project, "add", ".")
        git(project, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "all")
        (run / "event.json").write_text(json.dumps(payload))
        done = subprocess.run(
            self._command(event, run), cwd=project, env=self._environ(), capture_output=True, text=True
        )
        return Ran(done.returncode, done.stdout + done.stderr, run)

    def _command(self, event: str, run: Path) -> list[str]:
        given = {"GITHUB_API_URL": self.fake.api_url, "RUN_FOLDER": str(run), "RUNNER_TEMP": str(self.root / "temp")}
        given |= {"GITHUB_REPOSITORY_ID": str(shapes.REPOSITORY_ID)}
        given |= {name: os.environ[name] for name in os.environ if name.startswith("CONTAINERS_")}
        command = [str(self.tools / "act"), event, "-e", str(run / "event.json"), "-P", "ubuntu-latest=-self-hosted"]
        command += ["--action-offline-mode", "-s", f"GITHUB_TOKEN={JOB_TOKEN}"]
        for name, value in given.items():
            command += ["--env", f"{name}={value}"]
        for name, folder in self._local_actions().items():
            command += ["--local-repository", f"{name}={folder}"]
        (self.root / "temp").mkdir()
        return command

    def _local_actions(self) -> dict[str, Path]:
        """Our own as it lies here, and stand-ins under the very commits that action.yml names."""
        ours = self.root / "evalci"
        shutil.copytree(ROOT / "evalci", ours / "evalci", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(ROOT / "action", ours / "action")
        for name in ("action.yml", "requirements.lock"):
            shutil.copy(ROOT / name, ours / name)
        upload, cache = self.root / "upload", self.root / "cache"
        upload.mkdir()
        (upload / "action.yml").write_text(UPLOAD)
        for name in ("restore", "save"):
            (cache / name).mkdir(parents=True)
            (cache / name / "action.yml").write_text(NOTHING)
        return {
            "org/evalci@v1": ours,
            "actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f": upload,
            "actions/cache@27d5ce7f107fe9357f9df03efb73ab90386fccae": cache,
        }

    def _environ(self) -> dict[str, str]:
        home = self.root / "home"
        home.mkdir()
        # Podman's `docker` stands before a client that has no engine.
        return {
            **os.environ,
            "HOME": str(home),
            "XDG_CACHE_HOME": str(home / ".cache"),
            "PATH": f"/usr/bin:{os.environ['PATH']}",
        }


@pytest.fixture(params=RUNTIMES)
def job(request: pytest.FixtureRequest, tools: Path, fake: FakeGitHub, tmp_path: Path) -> Job:
    return Job(tools=tools, fake=fake, root=tmp_path, runtime=request.param)


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


@pytest.mark.parametrize(("command", "verdict", "exit_code"), [("cat", "passed", "0"), ("echo bad", "failed", "1")])
def test_a_pull_request_gets_outputs_summary_artifact_and_comment(
    job: Job, command: str, verdict: str, exit_code: str
) -> None:
    job.fake.add_pull(PULL, head_sha=HEAD, base_sha=BASE)
    ran = job.run("pull_request", payload_of("pull_request", HEAD), command=command)
    assert (ran.code == 0) == (verdict == "passed"), ran.log
    assert (ran.outputs["verdict"], ran.outputs["exit-code"]) == (verdict, exit_code), ran.log
    assert ran.artifacts == ["evalci-report"]
    assert ran.report()["verdict"]["exit_code"] == int(exit_code)
    assert f"Evals {verdict}" in ran.summary
    (body,) = job.fake.bodies(PULL)
    assert body.startswith("<!-- evalci:1 ")
    assert JOB_TOKEN not in ran.log


def test_a_fork_gets_a_report_and_leaves_the_comment_to_the_second_workflow(job: Job) -> None:
    fork = {
        **shapes.repository(),
        "id": 99,
        "full_name": "mallory/evals",
        "fork": True,
        "owner": shapes.user("mallory"),
    }
    job.fake.add_pull(PULL, head_sha=HEAD, base_sha=BASE, head=fork)
    ran = job.run("pull_request", payload_of("pull_request", HEAD, head=fork), command="echo bad")
    assert ran.code != 0
    assert ran.outputs["verdict"] == "failed"
    assert ran.artifacts == ["evalci-report"]
    assert "Evals failed" in ran.summary
    assert job.fake.bodies(PULL) == []
    assert "this event's token cannot write" in ran.log


def test_a_green_push_to_the_default_branch_keeps_its_state(job: Job) -> None:
    ran = job.run("push", payload_of("push", HEAD))
    assert ran.code == 0, ran.log
    assert ran.artifacts == ["evalci-report", "evalci-state"], ran.log
    assert (ran.folder / "artifacts/evalci-state/evals/baseline.json").is_file()


def test_a_merge_queue_is_judged_and_told_nowhere(job: Job) -> None:
    ran = job.run("merge_group", payload_of("merge_group", HEAD), command="echo bad")
    assert ran.code != 0
    assert ran.artifacts == ["evalci-report"]
    assert job.fake.calls("issues/create-comment") == []
