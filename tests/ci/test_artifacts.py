"""Which artifact is taken, which are passed over, and that none is named that could not be read."""

import pytest

from evalci.ci.archive import ArchiveRules
from evalci.ci.artifacts import Nothing, Restored, Trust, restore_artifact

from . import github_shapes as shapes
from .clients import connected
from .fake_github import FakeGitHub

NAME = "evalci-baseline"
TRUST = Trust(repository_id=shapes.REPOSITORY_ID, branch="main", workflow_path=".github/workflows/evals.yml")
RULES = ArchiveRules(wanted=("*.json",))
SHA = "a" * 40


def stock(fake: FakeGitHub, run_id: int, *, expired: bool = False, digest: str = "", sha: str = SHA, **facts) -> int:
    run = fake.add_run(run_id, head_sha=sha, **facts)
    files = {"baseline.json": str(run_id).encode()}
    return fake.add_artifact(NAME, files, run, expired=expired, digest=digest)


def restore(fake: FakeGitHub, **more) -> Restored | Nothing:
    with connected(fake) as to:
        return restore_artifact(to.github, NAME, TRUST, RULES, **more)


def restored_run(fake: FakeGitHub, **more) -> int:
    found = restore(fake, **more)
    assert isinstance(found, Restored), found
    assert found.files == {"baseline.json": str(found.run.id).encode()}
    return found.run.id


def test_the_newest_is_taken_and_one_at_the_merge_base_goes_before_it(fake: FakeGitHub):
    stock(fake, 1)
    stock(fake, 2, sha="c" * 40)
    stock(fake, 3)
    assert restored_run(fake) == 3
    assert restored_run(fake, prefer_sha="c" * 40) == 2
    assert restored_run(fake, prefer_sha="d" * 40) == 3


def test_pain_24_a_fork_with_a_branch_named_main_supplies_nothing(fake: FakeGitHub):
    """dawidd6/action-download-artifact#249."""
    stock(fake, 1)
    stock(fake, 2, head=shapes.repository("stranger/evals", 99), event_name="pull_request")
    found = restore(fake)
    assert isinstance(found, Restored)
    assert found.run.id == 1
    assert found.passed_over == ("artifact 2 of run 2: it comes from a fork (repository 99)",)
    assert len(fake.calls("actions/download-artifact")) == 1


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"branch": "feature"}, "branch 'feature'"),
        ({"event_name": "pull_request"}, "started by pull_request"),
        ({"event_name": "workflow_run"}, "started by workflow_run"),
        ({"conclusion": "failure"}, "ended as failure"),
        ({"conclusion": None}, "not yet"),
        ({"path": ".github/workflows/other.yml"}, "other.yml"),
        ({"expired": True}, "expired"),
    ],
)
def test_what_is_not_trusted_is_passed_over_with_the_reason(fake: FakeGitHub, facts: dict, words: str):
    stock(fake, 1, **facts)
    found = restore(fake)
    assert isinstance(found, Nothing)
    assert words in found.passed_over[0]
    assert fake.calls("actions/download-artifact") == []


def test_pain_25_an_expired_artifact_leads_to_the_next_one(fake: FakeGitHub):
    """greenbone/actions#1794: also when it expires between listing and download."""
    stock(fake, 1)
    stock(fake, 2)
    stock(fake, 3, expired=True)
    fake.break_call("actions/download-artifact", 410, message="Artifact has expired")
    assert restored_run(fake) == 1


def test_pain_25_when_all_have_expired_the_reason_says_so(fake: FakeGitHub):
    stock(fake, 1, expired=True)
    stock(fake, 2, expired=True)
    found = restore(fake)
    assert isinstance(found, Nothing)
    assert found.reason == "every artifact named 'evalci-baseline' has expired"


def test_a_damaged_artifact_leads_to_the_next_one(fake: FakeGitHub):
    stock(fake, 1)
    stock(fake, 2, digest="sha256:" + "0" * 64)
    assert restored_run(fake) == 1


@pytest.mark.parametrize("status", [403, 500])
def test_pain_26_a_download_that_fails_gives_nothing_and_no_commit(fake: FakeGitHub, status: int):
    """powdr-labs/apc-optimizer#279: no baseline is named that was not read."""
    stock(fake, 1)
    fake.break_call("actions/download-artifact", status, times=99)
    found = restore(fake)
    assert isinstance(found, Nothing)
    assert SHA[:7] not in found.reason
    assert found.failure is not None
    assert found.failure.remedy


def test_pain_27_where_there_is_none_the_reason_names_what_was_looked_for(fake: FakeGitHub):
    """actions/cache#1501: a miss is a reason, not a failure."""
    found = restore(fake)
    assert found == Nothing(reason="there is no artifact named 'evalci-baseline'")


def test_pain_28_of_two_attempts_of_one_run_the_newer_one_is_taken(fake: FakeGitHub):
    """actions/upload-artifact#548: a re-run leaves one artifact per attempt."""
    run = fake.add_run(1, head_sha=SHA)
    fake.add_artifact(NAME, {"baseline.json": b"first"}, run)
    fake.add_artifact(NAME, {"baseline.json": b"second"}, run)
    found = restore(fake)
    assert isinstance(found, Restored)
    assert found.files == {"baseline.json": b"second"}


def test_an_artifact_of_another_repository_or_of_no_run_is_passed_over(fake: FakeGitHub):
    stock(fake, 1)
    stock(fake, 2)
    fake.artifacts[1][0]["workflow_run"]["repository_id"] = 5
    fake.artifacts[2][0]["workflow_run"] = None
    found = restore(fake)
    assert isinstance(found, Nothing)
    assert found.passed_over == (
        "artifact 2 of run None: its run is not known any more",
        "artifact 1 of run 1: it belongs to another repository",
    )


def test_the_run_itself_is_asked_not_only_what_the_listing_says_of_it(fake: FakeGitHub):
    stock(fake, 1)
    stock(fake, 2)
    fake.runs[1] |= {"head_repository": shapes.repository("stranger/evals", 99)}
    fake.runs[2] |= {"head_branch": "feature"}
    found = restore(fake)
    assert isinstance(found, Nothing)
    assert [text.rpartition(": ")[2] for text in found.passed_over] == [
        "its run was on the branch 'feature'",
        "its run comes from a fork",
    ]


def test_an_archive_with_an_unsafe_name_or_a_deleted_run_leads_to_the_next_one(fake: FakeGitHub):
    stock(fake, 1)
    stock(fake, 2)
    del fake.runs[2]
    fake.add_artifact(NAME, {"../baseline.json": b"3"}, fake.add_run(3, head_sha=SHA))
    found = restore(fake)
    assert isinstance(found, Restored)
    assert found.run.id == 1
    assert "leads out of the archive" in found.passed_over[0]
    assert "not known any more" in found.passed_over[1]
