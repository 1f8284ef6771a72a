"""Each call on GitHub: what it gives, what each failure says, and that nothing leaks."""

import traceback

import pytest

from evalci.ci.archive import ArchiveRules
from evalci.ci.failures import ApiError, ApiFailure, Kind
from evalci.ci.retry import Patience

from . import github_shapes as shapes
from .clients import QUICK, Connected, connected
from .fake_github import JOB_TOKEN, PERSON_TOKEN, FakeGitHub

SHA = "a" * 40
CALLS = {
    "users/get-authenticated": lambda github: github.identity(),
    "issues/list-comments": lambda github: github.comments(7),
    "issues/create-comment": lambda github: github.create_comment(7, "text"),
    "issues/update-comment": lambda github: github.update_comment(1, "text"),
    "issues/delete-comment": lambda github: github.delete_comment(1),
    "issues/list-labels-on-issue": lambda github: github.labels(7),
    "pulls/get": lambda github: github.pull_request(7),
    "pulls/list": lambda github: github.open_pull_requests("octo-org", "change", SHA),
    "repos/list-pull-requests-associated-with-commit": lambda github: github.pull_requests_of_commit(SHA),
    "actions/list-artifacts-for-repo": lambda github: list(github.artifacts("evalci-baseline")),
    "actions/list-workflow-run-artifacts": lambda github: github.run_artifacts(5),
    "actions/download-artifact": lambda github: download(github),
    "actions/get-workflow-run": lambda github: github.workflow_run(5),
    "actions/list-workflow-runs": lambda github: list(github.workflow_runs("evals.yml", branch="main")),
    "actions/get-actions-cache-list": lambda github: github.caches("evalci"),
}
WRITES = {"issues/create-comment", "issues/update-comment"}


def download(github):
    (artifact,) = github.artifacts("evalci-baseline")
    return github.download_artifact(artifact, ArchiveRules(wanted=("baseline.json",)))


@pytest.fixture
def stocked(fake: FakeGitHub) -> FakeGitHub:
    fake.add_comment(7, "github-actions[bot]", "hello")
    fake.add_pull(7, head_sha=SHA, labels=("evalci: accept",))
    run = fake.add_run(5, head_sha=SHA)
    fake.add_artifact("evalci-baseline", {"baseline.json": b"{}", "other.txt": b"x"}, run)
    fake.add_cache("evalci-main-1", "refs/heads/main")
    return fake


def failure_of(connection: Connected, call: str) -> ApiFailure:
    with pytest.raises(ApiError) as caught:
        CALLS[call](connection.github)
    shown = "".join(traceback.format_exception(caught.value))
    assert JOB_TOKEN not in shown
    assert "very-secret-signature" not in shown
    return caught.value.failure


def test_each_call_gives_checked_values(stocked: FakeGitHub):
    with connected(stocked) as to:
        github = to.github
        assert github.identity() == "github-actions[bot]"
        assert [(c.id, c.author, c.body) for c in github.comments(7)] == [(1, "github-actions[bot]", "hello")]
        assert github.create_comment(7, "new").body == "new"
        assert github.update_comment(1, "changed").body == "changed"
        github.delete_comment(1)
        github.delete_comment(1)  # gone already is as good
        assert github.labels(7) == ("evalci: accept",)
        pull = github.pull_request(7)
        assert (pull.head_sha, pull.is_open, pull.head_repository) == (SHA, True, shapes.REPOSITORY)
        assert [found.number for found in github.pull_requests_of_commit(SHA)] == [7]
        assert github.workflow_run(5).head_repository_id == shapes.REPOSITORY_ID
        assert [run.id for run in github.workflow_runs(".github/workflows/evals.yml", event="push")] == [5]
        assert [artifact.run_id for artifact in github.run_artifacts(5, "evalci-baseline")] == [5]
        assert download(github) == {"baseline.json": b"{}"}
        assert [entry.key for entry in github.caches("evalci", "refs/heads/main")] == ["evalci-main-1"]


def test_a_persons_token_says_whose_it_is(stocked: FakeGitHub):
    with connected(stocked, token=PERSON_TOKEN) as to:
        assert to.github.identity() == "ada"


def test_a_pull_request_of_a_deleted_fork_has_no_head_repository():
    with FakeGitHub() as fake, connected(fake) as to:
        fake.add_pull(8, head_sha=SHA, head={})
        assert to.github.pull_request(8).head_repository is None
        # GitHub sends null here although its document does not say so: the one violation that is meant.
        assert all("head/repo" in violation for violation in fake.violations)


@pytest.mark.parametrize("status", [401, 403, 404, 410, 422, 429, 500, 502])
@pytest.mark.parametrize("call", CALLS)
def test_each_status_on_each_call_has_a_cause_and_a_remedy(stocked: FakeGitHub, call: str, status: int):
    stocked.break_call(call, status, message="Resource not accessible by integration", times=99)
    with connected(stocked, patience=Patience(write_gap=0.0)) as to:
        if (call, status) == ("users/get-authenticated", 403):
            assert to.github.identity() == "github-actions[bot]"
            return
        if call == "issues/delete-comment" and status in (404, 410):
            to.github.delete_comment(1)
            return
        failure = failure_of(to, call)
        assert failure.status == status
        assert f"GitHub answered {status}" in failure.message
        if status == 422:
            assert failure.kind is Kind.INVALID
        else:
            assert failure.remedy
        assert failure.maybe_done == (status >= 500 and call in {*WRITES, "issues/delete-comment"})
        assert sum(to.clock.waits) <= to.api.patience.deadline_seconds


@pytest.mark.parametrize("how", ["silent", "cut"])
@pytest.mark.parametrize("call", CALLS)
def test_a_time_out_or_a_cut_connection_on_each_call_is_told(stocked: FakeGitHub, call: str, how: str):
    stocked.break_call(call, how=how, times=99)
    with connected(stocked, patience=Patience(call_seconds=0.05, write_gap=0.0)) as to:
        failure = failure_of(to, call)
    assert failure.kind is (Kind.TIMEOUT if how == "silent" else Kind.CONNECTION)
    assert "the verdict stands" in failure.remedy
    tries = len(stocked.calls(call))
    assert tries == (1 if call in WRITES else to.api.patience.attempts)


@pytest.mark.parametrize(
    ("call", "line"),
    [
        ("issues/create-comment", "pull-requests: write"),
        ("issues/list-comments", "pull-requests: read"),
        ("actions/list-artifacts-for-repo", "actions: read"),
        ("actions/download-artifact", "actions: read"),
    ],
)
def test_a_403_names_the_permission_to_add(stocked: FakeGitHub, call: str, line: str):
    stocked.break_call(call, 403, message="Resource not accessible by integration")
    with connected(stocked) as to:
        assert failure_of(to, call).remedy == f"add to the job:\n  permissions:\n    {line}"


def test_a_403_on_a_fork_points_to_the_second_workflow(stocked: FakeGitHub):
    stocked.break_call("issues/create-comment", 403, message="Resource not accessible by integration")
    with connected(stocked, read_only=True) as to:
        assert "workflow_run" in failure_of(to, "issues/create-comment").remedy


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("Resource protected by organization SAML enforcement.", "single sign-on"),
        (
            "although you appear to have the correct credentials, the `x` organization has an IP allow list",
            "allow list",
        ),
        ("Unable to create comment because issue is locked.", "unlock it"),
    ],
)
def test_a_403_is_told_apart_by_its_words(stocked: FakeGitHub, message: str, words: str):
    stocked.break_call("issues/create-comment", 403, message=message)
    with connected(stocked) as to:
        assert words in failure_of(to, "issues/create-comment").remedy


def test_a_locked_conversation_is_named(stocked: FakeGitHub):
    stocked.locked.add(7)
    with connected(stocked) as to:
        assert failure_of(to, "issues/create-comment").kind is Kind.LOCKED


def test_a_comment_over_the_limit_is_too_long(stocked: FakeGitHub):
    with connected(stocked) as to, pytest.raises(ApiError) as caught:
        to.github.create_comment(7, "x" * 65_537)
    assert caught.value.failure.kind is Kind.TOO_LONG


def test_without_a_token_nothing_is_written_and_the_line_to_add_is_named(stocked: FakeGitHub):
    with connected(stocked, token="") as to:
        failure = failure_of(to, "issues/create-comment")
    assert "GITHUB_TOKEN: ${{ github.token }}" in failure.remedy
    assert stocked.asked == []


def test_a_token_with_a_line_break_in_it_is_refused_before_it_is_sent(stocked: FakeGitHub):
    with connected(stocked, token="ghs_first\nghs_second") as to:
        failure = failure_of(to, "pulls/get")
    assert "ghs_" not in str(failure)
    assert stocked.asked == []


def test_an_undocumented_shape_names_the_field(stocked: FakeGitHub):
    stocked.break_call("pulls/get", 200, message="no pull request")
    with connected(stocked) as to:
        failure = failure_of(to, "pulls/get")
    assert (failure.kind, failure.message) == (
        Kind.MALFORMED,
        "GitHub's answer is not as documented: number is missing",
    )


def test_a_repository_that_is_none_is_refused_at_once(fake: FakeGitHub):
    with pytest.raises(ValueError, match="owner/name"), connected(fake, repository="../../user"):
        pass


def test_pain_7_an_empty_pull_requests_list_is_made_good_by_branch_and_sha(fake: FakeGitHub):
    """actions/runner#3444: of two pull requests from one branch, the commit decides."""
    assert shapes.event("workflow_run")["workflow_run"]["pull_requests"] == []
    fork = shapes.repository("stranger/evals", 99)
    fake.add_pull(3, head_sha=SHA, head_ref="fix/#1 & more", head=fork)
    fake.add_pull(4, head_sha="c" * 40, head_ref="fix/#1 & more", head=fork, base_ref="release")
    fake.add_pull(5, head_sha=SHA, head_ref="fix/#1 & more", head=fork, state="closed")
    with connected(fake) as to:
        found = to.github.open_pull_requests("stranger", "fix/#1 & more", SHA)
        assert [pull.number for pull in found] == [3]
        assert to.github.open_pull_requests("stranger", "fix/#1 & more", "d" * 40) == ()


def test_pain_3_every_page_of_comments_is_read(stocked: FakeGitHub):
    """anthropics/claude-code-action#1781: own comments behind the first page are found."""
    for number in range(132):
        stocked.add_comment(7, f"user{number}", "chat")
    own = stocked.add_comment(7, "github-actions[bot]", "mine")
    with connected(stocked) as to:
        comments = to.github.comments(7)
    assert len(comments) == 134
    assert comments[-1].id == own
    assert len(stocked.calls("issues/list-comments")) == 2


def test_pain_33_an_enterprise_servers_address_is_honoured():
    """onyxmueller/build-tag-number#27: nothing is asked outside GITHUB_API_URL with its /api/v3."""
    with FakeGitHub(base="/api/v3") as fake:
        fake.add_pull(7, head_sha=SHA)
        for number in range(120):
            fake.add_comment(7, f"user{number}", "chat")
        with connected(fake, patience=QUICK) as to:
            assert len(to.github.comments(7)) == 120
            fake.break_call("actions/list-artifacts-for-repo", 404, message="Not Found")
            assert "Enterprise Server" in failure_of(to, "actions/list-artifacts-for-repo").remedy
        assert all(asked.path.startswith("/api/v3/") for asked in fake.asked)
        assert fake.violations == []
