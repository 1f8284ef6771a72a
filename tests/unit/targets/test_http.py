"""The http target: what is sent for an input, what its settings may be, and that header values are never shown."""

import asyncio
import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.calls.endpoint import http_endpoint
from evalci.calls.http_call import filled, http_request, percent_encoded
from evalci.calls.transport import HttpRequest
from evalci.cassette import Redactor
from evalci.config.settings import Fault
from evalci.model import Output, TargetError
from evalci.pipeline import Request, Surroundings, prepare
from evalci.targets.http import Http
from tests.doubles import Handler, Network, Sleeps, opened, serving, tools_in
from tests.factories import case, json_values

BODY = {"q": "{{input}}"}


def settings(**more: Any) -> Http:
    return Http(**{"url": "https://h/s", "body": BODY, **more})


def faults(**more: Any) -> list[tuple[str, str]]:
    return [(fault.field, fault.message) for fault in settings(**more).check('target "t"')]


def request_for(text: str, *, auth: tuple[str, str] | None = None, **more: Any) -> HttpRequest:
    target = settings(**more)
    endpoint = http_endpoint(
        url=target.url,
        method=target.method,
        headers=target.headers,
        body=target.body,
        response_path=target.response_path,
    )
    return http_request(endpoint.identity["http"], text, auth=auth, timeout_seconds=1)


# --- the request ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "url"), [
    ("a b&c=d", "a%20b%26c%3Dd"), ("a-b_c.d~e", "a%2Db%5Fc%2Ed%7Ee"), ("100%/x", "100%25%2Fx"), ("é\n", "%C3%A9%0A"),
    ("{{input}}", "%7B%7Binput%7D%7D"), ("", ""), ("\ud83d", "%3F"), ("😀", "%F0%9F%98%80"), ("٣", "%D9%A3"),
])  # fmt: skip
def test_every_byte_but_ascii_letters_and_digits_is_encoded_in_the_url(text: str, url: str) -> None:
    assert request_for(text, url="https://h/s?q={{input}}&r={{input}}").url == f"https://h/s?q={url}&r={url}"


@given(st.text())
def test_an_encoded_input_can_be_decoded_and_has_no_sign_of_its_own(text: str) -> None:
    assert str(httpx.QueryParams(f"q={percent_encoded(text)}")["q"]) == text
    assert set(percent_encoded(text)) <= set("%ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")


def test_strings_of_the_body_are_filled_at_any_depth_and_keys_are_not() -> None:
    body = {"{{input}}": "k", "nested": {"q": "ask {{input}} now"}, "list": ["{{input}}", 7, None, True], "n": 3}
    sent = request_for('re"funds\n', body=body).body
    assert sent is not None
    assert json.loads(sent) == {
        "{{input}}": "k",
        "nested": {"q": 'ask re"funds\n now'},
        "list": ['re"funds\n', 7, None, True],
        "n": 3,
    }


@given(json_values(), st.text(max_size=5))
def test_a_template_without_the_placeholder_is_sent_as_it_is(template: Any, text: str) -> None:
    assert filled(template, text) == template


@given(st.text(max_size=5))
def test_an_input_is_never_filled_twice(text: str) -> None:
    assert filled("<{{input}}>", text + "{{input}}") == f"<{text}{{{{input}}}}>"


def test_a_body_is_sent_as_json_and_the_key_in_its_header() -> None:
    request = request_for("hi", auth=("Authorization", "Bearer sk"))
    assert request.headers == {"authorization": "Bearer sk", "content-type": "application/json"}
    assert (request.method, request.body) == ("POST", b'{"q":"hi"}')


def test_a_content_type_of_the_suite_is_kept_and_names_are_lower_case() -> None:
    request = request_for(
        "hi", headers={"Content-Type": "text/plain", "X-Tenant": " acme\t"}, auth=("X-Api-Key", "raw")
    )
    assert request.headers == {"content-type": "text/plain", "x-tenant": "acme", "x-api-key": "raw"}


def test_without_a_body_none_is_sent_and_no_type_either() -> None:
    request = request_for("hi", url="https://h/{{input}}", method="get", body=None)
    assert (request.method, request.url, request.body, request.headers) == ("GET", "https://h/hi", None, {})


def test_the_key_of_a_recording_is_made_of_templates_and_leaves_out_what_is_not_set() -> None:
    bare = http_endpoint(url="https://h/{{input}}", method="post", headers={}, body=None, response_path=None)
    assert bare.identity == {"http": {"url": "https://h/{{input}}", "method": "POST"}}
    assert bare.key("hi") == "cc1eff2c074be242dd05c253986888428817f86f552b4fe743a956ac49022eb7"
    full = http_endpoint(
        url="https://api.myapp.com/chat",
        method="POST",
        headers=None,
        body={"question": "{{input}}"},
        response_path="/answer",
    )
    assert full.key("Where is my refund?") == "678c0632eb0a35291e2760273611b68855aafda7b227eb942954dff0101c22d1"
    named = http_endpoint(url="https://h", method="PUT", headers={"X-A": "V"}, body=[0], response_path="/")
    assert named.identity["http"]["headers"] == {"x-a": "V"}


# --- settings -------------------------------------------------------------------------------------------------------

WHO = 'target "t": '


@pytest.mark.parametrize(("more", "field", "message"), [
    ({"url": "ftp://h/{{input}}"}, "url", "url must be a non-empty http:// or https:// URL"),
    ({"url": ""}, "url", "url must be a non-empty http:// or https:// URL"),
    ({"url": "https://"}, "url", "url must be a non-empty http:// or https:// URL"),
    ({"method": "DELETE"}, "method", 'method "DELETE" is not one of GET, POST, PUT, PATCH'),
    ({"method": "get"}, "body", "a GET request may not carry a body"),
    ({"body": {"q": "x"}}, "", "neither url nor body contains {{input}}; every case would send the same request"),
    ({"body": [1, None]}, "", "neither url nor body contains {{input}}; every case would send the same request"),
    ({"body": {"q": "{{input}}", "n": float("nan")}}, "body",
     "body holds a number that JSON cannot carry (NaN or infinity)"),
    ({"body": ["{{input}}", [float("inf")]]}, "body", "body holds a number that JSON cannot carry (NaN or infinity)"),
    ({"auth_header": "x-api-key"}, "auth_header", "auth_header/auth_prefix require api_key_env"),
    ({"auth_prefix": ""}, "auth_prefix", "auth_header/auth_prefix require api_key_env"),
    ({"api_key_env": "K", "auth_header": "x key"}, "auth_header", 'auth_header "x key" is no header name'),
    ({"api_key_env": "K", "auth_prefix": "a\nb"}, "auth_prefix", "auth_prefix cannot be sent in a header"),
    ({"headers": {"x:y": "v"}}, "headers.x:y", '"x:y" is no header name'),
    ({"headers": {"": "v"}}, "headers.", '"" is no header name'),
    ({"headers": {"x-a": "s3cret\nx"}}, "headers.x-a", 'header "x-a" has a value that cannot be sent'),
    ({"headers": {"x-a": "s3cret\u2019"}}, "headers.x-a", 'header "x-a" has a value that cannot be sent'),
    ({"headers": {"x-a": "s3cret\x00"}}, "headers.x-a", 'header "x-a" has a value that cannot be sent'),
    ({"headers": {"x-a": "1", "X-A": "2"}}, "headers.X-A", 'header "X-A" is given twice; names ignore case'),
    ({"api_key_env": "K", "headers": {"Authorization": "Bearer nope"}}, "headers.Authorization",
     'header "Authorization" collides with the auth header that carries K'),
    ({"api_key_env": "K", "auth_header": "X-Api-Key", "headers": {"x-api-key": "v"}}, "headers.x-api-key",
     'header "x-api-key" collides with the auth header that carries K'),
    ({"response_path": "answer"}, "response_path", "response_path must be an RFC 6901 JSON Pointer starting with '/'"),
    ({"response_path": ""}, "response_path", "response_path must be an RFC 6901 JSON Pointer starting with '/'"),
    ({"response_path": "/a~2"}, "response_path", "response_path must be an RFC 6901 JSON Pointer starting with '/'"),
])  # fmt: skip
def test_a_mistake_is_told_at_its_field(more: Mapping[str, Any], field: str, message: str) -> None:
    assert faults(**more) == [(field, WHO + message)]
    assert "s3cret" not in message


@pytest.mark.parametrize("more", [
    {},
    {"url": "HTTP://h/{{input}}", "body": None, "method": "Get"},
    {"body": {"{{input}}": "a key is enough, though it is never filled in"}},
    {"url": "https://h/{{input}}", "body": None, "method": "put"},
    {"body": "{{input}}", "method": "patch", "headers": {"x-name": "caf\xe9", "authorization": "Basic x"}},
    {"api_key_env": "K", "auth_header": "x-api-key", "auth_prefix": "", "headers": {"authorization": "Basic x"}},
    {"response_path": "/"},
    {"response_path": "/a~1b/0/~0"},
])  # fmt: skip
def test_what_can_be_sent_is_no_mistake(more: Mapping[str, Any]) -> None:
    assert faults(**more) == []


def test_a_key_that_no_header_can_carry_is_told_by_its_name(tmp_path: Path) -> None:
    tools = tools_in(tmp_path, environ={"K": "abc\n"}, live=True)
    with pytest.raises(Fault, match="environment variable K cannot be sent in a header") as caught:
        settings(api_key_env="K").build(tools)
    assert caught.value.field == "api_key_env"
    settings(api_key_env="K").build(tools_in(tmp_path, environ={"K": "abc\n"}))


def test_a_live_run_needs_its_key_and_a_replay_does_not(tmp_path: Path) -> None:
    with pytest.raises(Fault, match="environment variable K is not set"):
        settings(api_key_env="K").build(tools_in(tmp_path, live=True))
    settings(api_key_env="K").build(tools_in(tmp_path))


# --- asking ---------------------------------------------------------------------------------------------------------


def ask(tmp_path: Path, target: Http, *answers: httpx.Response, **more: Any) -> tuple[Output | str, Network]:
    """The output, or the error's text, and what was sent to get it."""
    network = Network(list(answers))
    tools = tools_in(tmp_path, client=network.client, live=True, **more)

    async def run() -> Output | str:
        try:
            return await target.build(tools).ask(case("c1", input="hi"), 0)
        except TargetError as exc:
            return str(exc)
        finally:
            await tools.transport.close()

    return asyncio.run(run()), network


def test_an_output_has_no_tokens_and_no_cost(tmp_path: Path) -> None:
    body = {"answer": "yes", "usage": {"prompt_tokens": 1, "completion_tokens": 1}}
    output, _ = ask(tmp_path, settings(response_path="/answer"), httpx.Response(200, json=body))
    assert isinstance(output, Output)
    assert (output.text, output.tokens, output.cost_usd) == ("yes", None, None)


@pytest.mark.parametrize(("more", "name", "value"), [
    ({}, "authorization", "Bearer sk-1"),
    ({"auth_header": "X-Api-Key", "auth_prefix": ""}, "x-api-key", "sk-1"),
    ({"auth_prefix": "Token "}, "authorization", "Token sk-1"),
])  # fmt: skip
def test_the_key_goes_into_its_header(tmp_path: Path, more: Mapping[str, Any], name: str, value: str) -> None:
    target = settings(api_key_env="K", **more)
    _, network = ask(tmp_path, target, httpx.Response(200), environ={"K": "sk-1"})
    assert network.requests[0].headers[name] == value


def test_a_latin_1_header_is_sent_as_such(tmp_path: Path) -> None:
    _, network = ask(tmp_path, settings(headers={"x-name": "caf\xe9"}), httpx.Response(200))
    assert (b"x-name", b"caf\xe9") in network.requests[0].headers.raw


def test_failures_that_may_pass_are_tried_again_and_others_are_not(tmp_path: Path) -> None:
    busy, bad = httpx.Response(503, text="busy"), httpx.Response(404, text="no such route")
    sleeps = Sleeps()
    error, network = ask(tmp_path, settings(max_retries=1), busy, busy, sleep=sleeps)
    assert error == "https://h/s answered 503 Service Unavailable: busy (after 2 attempts)"
    assert (len(network.requests), sleeps.seconds) == (2, [0.5])
    error, network = ask(tmp_path, settings(), bad)
    assert error == "https://h/s answered 404 Not Found: no such route"
    assert len(network.requests) == 1


def test_errors_name_the_url_as_written_and_no_input(tmp_path: Path) -> None:
    target = settings(url="https://h/s?q={{input}}", response_path="/answer")
    error, _ = ask(tmp_path, target, httpx.Response(200, text="oops"))
    assert str(error).startswith("https://h/s?q={{input}} answered 200 with a non-JSON body")


HEADERS = {
    "X-Tenant": "acme-corp",
    "X-Api-Key": 'zk-9f\xe9b2"c7',
    "Authorization": "Bearer qwerty-12",
    "Cookie": "sid=c00kie; b=1",
}


@pytest.mark.parametrize("echo", [
    'zk-9f\xe9b2"c7', json.dumps('zk-9f\xe9b2"c7'), json.dumps('zk-9f\xe9b2"c7', ensure_ascii=False),
    "Bearer qwerty-12", "qwerty-12", "acme-corp", "c00kie",
])  # fmt: skip
@pytest.mark.parametrize("status", [200, 401, 503])
def test_a_header_value_that_a_server_repeats_is_in_no_error(tmp_path: Path, echo: str, status: int) -> None:
    target = settings(headers=HEADERS, response_path="/answer", max_retries=0)
    error, _ = ask(tmp_path, target, httpx.Response(status, text=f"denied: {echo} is no good"))
    assert "denied: " in str(error)
    assert not any(part in str(error) for part in ("zk-9f", "qwerty", "acme", "c00kie"))


def test_values_of_harmless_headers_spoil_no_error(tmp_path: Path) -> None:
    target = settings(headers={"accept": "application/json", "x-v": "1"}, response_path="/answer")
    error, _ = ask(tmp_path, target, httpx.Response(200, text="1 application/json"))
    assert str(error).endswith("1 application/json")


def test_a_miss_shows_no_header_value_old_or_new(tmp_path: Path) -> None:
    network = Network([httpx.Response(200, text="yes")])
    with opened(tmp_path / ".evalci", "auto") as cassette:
        tools = tools_in(tmp_path, cassette=cassette, client=network.client, live=True)
        asyncio.run(settings(headers={"x-tenant": "first-one"}).build(tools).ask(case("c1", input="hi"), 0))
    with opened(tmp_path / ".evalci", "replay") as cassette:
        target = settings(headers={"x-tenant": "second-one"}).build(tools_in(tmp_path, cassette=cassette))
        with pytest.raises(TargetError) as caught:
            asyncio.run(target.ask(case("c1", input="hi"), 0))
    assert "http.headers.x-tenant differs" in str(caught.value)
    assert "-one" not in str(caught.value)


def test_what_surely_is_a_secret_in_a_header_is_told_to_the_run() -> None:
    headers = {**HEADERS, "x-auth-token": "standard", "x-key": "k1", "monkey": "m0nkey-7"}
    assert set(settings(headers=headers).secrets()) == {
        'zk-9f\xe9b2"c7', "Bearer qwerty-12", "qwerty-12", "sid=c00kie; b=1", "c00kie",
    }  # fmt: skip
    assert settings().secrets() == ()


def test_a_run_masks_such_a_secret_wherever_it_turns_up(tmp_path: Path) -> None:
    suite = """
        targets: {t: {type: http, url: "http://127.0.0.1:1/{{input}}", headers: {x-api-key: zk-12345}}}
        datasets: [{file: cases.jsonl}]
        scorers: [{type: exact}]
    """
    (tmp_path / "evals.yaml").write_text(suite)
    (tmp_path / "cases.jsonl").write_text('{"input": "hi"}\n')
    plan = prepare(Request(config=tmp_path / "evals.yaml"), Surroundings(environ={}))
    assert plan.tools.known_secrets("it is zk-12345") == "it is [redacted]"


def test_recordings_hold_the_templates_and_replay_without_a_server(tmp_path: Path) -> None:
    seen: list[Any] = []

    class Server(Handler):
        def do_PUT(self) -> None:
            seen.append((self.path, self.headers["x-key"], self.headers["content-type"], self.body()))
            data = b"\xef\xbb\xbf" + json.dumps({"a/b": [{"t": "caf\xe9"}]}, ensure_ascii=False).encode()
            self.reply(gzip.compress(data), content_encoding="gzip")

    def target(url: str) -> Http:
        return settings(
            url=f"{url}/s?q={{{{input}}}}#part", method="put", api_key_env="K", auth_header="X-Key", auth_prefix="",
            response_path="/a~1b/0/t",
        )  # fmt: skip

    found = case("c1", input="a b-c")
    with serving(Server) as url, opened(tmp_path / ".evalci", "auto", Redactor(["k-1234567"])) as cassette:
        tools = tools_in(tmp_path, cassette=cassette, environ={"K": "k-1234567"}, live=True)

        async def live() -> Output:
            try:
                return await target(url).build(tools).ask(found, 0)
            finally:
                await tools.transport.close()

        first = asyncio.run(live())
    assert first.text == "café"
    assert seen == [("/s?q=a%20b%2Dc", "k-1234567", "application/json", b'{"q":"a b-c"}')]
    with opened(tmp_path / ".evalci", "replay") as cassette:
        assert asyncio.run(target(url).build(tools_in(tmp_path, cassette=cassette)).ask(found, 0)) == first
        with pytest.raises(TargetError, match=r'^cache miss for case "c1" in replay mode'):
            asyncio.run(target(url).build(tools_in(tmp_path, cassette=cassette)).ask(found, 1))
    (line,) = (tmp_path / ".evalci" / "cassette.jsonl").read_text("utf-8").splitlines()
    recorded = json.loads(line)
    assert recorded["kind"] == "http"
    assert recorded["request"]["input"] == "a b-c"
    assert "k-1234567" not in line
