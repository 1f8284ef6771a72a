"""Rows on the http target: what is sent for an input, and what is read out of an answer."""

import json
from typing import Any

import pytest

from evalci.calls import CallError
from evalci.calls.endpoint import http_endpoint
from evalci.calls.http_answer import read_answer
from evalci.calls.http_call import http_request
from evalci.calls.transport import HttpRequest, HttpResponse
from evalci.model import Output
from evalci.targets.http import Http
from tests.doubles import as_it_is


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    if "response_body" in given:
        _answer(given, want)
        return
    request = _request(given)
    if "url" in want:
        assert request.url == want["url"]
    if "body" in want:
        assert json.loads(request.body or b"null") == want["body"]
    if "headers" in want:
        assert dict(request.headers) == want["headers"]
    if "tokens" in want:
        assert Output(text="").tokens == want["tokens"]


def _answer(given: dict[str, Any], want: dict[str, Any]) -> None:
    response = HttpResponse(status=given.get("status", 200), headers={}, text=given["response_body"], latency_ms=0)
    if "text" in want:
        assert read_answer(response, given["response_path"], "https://h/s", as_it_is) == want["text"]
        return
    with pytest.raises(CallError) as caught:
        read_answer(response, given["response_path"], "https://h/s", as_it_is)
    assert all(part in str(caught.value) for part in want["case_error_contains"])


def _request(given: dict[str, Any]) -> HttpRequest:
    keys = ("url", "method", "headers", "body", "api_key_env", "auth_header", "auth_prefix")
    settings = Http(**{"url": "https://h/s", **{key: given[key] for key in keys if key in given}})
    endpoint = http_endpoint(
        url=settings.url,
        method=settings.method,
        headers=settings.headers,
        body=settings.body,
        response_path=settings.response_path,
    )
    auth = settings.auth(given["key"]) if "key" in given else None
    return http_request(endpoint.identity["http"], given.get("input", ""), auth=auth, timeout_seconds=1)
