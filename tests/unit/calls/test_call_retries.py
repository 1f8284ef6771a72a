"""Which failures are worth another attempt, and how long to wait."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.calls import CallError, Reply
from evalci.calls.retry import LONGEST_RETRY_AFTER_S, Transient, backoff, retry_after_seconds, with_retries
from evalci.calls.transport import Transport
from tests.doubles import Answer, Network, Sleeps, a_call, as_it_is, chat_caller, completion, using

GOOD = httpx.Response(200, json=completion("pong"))
LONG_AGO = datetime(2015, 10, 21, 7, 28, tzinfo=UTC)


def ask(*answers: Answer, max_retries: int = 2, **more: Any) -> tuple[Reply | str, Network, Sleeps]:
    """One call over a prepared network: the reply or the error's text, what was asked, and how long was waited."""
    network, sleep = Network(list(answers)), Sleeps()
    caller = lambda transport: chat_caller(transport, sleep, max_retries=max_retries, **more)(a_call())  # noqa: E731
    try:
        reply: Reply | str = using(Transport(as_it_is, client=network.client), caller)
    except CallError as exc:
        reply = str(exc)
    return reply, network, sleep


def failure(status: int, error: Any = None, **headers: str) -> httpx.Response:
    body = json.dumps({"error": error}) if error is not None else ""
    return httpx.Response(status, text=body, headers={name.replace("_", "-"): value for name, value in headers.items()})


def test_the_schedule_doubles_from_half_a_second_to_ten_without_jitter() -> None:
    assert [backoff(retry) for retry in range(7)] == [0.5, 1, 2, 4, 8, 10, 10]
    assert backoff(10**9) == 10


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 529, 599])
def test_statuses_that_may_pass_are_tried_again(status: int) -> None:
    reply, network, sleep = ask(failure(status), failure(status), GOOD)
    assert isinstance(reply, Reply)
    assert len(network.requests) == 3
    assert sleep.seconds == [0.5, 1.0]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 408, 409, 413, 422, 300, 304, 600 - 101])
def test_other_statuses_are_final_and_name_no_attempts(status: int) -> None:
    reply, network, sleep = ask(failure(status, {"message": "no"}), max_retries=5)
    assert isinstance(reply, str)
    assert f"answered {status}" in reply
    assert "attempt" not in reply
    assert (len(network.requests), sleep.seconds) == (1, [])


@pytest.mark.parametrize("error", [
    {"code": "insufficient_quota", "message": "You exceeded your current quota"},
    {"type": "insufficient_quota", "code": None},
    {"code": "billing_hard_limit_reached"},
    {"code": "content_filter"},
])  # fmt: skip
def test_a_429_that_waiting_cannot_help_is_final(error: dict[str, Any]) -> None:
    reply, network, _ = ask(failure(429, error), max_retries=5)
    assert isinstance(reply, str)
    assert len(network.requests) == 1
    assert str(error.get("code") or error["type"]) in reply


@pytest.mark.parametrize("error", [
    {"code": "rate_limit_exceeded"},
    {"code": 429, "message": "INSUFFICIENT QUOTA", "status": "RESOURCE_EXHAUSTED"},
    "insufficient_quota, says the wording only",
    ["insufficient_quota"],
])  # fmt: skip
def test_the_wording_of_a_429_is_no_evidence_against_waiting(error: Any) -> None:
    reply, network, _ = ask(failure(429, error), GOOD)
    assert isinstance(reply, Reply)
    assert len(network.requests) == 2


def test_a_content_filters_400_is_final_and_shows_what_it_says() -> None:
    reply, network, _ = ask(failure(400, {"code": "content_filter", "message": "policy"}), max_retries=5)
    assert isinstance(reply, str)
    assert "content_filter" in reply
    assert len(network.requests) == 1


def test_an_exhausted_budget_of_attempts_is_named() -> None:
    reply, network, sleep = ask(failure(503, "overloaded"), max_retries=3)
    assert isinstance(reply, str)
    assert reply.endswith("(after 4 attempts)")
    assert "503 Service Unavailable" in reply
    assert "overloaded" in reply
    assert len(network.requests) == 4
    assert sleep.seconds == [0.5, 1.0, 2.0]


def test_without_retries_there_is_one_attempt_and_no_talk_of_attempts() -> None:
    reply, network, sleep = ask(failure(503), max_retries=0)
    assert reply == "http://x/v1/chat/completions answered 503 Service Unavailable"
    assert (len(network.requests), sleep.seconds) == (1, [])


@pytest.mark.parametrize("error", [
    httpx.ConnectError("connection refused"),
    httpx.ReadError(""),
    httpx.RemoteProtocolError("peer closed connection without sending complete message body"),
    httpx.ReadTimeout("slow"),
    httpx.DecodingError("bad gzip"),
])  # fmt: skip
def test_a_broken_connection_is_tried_again(error: Exception) -> None:
    reply, network, sleep = ask(error, GOOD)
    assert isinstance(reply, Reply)
    assert len(network.requests) == 2
    assert sleep.seconds == [0.5]


def test_a_connection_error_without_words_is_named_by_its_kind() -> None:
    reply, *_ = ask(httpx.ReadError(""), max_retries=0)
    assert reply == "request to http://x/v1/chat/completions failed: ReadError"


def test_an_attempt_that_takes_too_long_says_how_long_was_waited() -> None:
    reply, *_ = ask(httpx.ReadTimeout("slow"), max_retries=1, timeout_seconds=2.5)
    assert reply == "request to http://x/v1/chat/completions timed out after 2.5s (after 2 attempts)"


@pytest.mark.parametrize(("header", "waited"), [
    ("0", 0.0), ("7", 7.0), (" 7 ", 7.0), ("60", 60.0), ("3600", 60.0), ("9" * 5000, 60.0), ("0" * 20 + "5", 5.0),
    ("0.5", 0.5), ("-5", 0.5), ("soon", 0.5), ("", 0.5), ("Mon, 01 Jan 99999999999 00:00:00 GMT", 0.5),
])  # fmt: skip
def test_retry_after_wins_over_the_schedule_as_far_as_it_can_be_read(header: str, waited: float) -> None:
    _, _, sleep = ask(failure(503, retry_after=header), GOOD)
    assert sleep.seconds == [waited]


@pytest.mark.parametrize(("later", "waited"), [(2, 2.0), (-30, 0.0), (86400, LONGEST_RETRY_AFTER_S)])
def test_a_date_to_retry_after_is_measured_from_the_answers_own_date(later: int, waited: float) -> None:
    when = format_datetime(LONG_AGO + timedelta(seconds=later), usegmt=True)
    _, _, sleep = ask(failure(503, retry_after=when, date=format_datetime(LONG_AGO, usegmt=True)), GOOD)
    assert sleep.seconds == [waited]


def test_a_date_without_one_of_the_answers_own_is_measured_from_now() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    seconds = retry_after_seconds(soon)
    assert seconds is not None
    assert 20 < seconds <= 30
    assert retry_after_seconds(soon, "rubbish") is not None


@given(st.text(max_size=40), st.none() | st.text(max_size=40))
def test_no_header_makes_a_wait_longer_than_a_minute_or_negative(header: str, date: str | None) -> None:
    seconds = retry_after_seconds(header, date)
    assert seconds is None or 0 <= seconds <= LONGEST_RETRY_AFTER_S


def test_what_is_neither_transient_nor_a_call_error_is_not_swallowed() -> None:
    async def attempt() -> str:
        raise KeyError("ours")

    with pytest.raises(KeyError):
        asyncio.run(with_retries(attempt, max_retries=3, sleep=Sleeps()))


@given(st.integers(0, 6), st.integers(0, 6))
def test_attempts_never_exceed_retries_plus_one(max_retries: int, failures: int) -> None:
    tried: list[int] = []

    async def attempt() -> str:
        tried.append(1)
        if len(tried) <= failures:
            raise Transient("busy")
        return "done"

    sleep = Sleeps()
    if failures > max_retries:
        with pytest.raises(CallError, match="busy"):
            asyncio.run(with_retries(attempt, max_retries=max_retries, sleep=sleep))
    else:
        assert asyncio.run(with_retries(attempt, max_retries=max_retries, sleep=sleep)) == "done"
    assert len(tried) == min(failures, max_retries) + 1
    assert sleep.seconds == [backoff(retry) for retry in range(len(tried) - 1)]
