"""The scenario through Prism, which checks requests and answers against GitHub's document in its own way.

Prism follows redirects itself, so a download of an artifact cannot go through it; the fake's own check covers that.
"""

import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from . import github_shapes as shapes
from .node_packages import need_packages
from .openapi_check import DATA
from .scene import BASE, DROP, HEAD, PULL, Scene

PRISM = Path(__file__).parent / "prism"


@contextmanager
def checking(api_url: str) -> Iterator[tuple[str, list[str]]]:
    """The address of a proxy before a fake, and what it logs."""
    need_packages(PRISM)
    command = [str(PRISM / "node_modules/.bin/prism"), "proxy", "--errors", "--port", "0"]
    command += [str(DATA / "openapi.json"), api_url]
    log: list[str] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as prism:
        assert prism.stdout is not None
        try:
            address = None
            for line in prism.stdout:
                log.append(line)
                address = re.search(r"listening on (http://[0-9.:]+)", line)
                if address:
                    break
            assert address, log
            reader = threading.Thread(target=log.extend, args=(prism.stdout,))
            reader.start()
            yield address[1], log
        finally:
            prism.terminate()
        reader.join()


@pytest.mark.slow
def test_every_request_and_answer_of_the_scenario_is_as_documented(scene: Scene):
    state = scene.main_was_green()
    scene.fake.artifacts.clear()
    committed = scene.root / ".evalci/baselines/evals/main.json"
    committed.parent.mkdir(parents=True)
    committed.write_bytes(state["evals/baseline.json"])
    red = scene.fake.add_run(101, head_sha=BASE, conclusion="failure")
    scene.fake.add_artifact("evalci-state", state, red)
    fork = shapes.repository("stranger/evals", 99)
    asked = len(scene.fake.asked)

    with checking(scene.fake.api_url) as (address, log):
        for run, sha, command in ((901, HEAD, "cat"), (902, "c" * 40, DROP)):
            scene.arrives("pull_request", run=run, sha=sha)
            scene.environ["GITHUB_API_URL"] = address
            scene.suite(command)
            scene.whole()
        scene.arrives("push", run=903)
        scene.environ["GITHUB_API_URL"] = address
        scene.whole()
        triggering = scene.fake.add_run(500, head_sha=HEAD, branch="theirs", event_name="pull_request", head=fork)
        scene.fake.add_pull(8, head_sha=HEAD, head_ref="theirs", head=fork)
        scene.arrives("workflow_run", run=904, of=triggering)
        scene.environ["GITHUB_API_URL"] = address
        scene.comment("--parts", "1", str(scene.folder))

    assert len(scene.comments) == 1
    assert "1 regressed" in scene.comments[0]
    assert len(scene.fake.bodies(8)) == 1
    assert PULL in scene.fake.pulls
    assert {call.operation for call in scene.fake.asked[asked:]} >= {
        "actions/list-artifacts-for-repo",
        "actions/get-workflow-run",
        "issues/list-labels-on-issue",
        "repos/list-pull-requests-associated-with-commit",
        "users/get-authenticated",
        "pulls/get",
        "pulls/list",
        "issues/list-comments",
        "issues/create-comment",
        "issues/update-comment",
    }
    assert [line for line in log if "VIOLATIONS" in line or "error" in line.lower().split()] == []
