"""The one client: where the token goes, which links are followed, how long is waited, how much is read."""

import hashlib

import pytest

from evalci.ci.archive import ArchiveRules
from evalci.ci.failures import ApiError, ApiFailure, Call, Kind
from evalci.ci.host import Secret
from evalci.ci.retry import Patience

from .clients import connected
from .fake_github import JOB_TOKEN, FakeGitHub, zipped
from .local_server import Fault, LocalServer, Reply

SHA = "a" * 40
GET = Call(name="read a thing", method="GET", path="/user")
EAGER = Patience(write_gap=0.0)


def failure_of(action) -> ApiFailure:
    with pytest.raises(ApiError) as caught:
        action()
    return caught.value.failure


def test_pain_33_a_next_page_on_another_host_is_refused(fake: FakeGitHub):
    """onyxmueller/build-tag-number#27: the token would go there."""
    fake.add_pull(7, head_sha=SHA)
    reply = Reply(200, b"[]", {"link": f'<{fake.blob_url}/comments?page=2>; rel="next"'})
    fake._server.faults.append(Fault("issues/list-comments", "answer", reply))
    with connected(fake) as to:
        failure = failure_of(lambda: to.github.comments(7))
    assert failure.kind is Kind.REFUSED
    assert "another host" in failure.message
    assert fake.blobs_asked == []


def test_a_redirect_to_another_host_is_refused_and_one_on_the_same_is_followed(fake: FakeGitHub):
    fake.add_pull(7, head_sha=SHA)
    fake.break_call("pulls/get", 301, headers={"location": f"{fake.blob_url}/elsewhere"})
    fake.break_call("pulls/get", 307, headers={"location": "/repositories/1300192/pulls/7"})
    with connected(fake) as to:
        assert failure_of(lambda: to.github.pull_request(7)).kind is Kind.REFUSED
        assert to.github.pull_request(7).number == 7
    assert fake.blobs_asked == []


def test_endless_redirects_and_endless_pages_end(fake: FakeGitHub):
    fake.add_pull(7, head_sha=SHA)
    fake.break_call("pulls/get", 302, headers={"location": "/repositories/1300192/pulls/7"}, times=99)
    again = Reply(200, b"[]", {"link": '</repositories/1300192/issues/7/comments?page=1>; rel="next"'})
    fake._server.faults.append(Fault("issues/list-comments", "answer", again, times=999))
    with connected(fake) as to:
        assert "redirects" in failure_of(lambda: to.github.pull_request(7)).message
        assert "pages" in failure_of(lambda: to.github.comments(7)).message


@pytest.mark.parametrize("status", [403, 429])
def test_pain_32_a_rate_limit_with_retry_after_is_waited_for_once(fake: FakeGitHub, status: int):
    """EnricoMi/publish-unit-test-result-action#170: the wait is the one asked for."""
    fake.add_pull(7, head_sha=SHA)
    fake.break_call("pulls/get", status, message="slow down", headers={"retry-after": "7"})
    with connected(fake) as to:
        assert to.github.pull_request(7).number == 7
    assert len(to.clock.waits) == 1
    assert 7 <= to.clock.waits[0] <= 8


@pytest.mark.parametrize("status", [403, 429])
def test_pain_32_a_rate_limit_without_retry_after_is_waited_for_a_minute(fake: FakeGitHub, status: int):
    fake.add_pull(7, head_sha=SHA)
    fake.break_call("pulls/get", status, message="You have exceeded a secondary rate limit.")
    with connected(fake) as to:
        assert to.github.pull_request(7).number == 7
    assert len(to.clock.waits) == 1
    assert 60 <= to.clock.waits[0] <= 61


def test_pain_32_a_limit_that_resets_soon_is_waited_for_by_the_answers_own_date(fake: FakeGitHub):
    fake.add_pull(7, head_sha=SHA)
    headers = {
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": "1793700030",
        "date": "Tue, 03 Nov 2026 10:00:00 GMT",
    }
    reply = Reply(403, b"{}", headers)
    with connected(fake) as to:
        from evalci.ci.retry import asked_wait

        assert asked_wait(reply.headers) == 31.0
        assert asked_wait({"retry-after": "Tue, 03 Nov 2026 10:00:09 GMT", "date": headers["date"]}) == 9.0
        assert asked_wait({"retry-after": "soon"}) is None
        assert asked_wait({"x-ratelimit-remaining": "5", "x-ratelimit-reset": "1"}) is None
        assert to.github.pull_request(7).number == 7


def test_pain_32_a_wait_longer_than_allowed_is_told_and_not_begun(fake: FakeGitHub):
    fake.add_pull(7, head_sha=SHA)
    fake.break_call("pulls/get", 429, headers={"retry-after": "3600"}, times=9)
    with connected(fake) as to:
        failure = failure_of(lambda: to.github.pull_request(7))
    assert to.clock.waits == []
    assert "asks to wait 3600 s" in failure.message
    assert "the verdict stands" in failure.remedy


def test_a_limit_that_never_ends_ends_with_the_deadline(fake: FakeGitHub):
    fake.add_pull(7, head_sha=SHA)
    fake.break_call("pulls/get", 429, times=99)
    with connected(fake, patience=Patience(attempts=50, longest_wait=1000, deadline_seconds=200)) as to:
        assert failure_of(lambda: to.github.pull_request(7)).kind is Kind.RATE_LIMITED
        assert to.clock.now <= 200


def test_the_deadline_is_over_all_calls_together(fake: FakeGitHub):
    fake.add_pull(7, head_sha=SHA)
    with connected(fake, patience=Patience(deadline_seconds=10)) as to:
        to.github.pull_request(7)
        to.clock.sleep(10)
        failure = failure_of(lambda: to.github.pull_request(7))
    assert failure.kind is Kind.DEADLINE
    assert len(fake.asked) == 1


def test_a_passing_5xx_or_cut_is_asked_again(fake: FakeGitHub):
    fake.add_pull(7, head_sha=SHA)
    fake.break_call("pulls/get", 502)
    fake.break_call("pulls/get", how="cut")
    with connected(fake) as to:
        assert to.github.pull_request(7).number == 7
    assert len(to.clock.waits) == 2


def test_a_write_is_tried_once_and_says_when_it_may_have_happened(fake: FakeGitHub):
    fake.add_pull(7, head_sha=SHA)
    fake.break_call("issues/create-comment", how="cut", after=True)
    with connected(fake) as to:
        failure = failure_of(lambda: to.github.create_comment(7, "x"))
    assert failure.maybe_done
    assert len(fake.calls("issues/create-comment")) == 1
    assert fake.bodies(7) == ["x"]


def test_a_connection_that_never_was_cannot_have_done_anything():
    with FakeGitHub() as fake:
        address = fake.api_url
    with connected(fake, base_url=address, patience=EAGER) as to:
        failure = failure_of(lambda: to.github.create_comment(7, "x"))
    assert (failure.kind, failure.maybe_done) == (Kind.CONNECTION, False)


def test_two_writes_keep_a_second_between_them(fake: FakeGitHub):
    fake.add_pull(7, head_sha=SHA)
    with connected(fake, patience=Patience(write_gap=1.0)) as to:
        to.github.create_comment(7, "x")
        to.github.create_comment(7, "y")
    assert to.clock.waits == [1.0]


def stock_artifact(fake: FakeGitHub, **facts) -> None:
    fake.add_artifact("evalci-baseline", {"baseline.json": b"{}"}, fake.add_run(5, head_sha=SHA), **facts)


def fetch(to, **rules):
    (artifact,) = to.github.artifacts("evalci-baseline")
    return to.github.download_artifact(artifact, ArchiveRules(wanted=("baseline.json",), **rules))


def test_no_credential_goes_to_the_storage(fake: FakeGitHub):
    stock_artifact(fake)
    with connected(fake) as to:
        assert fetch(to) == {"baseline.json": b"{}"}
    (asked,) = fake.blobs_asked
    assert not {"authorization", "cookie", "x-github-api-version"} & set(asked.headers)
    assert JOB_TOKEN not in str(asked)


def test_an_expired_signature_is_asked_for_anew(fake: FakeGitHub):
    stock_artifact(fake)
    fake.break_call("blob", 403)
    fake.break_call("blob", 503)
    fake.break_call("blob", how="cut")
    with connected(fake) as to:
        assert fetch(to) == {"baseline.json": b"{}"}
    assert len(fake.calls("actions/download-artifact")) == 4


def test_a_download_with_another_digest_is_refused(fake: FakeGitHub):
    stock_artifact(fake, digest="sha256:" + "0" * 64)
    with connected(fake) as to:
        failure = failure_of(lambda: fetch(to))
    assert failure.kind is Kind.REFUSED
    assert hashlib.sha256(zipped({"baseline.json": b"{}"})).hexdigest() in failure.message


def test_a_download_over_the_cap_stops_there(fake: FakeGitHub):
    stock_artifact(fake)
    with connected(fake) as to:
        assert "over 10 bytes" in failure_of(lambda: fetch(to, max_archive_bytes=10)).message


def test_an_expired_artifact_is_gone(fake: FakeGitHub):
    stock_artifact(fake, expired=True)
    with connected(fake) as to:
        failure = failure_of(lambda: fetch(to))
    assert failure.kind is Kind.GONE
    assert "retention-days" in failure.remedy


def test_a_download_that_leaves_encryption_is_refused(fake: FakeGitHub):
    stock_artifact(fake)
    fake.break_call("actions/download-artifact", 302, headers={"location": "ftp://example.test/x"})
    with connected(fake) as to:
        assert "ftp address" in failure_of(lambda: fetch(to)).message


def test_an_answer_that_is_not_json_is_said_to_be_none(fake: FakeGitHub):
    fake._server.faults.append(Fault("users/get-authenticated", "answer", Reply(200, b"<html>")))
    with connected(fake) as to:
        failure = failure_of(lambda: to.api.get(GET))
    assert failure.kind is Kind.MALFORMED


def test_what_the_host_says_is_shown_on_one_line_with_nothing_live_in_it(fake: FakeGitHub):
    message = f"bad\n::error::boom ##[add-mask]x {JOB_TOKEN}\u202e" + "x" * 999
    fake.break_call("users/get-authenticated", 422, message=message)
    with connected(fake) as to:
        shown = str(failure_of(lambda: to.api.get(GET)))
    assert "\n" not in shown
    assert "::error" not in shown
    assert "##[" not in shown
    assert JOB_TOKEN not in shown
    assert len(shown) < 500


def test_a_secret_shows_itself_nowhere():
    secret = Secret(" tok ")
    assert (repr(secret), str(secret), secret.reveal(), repr(Secret(""))) == ("***", "***", "tok", "''")
    assert secret.hide_in("a tok b") == "a *** b"
    assert Secret("").hide_in("a") == "a"


def test_a_proxy_from_the_given_environment_is_used_and_no_proxy_goes_around_it(fake: FakeGitHub):
    fake.add_pull(7, head_sha=SHA)
    proxy = LocalServer(lambda asked: Reply(502, b"{}"), lambda method, path: "proxied")
    try:
        environ = {"HTTP_PROXY": proxy.url}
        with connected(fake, environ=environ, patience=Patience(attempts=1)) as to:
            assert failure_of(lambda: to.github.pull_request(7)).status == 502
        assert proxy.asked[0].path.startswith(fake.api_url)
        with connected(fake, environ={**environ, "no_proxy": "127.0.0.0/8"}) as to:
            assert to.github.pull_request(7).number == 7
        assert len(proxy.asked) == 1
    finally:
        proxy.stop()


def test_proxy_settings_that_cannot_be_used_are_a_failure_not_a_crash(fake: FakeGitHub):
    with connected(fake, environ={"ALL_PROXY": "gopher://user:password@proxy.test"}) as to:
        failure = failure_of(lambda: to.github.pull_request(7))
    assert failure.kind is Kind.CONNECTION
    assert "password" not in str(failure)


def test_an_error_that_is_no_object_still_has_its_status(fake: FakeGitHub):
    fake._server.faults.append(Fault("users/get-authenticated", "answer", Reply(500, b"[]")))
    fake._server.faults.append(Fault("users/get-authenticated", "answer", Reply(500, b"<html>")))
    with connected(fake, patience=Patience(attempts=1)) as to:
        assert failure_of(lambda: to.api.get(GET)).message == "GitHub answered 500"
        assert failure_of(lambda: to.api.get(GET)).message == "GitHub answered 500"


def test_errors_are_shown_beside_the_message(fake: FakeGitHub):
    body = b'{"message": "Validation Failed", "errors": ["first", {"message": "second"}, {"code": "x"}]}'
    fake._server.faults.append(Fault("users/get-authenticated", "answer", Reply(422, body)))
    with connected(fake) as to:
        assert "(Validation Failed; first; second)" in failure_of(lambda: to.api.get(GET)).message


def test_an_answer_over_twenty_megabytes_is_not_read_on(fake: FakeGitHub):
    fake._server.faults.append(Fault("users/get-authenticated", "answer", Reply(200, b" " * 20_000_001)))
    with connected(fake) as to:
        assert "over 20,000,000 bytes" in failure_of(lambda: to.api.get(GET)).message
