"""The Action in a real run of a workflow, by `act`, against the fake GitHub; what cannot be fetched has stand-ins.

Here its steps run in containers, and where there is no Docker. The workflows of the docs run on the host.
"""

import os
from pathlib import Path

import pytest

from tests.ci import github_shapes as shapes
from tests.ci.fake_github import JOB_TOKEN, FakeGitHub
from tests.ci.scene import BASE, HEAD, PULL, payload_of

from .act import SECOND_WORKFLOW, Job

pytestmark = pytest.mark.slow

IMAGE = os.environ.get("EVALCI_IMAGE", "")
needs_image = pytest.mark.skipif(not IMAGE, reason="only scripts/test-container has an image")


@pytest.fixture
def fake():
    with FakeGitHub() as server:
        yield server
        assert server.violations == []


@pytest.fixture(params=[pytest.param("container", marks=needs_image)])
def job(request: pytest.FixtureRequest, tools: Path, fake: FakeGitHub, tmp_path: Path) -> Job:
    return Job(tools=tools, fake=fake, root=tmp_path, runtime=request.param, image=IMAGE)


def everything_but_docker(folder: Path) -> str:
    """A PATH on which all is found that is found here, less what starts containers."""
    folder.mkdir()
    for place in map(Path, os.environ["PATH"].split(os.pathsep)):
        for program in place.iterdir() if place.is_dir() else ():
            if program.name not in ("docker", "podman") and not (folder / program.name).is_symlink():
                (folder / program.name).symlink_to(program)
    return str(folder)


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


@needs_image
def test_with_docker_and_an_image_auto_takes_the_container_unless_the_job_is_in_one(
    tools: Path, fake: FakeGitHub, tmp_path: Path
) -> None:
    job = Job(tools=tools, fake=fake, root=tmp_path, runtime="auto", image=IMAGE)
    ran = job.run("push", payload_of("push", HEAD))
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
