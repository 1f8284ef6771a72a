"""A run of a workflow by `act` with the Action of this checkout; what cannot be fetched has stand-ins."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.ci import github_shapes as shapes
from tests.ci.fake_github import JOB_TOKEN, FakeGitHub

from .conftest import ROOT

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


@dataclass
class Job:
    """A repository with a suite and its workflows, and the runner."""

    tools: Path
    fake: FakeGitHub
    root: Path
    runtime: str
    image: str
    # Podman's `docker` stands before a client that has no engine.
    path: str = f"/usr/bin:{os.environ['PATH']}"
    ours: Path = ROOT

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
        shutil.copytree(self.ours / "evalci", ours / "evalci", ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("action", "comment"):
            shutil.copytree(self.ours / name, ours / name)
        for name in ("action.yml", "requirements.lock"):
            shutil.copy(self.ours / name, ours / name)
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


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)
