"""GitLab's notes through the same client and the same sticky comment."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from evalci.ci.failures import ApiError, Kind
from evalci.ci.gitlab import GitLab, MergeRequestNotes, gitlab_host
from evalci.ci.host import Secret
from evalci.ci.http_api import ApiClient
from evalci.ci.retry import Patience
from evalci.ci.sticky import publish
from evalci.ci.sticky_body import comment_key
from evalci.ci.sticky_offer import Did, Offer
from evalci.ci.transport import open_http

from .clients import JumpingClock
from .fake_gitlab import TOKEN, FakeGitLab

SHA = "a" * 40
CALLS = {
    "GET user": lambda gitlab: gitlab.identity(),
    "GET merge request": lambda gitlab: gitlab.merge_request(7),
    "GET notes": lambda gitlab: gitlab.notes(7),
    "POST notes": lambda gitlab: gitlab.create_note(7, "x"),
    "PUT note": lambda gitlab: gitlab.update_note(7, 1, "x"),
    "DELETE note": lambda gitlab: gitlab.delete_note(7, 1),
}


@pytest.fixture
def fake() -> Iterator[FakeGitLab]:
    with FakeGitLab() as server:
        yield server
        assert server.violations == []


@contextmanager
def connected(fake: FakeGitLab, token: str = TOKEN) -> Iterator[GitLab]:
    patience = Patience(call_seconds=0.5, write_gap=0.0)
    with open_http({}) as http:
        yield GitLab(
            api=ApiClient(
                http=http,
                host=gitlab_host(fake.api_url),
                token=Secret(token),
                effects=JumpingClock().effects(),
                patience=patience,
            ),
            project="group/evals",
        )


def offer(section: str, text: str = "fine") -> Offer:
    return Offer(
        comment_key=comment_key("evals.yaml"),
        section_key=section,
        sha=SHA,
        run=1000,
        attempt=5001,
        tier=lambda number: text if number == 0 else None,
        parts=2,
    )


def test_notes_are_listed_written_changed_and_deleted(fake: FakeGitLab):
    for number in range(130):
        fake.add_note("ada", f"note {number}", system=number % 2 == 0)
    with connected(fake) as gitlab:
        assert gitlab.identity() == "project_17_bot"
        assert len(gitlab.notes(7)) == 65
        note = gitlab.create_note(7, "mine")
        assert gitlab.update_note(7, note.id, "changed").body == "changed"
        gitlab.delete_note(7, note.id)
        gitlab.delete_note(7, note.id)
        merge_request = gitlab.merge_request(7)
    assert (merge_request.head_sha, merge_request.labels) == (SHA, ("evalci: accept",))
    assert merge_request.base_sha == "b" * 40


def test_shards_share_one_note_and_leave_it_alone_when_nothing_changed(fake: FakeGitLab):
    fake.add_note("ada", "hello")
    with connected(fake) as gitlab:
        notes = MergeRequestNotes(gitlab=gitlab, iid=7, login=gitlab.identity())
        assert publish(notes, offer("shard 1/2"), gitlab.api).did is Did.CREATED
        assert publish(notes, offer("shard 2/2"), gitlab.api).sections == ("shard 1/2", "shard 2/2")
        assert publish(notes, offer("shard 2/2"), gitlab.api).did is Did.UNCHANGED
        fake.head_sha = "c" * 40
        assert publish(notes, offer("shard 2/2", "late"), gitlab.api).did is Did.SKIPPED
    assert len(fake.bodies()) == 2


@pytest.mark.parametrize("status", [401, 403, 404, 422, 429, 500, 502])
@pytest.mark.parametrize("call", CALLS)
def test_each_status_on_each_call_has_a_cause_and_a_remedy(fake: FakeGitLab, call: str, status: int):
    fake.add_note("project_17_bot", "x")
    fake.break_call(call, status, times=99)
    with connected(fake) as gitlab:
        if (call, status) == ("DELETE note", 404):
            gitlab.delete_note(7, 1)
            return
        with pytest.raises(ApiError) as caught:
            CALLS[call](gitlab)
    failure = caught.value.failure
    assert failure.status == status
    assert "GitHub" not in str(failure)
    assert TOKEN not in str(failure)
    assert failure.remedy or status == 422


def test_a_job_token_is_told_that_it_cannot_write_notes(fake: FakeGitLab):
    with connected(fake, token="a-job-token") as gitlab, pytest.raises(ApiError) as caught:
        gitlab.create_note(7, "x")
    assert caught.value.failure.kind is Kind.UNAUTHORIZED
    assert "CI_JOB_TOKEN cannot write notes" in caught.value.failure.remedy


def test_an_answer_that_is_not_as_documented_is_told(fake: FakeGitLab):
    fake.break_call("GET notes", 200)
    with connected(fake) as gitlab, pytest.raises(ApiError, match="not a list"):
        gitlab.notes(7)


def test_an_unreachable_gitlab_names_what_to_check():
    with FakeGitLab() as fake:
        pass
    with connected(fake) as gitlab, pytest.raises(ApiError) as caught:
        gitlab.identity()
    assert "CI_API_V4_URL" in caught.value.failure.remedy
