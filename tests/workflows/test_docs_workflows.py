"""The workflows that docs/github.md and README.md show run as they stand, by `act` against the fake GitHub.

What a runner has and this machine has not is replaced, and nothing else: the Actions of others have stand-ins, the
image that a release would name is taken out of our own (`runtime: auto` then takes the job itself), and the drift
workflow's push and pull request end in a bare repository and a `gh` that notes what it was asked.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from evalci.cassette.store import load, write
from tests.ci import github_shapes as shapes
from tests.ci.fake_github import JOB_TOKEN, FakeGitHub
from tests.ci.scene import BASE, HEAD, PULL, payload_of
from tests.documents import blocks_of
from tests.doubles import chat_server

from .act import Job, Ran, git
from .conftest import ROOT

pytestmark = pytest.mark.slow

KEY = "sk-the-key-of-the-nightly-run"
SUITE = """\
targets: {bot: {type: shell, cmd: "COMMAND"}}
datasets: [{file: cases.jsonl}]
scorers: [{type: contains, value: good}]
"""
CHAT = """\
targets: {bot: {type: openai-compatible, url: "URL", model: small, api_key_env: OPENAI_API_KEY}}
datasets: [{file: cases.jsonl}]
scorers: [{type: contains, value: good}]
"""
CASES = [f"case-{number}" for number in range(1, 13)]
DROP = "sed s/good.case-7$/bad/"


def shown(page: str, name: str) -> str:
    """The workflow of this name, as a page shows it."""
    (text,) = (
        block.text
        for block in blocks_of(page)
        if block.language == "yaml" and yaml.safe_load(block.text).get("name") == name
    )
    return text


def suite(command: str = "cat") -> dict[str, str]:
    cases = "".join(json.dumps({"id": name, "input": f"good {name}"}) + "\n" for name in CASES)
    return {"evals.yaml": SUITE.replace("COMMAND", command), "cases.jsonl": cases}


@pytest.fixture
def fake() -> Iterator[FakeGitHub]:
    with FakeGitHub() as server:
        yield server
        assert server.violations == []


@pytest.fixture
def job(tools: Path, fake: FakeGitHub, tmp_path: Path) -> Job:
    return Job(tools=tools, fake=fake, root=tmp_path, runtime="auto", image="", released=False)


def run(
    job: Job,
    number: int,
    event: str,
    workflow: str,
    files: Mapping[str, str],
    *,
    of: dict[str, Any] | None = None,
    **more: Any,
) -> Ran:
    """One run of a workflow; `of` is the run that a `workflow_run` event speaks of."""
    payload = payload_of(event, HEAD, **({} if of is None else {"of": of}))
    place = job.root / f"{number}-{event}"
    return job.start(place, event, payload, {**files, ".github/workflows/evals.yml": workflow}, **more)


# --- pull requests, the default branch, the queue, forks ------------------------------------------------------------


def test_a_pull_request_with_the_workflow_of_the_readme_is_green(job: Job) -> None:
    job.fake.add_pull(PULL, head_sha=HEAD, base_sha=BASE)
    ran = run(job, 1, "pull_request", shown("README.md", "evals"), suite())
    assert ran.code == 0, ran.log
    assert ran.said["verdict"] == "passed"
    assert "Evals passed" in ran.summary
    (body,) = job.fake.bodies(PULL)
    assert "Evals passed" in body


def test_a_drop_against_the_default_branch_is_told_on_the_pull_request_and_for_a_fork_by_the_second_workflow(
    job: Job,
) -> None:
    workflow = shown("docs/github.md", "evals")
    pushed = run(job, 1, "push", workflow, suite())
    assert pushed.code == 0, pushed.log
    assert pushed.artifacts == ["evalci-report", "evalci-state"], pushed.log
    green = job.fake.add_run(100, head_sha=BASE)
    job.fake.add_artifact("evalci-state", pushed.uploaded("evalci-state"), green)

    job.fake.add_pull(PULL, head_sha=HEAD, base_sha=BASE)
    ran = run(job, 2, "pull_request", workflow, suite(DROP))
    assert ran.code != 0
    assert [ran.said[name] for name in ("verdict", "exit-code", "total", "failed")] == ["failed", "1", "12", "1"]
    assert "Evals failed" in ran.summary
    (body,) = job.fake.bodies(PULL)
    assert "case-7" in body
    assert "run 100 on main" in body
    assert ran.report()["verdict"]["exit_code"] == 1

    fork = {**shapes.repository(), "id": 99, "full_name": "mallory/evals", "fork": True}
    fork["owner"] = shapes.user("mallory")
    job.fake.add_pull(PULL + 1, head_sha=HEAD, base_sha=BASE, head=fork)
    first = job.fake.add_run(500, head_sha=HEAD, branch="change", event_name="pull_request", head=fork)
    job.fake.add_artifact("evalci-report", ran.uploaded("evalci-report"), first)
    second = run(job, 3, "workflow_run", shown("docs/github.md", "evals comment"), {}, of=first)
    assert second.code == 0, second.log
    (body,) = job.fake.bodies(PULL + 1)
    assert "Evals failed" in body
    assert "/actions/runs/500" in body
    assert len(job.fake.bodies(PULL)) == 1
    assert JOB_TOKEN not in pushed.log + ran.log + second.log


def test_a_merge_queue_is_judged_and_told_nowhere(job: Job) -> None:
    ran = run(job, 1, "merge_group", shown("docs/github.md", "evals"), suite("echo bad"))
    assert ran.code != 0
    assert ran.said["verdict"] == "failed"
    assert ran.artifacts == ["evalci-report"]
    assert job.fake.calls("issues/create-comment") == []


# --- shards ---------------------------------------------------------------------------------------------------------

SHARDS = [f"evalci-report-{index}-of-4" for index in range(1, 5)]


def test_four_green_shards_are_merged_into_one_green_report(job: Job) -> None:
    job.fake.add_pull(PULL, head_sha=HEAD, base_sha=BASE)
    ran = run(job, 1, "pull_request", shown("docs/github.md", "evals sharded"), suite())
    assert ran.code == 0, ran.log
    assert ran.artifacts == ["evalci-report", *SHARDS], ran.log
    said = ran.said_by("evals")
    assert (said["verdict"], said["exit-code"], said["total"], said["passed"]) == ("passed", "0", "12", "12"), ran.log
    counts = [json.loads(ran.uploaded(name)["evals/report.json"])["summary"]["total"] for name in SHARDS]
    assert sum(counts) == 12
    assert max(counts) < 12
    assert [result["case_id"] for result in ran.report()["results"]] == CASES
    (body,) = job.fake.bodies(PULL)
    assert "Evals passed" in body


def test_a_red_shard_makes_the_merging_job_red_and_a_lost_one_is_named(job: Job) -> None:
    job.fake.add_pull(PULL, head_sha=HEAD, base_sha=BASE)
    workflow, files = shown("docs/github.md", "evals sharded"), suite(DROP)
    ran = run(job, 1, "pull_request", workflow, files)
    assert ran.code != 0
    assert ran.artifacts == ["evalci-report", *SHARDS], ran.log
    assert "the job that merges the shards judges the whole" in ran.log
    said = ran.said_by("evals")
    assert (said["verdict"], said["exit-code"], said["total"], said["failed"]) == ("failed", "1", "12", "1"), ran.log
    (body,) = job.fake.bodies(PULL)
    assert "case-7" in body

    # The merging job alone, over what the shards left, but for one of them.
    merging = yaml.safe_load(workflow)
    del merging["jobs"]["shard"], merging["jobs"]["evals"]["needs"]
    for name in (SHARDS[0], SHARDS[1], SHARDS[3]):
        artifact = job.root / "2-pull_request/run/artifacts" / name
        artifact.mkdir(parents=True)
        for file, data in ran.uploaded(name).items():
            (artifact / file).parent.mkdir(parents=True, exist_ok=True)
            (artifact / file).write_bytes(data)
    lost = run(job, 2, "pull_request", yaml.safe_dump(merging).replace("true:", "on:", 1), files)
    assert lost.code != 0
    assert "1 shard missing: 3/4" in lost.log
    assert lost.said["verdict"] != "passed"
    (body,) = job.fake.bodies(PULL)
    assert "1 shard missing: 3/4" in body


# --- the nightly run ------------------------------------------------------------------------------------------------

GH = """\
#!/bin/sh
echo "$*" >> "$RUN_FOLDER/gh.txt"
[ -n "$GH_TOKEN" ]
"""


def record(folder: Path, url: str) -> dict[str, str]:
    """A suite that asks a model, with what the model said when it was recorded: in many files, as if it were a lot."""
    folder.mkdir()
    for name, text in {**suite(), "evals.yaml": CHAT.replace("URL", url)}.items():
        (folder / name).write_text(text)
    command = [sys.executable, "-m", "evalci", "record", "--no-history"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": KEY}
    done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    write(folder / ".evalci", load(folder / ".evalci").recordings, split_above=0)
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_what_the_model_says_differently_at_night_becomes_a_pull_request(job: Job) -> None:
    says: dict[str, str] = {}
    with chat_server(lambda text: says.get(text, text), key=KEY) as (url, asked):
        files = record(job.root / "recorded", url)
        asked.clear()
        says["good case-7"] = "no idea"
        remote = job.root / "remote.git"
        subprocess.run(["git", "init", "-q", "--bare", str(remote)], check=True)
        ran = run(
            job,
            1,
            "schedule",
            shown("docs/github.md", "evals drift"),
            files,
            secrets={"OPENAI_API_KEY": KEY},
            programs={"gh": GH},
            instead={f"https://x-access-token:{JOB_TOKEN}@github.com/{shapes.REPOSITORY}": str(remote)},
        )
    assert ran.code == 0, ran.log
    assert sorted(asked) == sorted(f"good {name}" for name in CASES)
    assert ran.said_by("ask")["verdict"] == "failed", ran.log
    assert ran.artifacts == ["evalci-report", "recordings"]

    # What fits into one file again is in one file, and the many are gone: the old answers would contradict the new.
    proposed = git(remote, "ls-tree", "-r", "--name-only", "evals-drift").split()
    assert [name for name in proposed if name.startswith(".evalci/")] == [".evalci/cassette.jsonl"]
    assert len(proposed) == 4
    cassette = git(remote, "show", "evals-drift:.evalci/cassette.jsonl")
    assert len(cassette.splitlines()) == len(CASES)
    assert cassette.count("no idea") == 1
    assert not any("no idea" in text for text in files.values())
    looked, created = (ran.folder / "gh.txt").read_text().splitlines()
    assert looked.startswith("pr list --head evals-drift ")
    assert created.startswith("pr create --head evals-drift ")
    told = b"".join(data for name in ran.artifacts for data in ran.uploaded(name).values()).decode()
    assert KEY not in ran.log + told + cassette
    assert JOB_TOKEN not in ran.log + told
