"""Retries over a prepared network, as the golden rows have them."""

from typing import Any

import httpx

from evalci.calls import CallError, Reply
from evalci.calls.retry import backoff
from evalci.calls.transport import Transport
from tests.doubles import Answer, Network, Sleeps, a_call, as_it_is, chat_caller, completion, using


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    if "retries" in given:
        assert [round(backoff(retry) * 1000) for retry in given["retries"]] == want["delays_ms"]
        return
    network, sleep = Network([_answer(response) for response in given["responses"]]), Sleeps()
    transport = Transport(as_it_is, client=network.client)
    error = ""
    try:
        using(transport, lambda ours: _ask(ours, sleep, given["max_retries"]))
    except CallError as exc:
        error = str(exc)
    assert (not error) == want["ok"]
    assert len(network.requests) == want["attempts"]
    assert all(part in error for part in want.get("error_contains", ()))
    assert not any(part in error for part in want.get("error_lacks", ()))
    if "waits_ms" in want:
        assert [round(seconds * 1000) for seconds in sleep.seconds] == want["waits_ms"]
    if "error_body_chars" in want:
        assert error.count("x") - error.split(": ")[0].count("x") == want["error_body_chars"]


async def _ask(transport: Transport, sleep: Sleeps, max_retries: int) -> Reply:
    return await chat_caller(transport, sleep, max_retries=max_retries)(a_call())


def _answer(given: dict[str, Any]) -> Answer:
    if given.get("transport_error"):
        return httpx.ConnectError("connection refused")
    headers = {"retry-after": given["retry_after"]} if "retry_after" in given else {}
    if given["status"] == 200 and "body" not in given:
        return httpx.Response(200, json=completion())
    return httpx.Response(given["status"], text=given.get("body", ""), headers=headers)
