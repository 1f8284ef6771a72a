"""The Action in a real run of a workflow, by `act`, against the fake GitHub; what cannot be fetched has stand-ins."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass, replace
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
SECOND_WORKFLOW = """
name: evals comment
on: {workflow_run: {workflows: [evals], types: [completed]}}
permissions: {}
jobs:
  comment:
    if: github.event.workflow_run.event == 'pull_request'
    runs-on: ubuntu-latest
    permissions: {actions: read, pull-requests: write}
    steps:
      - uses: org/evalci/comment@v1
        with: {runtime: RUNTIME}
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

    def uploaded(self, name: str) -> dict[str, bytes]:
        """The files of an artifact."""
        top = self.folder / "artifacts" / name
        return {path.relative_to(top).as_posix(): path.read_bytes() for path in top.rglob("*") if path.is_file()}

    def report(self) -> dict[str, Any]:
        return json.loads((self.folder / "artifacts/evalci-report/evals/report.json").read_text())


@pytest.fixture
def fake():
    with FakeGitHub() as server:
        yield server
        assert server.violations == []


@dataclass
class Job:
    """A repository with a suite and its workflows, and the runner."""

    tools: Path
    fake: FakeGitHub
    root: Path
    runtime: str
    image: str
    path: str

    def run(self, event: str, payload: dict[str, Any], *, command: str = "cat", workflow: str = WORKFLOW) -> Ran:
        place = self.root / f"{event}-run"
        project, run = place / "project", place / "run"
        for folder in (project / ".github/workflows", run, place / "temp", place / "home"):
            folder.mkdir(parents=True)
        (project / ".github/workflows/evals.yml").write_text(
            workflow.replace("RUNTIME", self.runtime).replace("IMAGE", self.image)
        )
        (project / "evals.yaml").write_text(SUITE.replace("COMMAND", command))
        (project / "cases.jsonl").write_text('{"id": "a", "input": "good a"}\n{"id": "b", "input": "good b"}\n')
        git(project, "init", "-q", "-b", "main")
        git(project, "remote", "add", "origin", f"https://github.com/{shapes.REPOSITORY}.git")
        git(project, "add", ".")
        git(project, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "all")
        (run / "event.json").write_text(json.dumps(payload))
        home = {"HOME": str(place / "home"), "XDG_CACHE_HOME": str(place / "home/.cache"), "PATH": self.path}
        done = subprocess.run(
            self._command(event, place),
            cwd=project,
            env={**os.environ, **home},
            capture_output=True,
            text=True,
            check=False,
        )
        return Ran(done.returncode, done.stdout + done.stderr, run)

    def _command(self, event: str, place: Path) -> list[str]:
        given = {"GITHUB_API_URL": self.fake.api_url, "GITHUB_REPOSITORY_ID": str(shapes.REPOSITORY_ID)}
        given |= {"RUN_FOLDER": str(place / "run"), "RUNNER_TEMP": str(place / "temp")}
        given |= {name: os.environ[name] for name in os.environ if name.startswith("CONTAINERS_")}
        payload = str(place / "run/event.json")
        command = [str(self.tools / "act"), event, "-e", payload, "-P", "ubuntu-latest=-self-hosted"]
        command += ["--action-offline-mode", "-s", f"GITHUB_TOKEN={JOB_TOKEN}"]
        for name, value in given.items():
            command += ["--env", f"{name}={value}"]
        for name, folder in self._local_actions(place / "actions").items():
            command += ["--local-repository", f"{name}={folder}"]
        return command

    def _local_actions(self, place: Path) -> dict[str, Path]:
        """Our own as it lies here, and stand-ins under the very commits that action.yml names."""
        ours, upload, cache = place / "evalci", place / "upload", place / "cache"
        shutil.copytree(ROOT / "evalci", ours / "evalci", ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("action", "comment"):
            shutil.copytree(ROOT / name, ours / name)
        for name in ("action.yml", "requirements.lock"):
            shutil.copy(ROOT / name, ours / name)
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


@pytest.fixture(params=RUNTIMES)
def job(request: pytest.FixtureRequest, tools: Path, fake: FakeGitHub, tmp_path: Path) -> Job:
    # Podman's `docker` stands before a client that has no engine.
    path = f"/usr/bin:{os.environ['PATH']}"
    image = IMAGE if request.param == "container" else ""
    return Job(tools=tools, fake=fake, root=tmp_path, runtime=request.param, image=image, path=path)


def everything_but_docker(folder: Path) -> str:
    """A PATH on which all is found that is found here, less what starts containers."""
    folder.mkdir()
    for place in map(Path, os.environ["PATH"].split(os.pathsep)):
        for program in place.iterdir() if place.is_dir() else ():
            if program.name not in ("docker", "podman") and not (folder / program.name).is_symlink():
                (folder / program.name).symlink_to(program)
    return str(folder)


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


@pytest.mark.parametrize("docker", ["not there", "a client without an engine"])
def test_without_docker_the_job_itself_is_where_evalci_runs(
    tools: Path, fake: FakeGitHub, tmp_path: Path, docker: str
) -> None:
    path = everything_but_docker(tmp_path / "bin")
    if docker != "not there":
        client = tmp_path / "bin/docker"
        client.write_text("#!/bin/sh\necho Cannot connect to the Docker daemon. Is it running? >&2\nexit 1\n")
        client.chmod(0o755)
    fake.add_pull(PULL, head_sha=HEAD, base_sha=BASE)
    job = Job(tools=tools, fake=fake, root=tmp_path, runtime="auto", image="localhost/evalci:none", path=path)
    ran = job.run("pull_request", payload_of("pull_request", HEAD), command="echo bad")
    assert "evalci runs in the job itself: there is no Docker here" in ran.log, ran.log
    assert ran.code != 0
    assert (ran.outputs["verdict"], ran.outputs["exit-code"]) == ("failed", "1"), ran.log
    assert ran.artifacts == ["evalci-report"]
    assert len(fake.bodies(PULL)) == 1


@pytest.mark.skipif(not IMAGE, reason="only scripts/test-container has an image")
def test_with_docker_and_an_image_auto_takes_the_container_unless_the_job_is_in_one(job: Job) -> None:
    ran = replace(job, runtime="auto", image=IMAGE).run("push", payload_of("push", HEAD))
    assert ran.code == 0, ran.log
    in_one = "evalci runs in the job itself: the job itself runs in a container" in ran.log
    assert in_one == Path("/.dockerenv").exists()
    assert (ran.folder / "artifacts/evalci-state/evals/baseline.json").is_file()


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

    first = job.fake.add_run(500, head_sha=HEAD, branch="change", event_name="pull_request", head=fork)
    job.fake.add_artifact("evalci-report", ran.uploaded("evalci-report"), first)
    second = job.run("workflow_run", payload_of("workflow_run", HEAD, of=first), workflow=SECOND_WORKFLOW)
    assert second.code == 0, second.log
    (body,) = job.fake.bodies(PULL)
    assert body.startswith("<!-- evalci:1 ")
    assert "Evals failed" in body
    assert "/actions/runs/500" in body
    assert JOB_TOKEN not in second.log


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
