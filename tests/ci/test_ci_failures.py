"""GitHub's failures are not the suite's: the exit code stands; cause and remedy are told once."""

import pytest

from evalci.ci.retry import Patience

from . import github_shapes as shapes
from .scene import BASE, DROP, HEAD, PULL, Scene

STATUSES = (401, 403, 404, 410, 422, 429, 500, 502)
QUICK = (403, 502, "cut")
BROKEN = [pytest.param(how, marks=[] if how in QUICK else [pytest.mark.slow]) for how in (*STATUSES, "silent", "cut")]
# A green verdict and a red one: neither may change.
VERDICTS = [pytest.param("cat", 0, marks=pytest.mark.slow), (DROP, 1)]
MESSAGES = {403: "Resource not accessible by integration", 429: "You have exceeded a secondary rate limit"}
RESTORING = (
    "actions/list-artifacts-for-repo",
    "actions/get-workflow-run",
    "actions/download-artifact",
    "blob",
    "issues/list-labels-on-issue",
)
PUBLISHING = (
    "users/get-authenticated",
    "pulls/get",
    "issues/list-comments",
    "issues/create-comment",
    "issues/update-comment",
)
POSTING = ("actions/list-workflow-run-artifacts", "actions/download-artifact", "blob", "pulls/list")
# What is not there, is gone, or is refused for this one artifact only: it is passed over, and the reason is told.
PASSED_OVER = {
    ("actions/get-workflow-run", 404),
    ("actions/download-artifact", 404),
    ("actions/download-artifact", 410),
    ("blob", 404),
    ("blob", 410),
}
# A job's own token may not ask who it is, and is known by that.
NO_FAILURE = {("users/get-authenticated", 403)}


def break_call(scene: Scene, operation: str, how: int | str) -> None:
    if isinstance(how, int):
        scene.fake.break_call(operation, how, message=MESSAGES.get(how, "no"), times=99)
    else:
        scene.fake.break_call(operation, how=how, times=99)
    if how == "silent":
        scene.patience = Patience(attempts=2, call_seconds=0.2)


def check_told_once(said: str, operation: str, how: int | str) -> None:
    """One line with the cause, and each line of the remedy once."""
    if (operation, how) in NO_FAILURE:
        assert "could not" not in said
        return
    lines = said.splitlines()
    if (operation, how) in PASSED_OVER:
        assert len([line for line in lines if line.startswith("passed over: ")]) == 1
        return
    causes = [line for line in lines if "could not" in line and not line.startswith("  ")]
    assert len(causes) == 1, said
    cause = f"answered {how}" if isinstance(how, int) else {"silent": "in time", "cut": "cut"}[how]
    assert cause in causes[0]
    remedy = [line for line in lines if line.startswith("  ") and "- " not in line]
    assert len(remedy) == len(set(remedy)), said
    # Nothing in a workflow helps against a request that GitHub calls invalid.
    assert remedy or how == 422, said


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("operation", RESTORING)
@pytest.mark.parametrize(("command", "code"), VERDICTS)
def test_a_failure_while_restoring_leaves_the_verdict_to_the_suite(
    scene: Scene, operation: str, how: int | str, command: str, code: int
):
    scene.main_was_green()
    break_call(scene, operation, how)
    scene.suite(command)
    restored, evaluated, published = scene.whole()
    assert (restored.code, evaluated.code, published.code) == (0, code, 0)
    check_told_once(restored.said, operation, how)
    report = scene.report()
    if operation == "issues/list-labels-on-issue":
        assert report["baseline"]["source"].startswith("run 100")
        return
    # Pain 26: nothing is named that could not be read.
    assert "baseline" not in report
    assert report["no_baseline"]
    assert BASE[:12] not in scene.comments[0]


@pytest.mark.parametrize("how", BROKEN)
def test_a_failure_to_find_the_merged_pull_request_is_told(scene: Scene, how: int | str):
    operation = "repos/list-pull-requests-associated-with-commit"
    scene.main_was_green()
    break_call(scene, operation, how)
    scene.arrives("push")
    restored, evaluated, _ = scene.whole()
    assert (restored.code, evaluated.code) == (0, 0)
    check_told_once(restored.said, operation, how)


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("operation", PUBLISHING)
@pytest.mark.parametrize(("command", "code"), VERDICTS)
def test_a_failure_while_publishing_changes_no_exit_code_and_no_output(
    scene: Scene, operation: str, how: int | str, command: str, code: int
):
    scene.main_was_green()
    if operation == "issues/update-comment":
        scene.whole()
        scene.arrives("pull_request", run=901, sha="c" * 40)
        scene.suite(DROP if command == "cat" else "cat")
        code = 1 - code
    else:
        scene.suite(command)
    break_call(scene, operation, how)
    _, evaluated, published = scene.whole()
    assert (evaluated.code, published.code) == (code, 0)
    check_told_once(published.err, operation, how)
    assert scene.outputs["exit-code"] == str(code)
    assert scene.summary.read_text().startswith("### ❌" if code else "### ✅")


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("operation", POSTING)
def test_a_failure_while_posting_for_a_fork_is_told(scene: Scene, operation: str, how: int | str):
    fork = shapes.repository("stranger/evals", 99)
    facts = {"branch": "change", "event_name": "pull_request", "head": fork}
    run = scene.fake.add_run(500, head_sha=HEAD, **facts) | {"pull_requests": []}
    scene.fake.add_pull(PULL, head_sha=HEAD, head_ref="change", head=fork)
    scene.fake.add_artifact(
        "evalci-report", {"evals/error.json": b'{"exit_code": 2, "lines": ["no"], "shard": ""}'}, run
    )
    scene.arrives("workflow_run", run=600, of=run)
    break_call(scene, operation, how)
    step = scene.comment("--parts", "1")
    assert step.code == 0
    assert scene.comments == []
    check_told_once(step.err.replace("passed over", ""), "", how)


def test_with_several_suites_the_remedy_is_told_once(scene: Scene):
    other = scene.root / "other.yaml"
    other.write_text(scene.config.read_text())
    configs = (scene.config, other)
    scene.restore(configs=configs)
    scene.evaluate(configs=configs)
    scene.fake.break_call("*", 403, message=MESSAGES[403], times=99)
    step = scene.publish("--parts", "1")
    assert step.err.count("pull-requests: read") == 1
    assert "evals: comment failed" in step.err
    assert "other: comment failed" in step.err


def test_everything_broken_at_once_is_still_the_suites_exit_code(scene: Scene):
    scene.fake.break_call("*", 401, message="Bad credentials", times=99)
    scene.suite(DROP)
    restored, evaluated, published = scene.whole()
    assert (restored.code, evaluated.code, published.code) == (0, 1, 0)
    assert restored.err.count("GITHUB_TOKEN: ${{ github.token }}") == 1
    assert published.err.count("GITHUB_TOKEN: ${{ github.token }}") == 1
