"""A run of a workflow by `act` with the Action of this checkout; what cannot be fetched has stand-ins."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.ci import github_shapes as shapes
from tests.ci.fake_github import JOB_TOKEN, FakeGitHub

from .conftest import ROOT

HERE = Path(__file__).parent
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
        with: {runtime: RUNTIME, image: "IMAGE", target: bot}
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
targets: {bot: {type: shell, cmd: COMMAND}, other: {type: shell, cmd: "false"}}
datasets: [{file: cases.jsonl}]
scorers: [{type: contains, value: good}]
"""
# Stand for actions/upload-artifact, actions/download-artifact and actions/cache.
UPLOAD = """
name: upload
description: Copies instead of uploading.
inputs: {name: {}, path: {}, include-hidden-files: {default: "false"}}
runs:
  using: composite
  steps:
    - shell: bash
      env: {NAME: "${{ inputs.name }}", WHAT: "${{ inputs.path }}", HIDDEN: "${{ inputs.include-hidden-files }}"}
      run: python3 "$GITHUB_ACTION_PATH/artifacts.py" upload
"""
DOWNLOAD = """
name: download
description: Copies what was kept.
inputs: {name: {}, pattern: {}, path: {}}
runs:
  using: composite
  steps:
    - shell: bash
      env: {NAME: "${{ inputs.name }}", PATTERN: "${{ inputs.pattern }}", WHAT: "${{ inputs.path }}"}
      run: python3 "$GITHUB_ACTION_PATH/artifacts.py" download
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
    def said(self) -> dict[str, str]:
        """What steps told as outputs, the last of each name."""
        return self.said_by("")

    def said_by(self, job: str) -> dict[str, str]:
        """The same of one job of the workflow."""
        return dict(re.findall(rf"^\[[^]]*/{job}[^]]*\].*::set-output:: (\S+)=(.*)$", self.log, re.MULTILINE))

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
    # Whether the image counts that the last release wrote into the Actions; a machine without it cannot pull it.
    released: bool = True

    def run(self, event: str, payload: dict[str, Any], *, command: str = "cat", workflow: str = WORKFLOW) -> Ran:
        """An event of a repository that holds the suite of this file."""
        place = self.root / f"{event}-run"
        workflow = workflow.replace("RUNTIME", self.runtime).replace("IMAGE", self.image)
        cases = '{"id": "a", "input": "good a"}\n{"id": "b", "input": "good b"}\n'
        files = {"evals.yaml": SUITE.replace("COMMAND", command), "cases.jsonl": cases}
        return self.start(place, event, payload, files | {".github/workflows/evals.yml": workflow})

    def start(
        self,
        place: Path,
        event: str,
        payload: dict[str, Any],
        files: Mapping[str, str],
        *,
        secrets: Mapping[str, str] | None = None,
        programs: Mapping[str, str] | None = None,
        instead: Mapping[str, str] | None = None,
    ) -> Ran:
        """An event of a repository that holds these files. `place` gets a folder for each part of the scene.

        `programs` go before those of the machine, and `instead` says which repositories git takes for others.
        """
        project, run, home, programs_folder = (place / name for name in ("project", "run", "home", "bin"))
        for folder in (project, run, home, programs_folder):
            folder.mkdir(parents=True, exist_ok=True)
        for name, text in (programs or {}).items():
            (programs_folder / name).write_text(text)
            (programs_folder / name).chmod(0o755)
        for address, local in (instead or {}).items():
            git(home, "config", "--file", ".gitconfig", f"url.{local}.insteadOf", address)
        for name, text in files.items():
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            (project / name).write_text(text)
        git(project, "init", "-q", "-b", "main")
        git(project, "remote", "add", "origin", f"https://github.com/{shapes.REPOSITORY}.git")
        git(project, "add", ".")
        git(project, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "all")
        (run / "event.json").write_text(json.dumps(payload))
        environ = {"HOME": str(home), "XDG_CACHE_HOME": str(home / ".cache")}
        environ["PATH"] = f"{programs_folder}:{self.path}"
        # What the Action installs is fetched once for all tests, and compiled only as far as it is used.
        environ |= {"PIP_CACHE_DIR": str(ROOT / ".cache" / "pip"), "PIP_NO_COMPILE": "1"}
        done = subprocess.run(
            self._command(event, place, secrets or {}),
            cwd=project,
            env={**os.environ, **environ},
            capture_output=True,
            text=True,
            check=False,
        )
        return Ran(done.returncode, done.stdout + done.stderr, run)

    def _command(self, event: str, place: Path, secrets: Mapping[str, str]) -> list[str]:
        given = {"GITHUB_API_URL": self.fake.api_url, "GITHUB_REPOSITORY_ID": str(shapes.REPOSITORY_ID)}
        given |= {"RUN_FOLDER": str(place / "run")}
        given |= {name: os.environ[name] for name in os.environ if name.startswith("CONTAINERS_")}
        payload = str(place / "run/event.json")
        command = [str(self.tools / "act"), event, "-e", payload, "-P", "ubuntu-latest=-self-hosted"]
        command += ["--action-offline-mode"]
        for name, value in {"GITHUB_TOKEN": JOB_TOKEN, **secrets}.items():
            command += ["-s", f"{name}={value}"]
        for name, value in given.items():
            command += ["--env", f"{name}={value}"]
        for name, folder in self._local_actions(place / "actions").items():
            command += ["--local-repository", f"{name}={folder}"]
        return command

    def _local_actions(self, place: Path) -> dict[str, Path]:
        """Our own as it lies here, and stand-ins under the very commits that action.yml and the docs name."""
        ours, cache = place / "evalci", place / "cache"
        shutil.copytree(self.ours / "evalci", ours / "evalci", ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("action", "comment"):
            shutil.copytree(self.ours / name, ours / name)
        for name in ("action.yml", "requirements.lock"):
            shutil.copy(self.ours / name, ours / name)
        if self.image:  # the second Action takes no other than the one that a release names
            text = (ours / "comment/action.yml").read_text()
            (ours / "comment/action.yml").write_text(
                re.sub("RELEASED_IMAGE: .*", f'RELEASED_IMAGE: "{self.image}"', text)
            )
        if not self.released:
            for file in (ours / "action.yml", ours / "comment/action.yml"):
                file.write_text(re.sub(r"RELEASED_IMAGE: .*", 'RELEASED_IMAGE: ""', file.read_text()))
        for name, text in {"upload": UPLOAD, "download": DOWNLOAD}.items():
            (place / name).mkdir()
            (place / name / "action.yml").write_text(text)
            shutil.copy(HERE / "stand_ins/artifacts.py", place / name)
        for name in ("restore", "save"):
            (cache / name).mkdir(parents=True)
            (cache / name / "action.yml").write_text(NOTHING)
        return {
            "org/evalci@v1": ours,
            "actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f": place / "upload",
            "actions/download-artifact@3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c": place / "download",
            "actions/cache@27d5ce7f107fe9357f9df03efb73ab90386fccae": cache,
        }


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout
