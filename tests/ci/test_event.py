"""Each event of a CI, from real payloads: which commit, which pull request, whose token."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.ci.event import CiEnvironment, Provider, Shard, ci_environment, read_event_file

from .github_shapes import event as payload_of

MERGE_SHA = "e" * 40
ACTIONS = {
    "GITHUB_ACTIONS": "true",
    "CI": "true",
    "GITHUB_REPOSITORY": "Codertocat/Hello-World",
    "GITHUB_REPOSITORY_ID": "186853002",
    "GITHUB_SHA": MERGE_SHA,
    "GITHUB_REF": "refs/pull/2/merge",
    "GITHUB_REF_NAME": "2/merge",
    "GITHUB_RUN_ID": "30433642",
    "GITHUB_RUN_ATTEMPT": "3",
    "GITHUB_JOB": "evals",
    "GITHUB_WORKFLOW_REF": "Codertocat/Hello-World/.github/workflows/evals.yml@refs/heads/master",
    "GITHUB_API_URL": "https://ghe.example.test/api/v3",
    "GITHUB_SERVER_URL": "https://ghe.example.test",
    "GITHUB_STEP_SUMMARY": "/r/summary",
    "GITHUB_OUTPUT": "/r/output",
    "ACTIONS_CACHE_MODE": "read",
}
ON_MASTER = {"GITHUB_REF": "refs/heads/master", "GITHUB_REF_NAME": "master"}


def github(event: str, payload: Any = None, **environ: str) -> CiEnvironment:
    text = None if payload is None else json.dumps(payload)
    return ci_environment({**ACTIONS, "GITHUB_EVENT_NAME": event, **environ}, text)


def fork_payload() -> dict[str, Any]:
    """No example of a fork is published: the real payload with another head repository."""
    payload = payload_of("pull_request")
    head = payload["pull_request"]["head"]
    head["repo"] = {**head["repo"], "id": 99, "full_name": "stranger/Hello-World"}
    return payload


def test_a_pull_request_speaks_of_the_pushed_commit_not_of_the_merge():
    found = github("pull_request", payload_of("pull_request"))
    assert found.head_sha == "ec26c3e57ca3a959ca5aad62de7213c562f8c821"
    assert (found.pull_request, found.head_ref, found.base_ref) == (2, "changes", "master")
    assert found.base_sha == "f95f852bd8fca8fcc58a9a2d6c842781e32a215e"
    assert (found.is_fork, found.read_only, found.on_default_branch, found.is_public) == (False, False, False, True)
    assert (found.run_id, found.attempt, found.workflow_path) == (30433642, 3, ".github/workflows/evals.yml")
    assert (found.summary_path, found.output_path, found.cache_mode) == ("/r/summary", "/r/output", "read")
    assert found.notes == ()


def test_pain_33_the_addresses_are_those_of_the_server_that_runs_us():
    """onyxmueller/build-tag-number#27."""
    found = github("push", payload_of("push"))
    assert (found.api_url, found.server_url) == ("https://ghe.example.test/api/v3", "https://ghe.example.test")


def test_pain_35_the_cache_mode_is_known_before_anything_is_saved():
    """actions/cache#1768: a read-only cache is a fact, not a failure."""
    assert github("pull_request", payload_of("pull_request")).cache_mode == "read"


def test_a_fork_and_dependabot_have_a_read_only_token():
    found = github("pull_request", fork_payload())
    assert (found.is_fork, found.read_only) == (True, True)
    found = github("pull_request", payload_of("pull_request"), GITHUB_ACTOR="dependabot[bot]")
    assert (found.is_fork, found.read_only) == (False, True)


def test_a_deleted_fork_is_a_fork():
    payload = payload_of("pull_request")
    payload["pull_request"]["head"]["repo"] = None
    found = github("pull_request", payload)
    assert (found.is_fork, found.head_sha) == (True, "ec26c3e57ca3a959ca5aad62de7213c562f8c821")


def test_pull_request_target_has_a_token_that_writes():
    found = github("pull_request_target", fork_payload())
    assert (found.is_fork, found.read_only) == (True, False)


def test_labels_come_with_the_event():
    payload = payload_of("pull_request")
    payload["pull_request"]["labels"] = [{"name": "evalci: accept"}, {"name": 3}, None]
    assert github("pull_request", payload).labels == ("evalci: accept",)


def test_pain_31_a_merge_group_has_no_pull_request():
    """mheap/github-action-required-labels#66."""
    found = github("merge_group", payload_of("merge_group"))
    assert found.pull_request is None
    assert found.head_sha == "2ffea6db159f6b6c47a24e778fb9ef40cf6b1c7d"
    assert (found.base_ref, found.base_sha) == ("main", "380387fbc80638b734a49e1be1c4dfec1c01b33c")
    assert found.on_default_branch is False


def test_a_push_of_a_new_branch_has_no_commit_before_it():
    found = github("push", payload_of("push"), **ON_MASTER)
    assert (found.base_sha, found.pull_request, found.on_default_branch) == (None, None, True)
    assert (found.head_sha, found.base_ref) == (MERGE_SHA, "master")


def test_a_push_to_another_branch_or_a_tag_is_not_the_default_branch():
    payload = {**payload_of("push"), "before": "b" * 40}
    found = github("push", payload, GITHUB_REF="refs/heads/feature/x")
    assert (found.on_default_branch, found.head_ref, found.base_sha) == (False, "feature/x", "b" * 40)
    found = github("push", {**payload, "ref": "refs/tags/master"}, GITHUB_REF="refs/tags/master")
    assert (found.on_default_branch, found.head_ref) == (False, None)


def test_a_schedule_runs_on_the_default_branch_whatever_its_payload_says():
    found = github("schedule", {"schedule": "0 3 * * *"}, **ON_MASTER)
    assert (found.on_default_branch, found.default_branch, found.head_sha) == (True, "master", MERGE_SHA)


def test_a_dispatch_on_another_branch_is_not_the_default_branch():
    payload = {"inputs": {}, "ref": "refs/heads/x", "repository": {"default_branch": "master"}}
    assert github("workflow_dispatch", payload, GITHUB_REF="refs/heads/x").on_default_branch is False
    assert github("workflow_dispatch", payload, **ON_MASTER).on_default_branch is True


def test_pain_7_a_workflow_run_tells_the_commit_and_where_it_came_from():
    """actions/runner#3444: no pull request in the payload, so branch, owner and commit have to do."""
    found = github("workflow_run", payload_of("workflow_run"), **ON_MASTER)
    run = found.triggering_run
    assert run is not None
    assert run.pull_requests == ()
    assert (run.id, run.attempt, run.head_owner, run.head_branch) == (289782451, 1, "octo-org", "master")
    assert run.head_sha == "3484a3fb816e0859fd6e1cea078d76385ff50625"
    assert found.pull_request is None
    with_one = github("workflow_run", payload_of("workflow_run.one-pull-request"), **ON_MASTER).triggering_run
    assert with_one is not None
    assert with_one.pull_requests == (2,)


def test_a_workflow_run_without_its_run_has_none():
    assert github("workflow_run", {}).triggering_run is None


@pytest.mark.parametrize(("text", "words"), [(None, "could not be read"), ("{", "not JSON"), ("[]", "no")])
def test_a_payload_that_cannot_be_used_is_a_note(text: str | None, words: str):
    found = ci_environment({**ACTIONS, "GITHUB_EVENT_NAME": "pull_request"}, text)
    assert words in found.notes[0]
    assert found.pull_request is None
    assert found.read_only


def test_a_payload_over_the_cap_is_not_read(tmp_path: Path):
    path = tmp_path / "event.json"
    path.write_text('{"a": 1}')
    assert read_event_file(path) == '{"a": 1}'
    assert read_event_file(path, limit=7) is None
    assert read_event_file(tmp_path / "missing") is None
    path.write_bytes(b"\xff")
    assert read_event_file(path) is None


EVENTS = ["pull_request", "push", "merge_group", "schedule", "workflow_dispatch", "workflow_run", "issue_comment", ""]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["pull_request", "head", "repo", "id", "labels", "workflow_run", "merge_group", "base", "number"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(st.sampled_from(EVENTS), json_values)
def test_no_payload_crashes(event: str, payload: Any):
    assert github(event, payload).provider is Provider.GITHUB


GITLAB = {
    "GITLAB_CI": "true",
    "CI_PIPELINE_SOURCE": "merge_request_event",
    "CI_PROJECT_PATH": "group/evals",
    "CI_PROJECT_ID": "17",
    "CI_PROJECT_VISIBILITY": "private",
    "CI_COMMIT_SHA": MERGE_SHA,
    "CI_MERGE_REQUEST_IID": "7",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": "a" * 40,
    "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "change",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
    "CI_MERGE_REQUEST_DIFF_BASE_SHA": "b" * 40,
    "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "17",
    "CI_MERGE_REQUEST_PROJECT_ID": "17",
    "CI_MERGE_REQUEST_LABELS": "evalci: accept, other",
    "CI_DEFAULT_BRANCH": "main",
    "CI_PIPELINE_ID": "1000",
    "CI_JOB_ID": "5001",
    "CI_JOB_NAME": "evals 2/4",
    "CI_NODE_INDEX": "2",
    "CI_NODE_TOTAL": "4",
    "CI_SERVER_URL": "https://gitlab.example.test",
    "CI_API_V4_URL": "https://gitlab.example.test/api/v4",
}


def test_a_merge_request_pipeline():
    found = ci_environment(GITLAB)
    assert (found.provider, found.event, found.pull_request) == (Provider.GITLAB, "merge_request", 7)
    assert (found.head_sha, found.base_sha, found.base_ref) == ("a" * 40, "b" * 40, "main")
    assert (found.is_fork, found.on_default_branch, found.is_public) == (False, False, False)
    assert found.labels == ("evalci: accept", "other")
    assert (found.run_id, found.attempt, found.shard) == (1000, 5001, Shard(index=2, total=4))
    assert ci_environment({**GITLAB, "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "18"}).is_fork


def test_a_branch_pipeline_of_the_default_branch():
    environ = {name: value for name, value in GITLAB.items() if "MERGE_REQUEST" not in name}
    found = ci_environment({**environ, "CI_PIPELINE_SOURCE": "push", "CI_COMMIT_BRANCH": "main"})
    assert (found.event, found.on_default_branch, found.head_sha) == ("push", True, MERGE_SHA)
    assert (found.pull_request, found.is_fork) == (None, False)


def test_anywhere_else_only_the_shard_is_known():
    assert ci_environment({}) == CiEnvironment(provider=Provider.GENERIC)
    assert ci_environment({"CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "3"}).shard == Shard(index=1, total=3)
    assert ci_environment({"CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "1"}).shard is None


@pytest.mark.parametrize("index", ["0", "4"])
def test_a_shard_outside_the_total_is_a_note(index: str):
    found = ci_environment({"CI_NODE_INDEX": index, "CI_NODE_TOTAL": "3"})
    assert found.shard is None
    assert f"CI_NODE_INDEX={index}" in found.notes[0]
