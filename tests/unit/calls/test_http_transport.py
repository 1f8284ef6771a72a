"""Sending requests: real servers once per path, a prepared network for the rest."""

import gzip
import threading
from typing import Any

import httpx
import pytest

from evalci.calls import CallError
from evalci.calls.retry import Transient
from evalci.calls.transport import HttpRequest, HttpResponse, Transport
from tests.doubles import Answer, Handler, Network, as_it_is, serving, using

KEY = {"authorization": "Bearer key-1", "x-api-key": "key-2", "content-type": "application/json"}


def a_request(url: str, **more: Any) -> HttpRequest:
    return HttpRequest(**{"method": "POST", "url": url, "headers": KEY, "body": b"{}", "timeout_seconds": 5.0, **more})


def send(url: str, transport: Transport | None = None, **more: Any) -> HttpResponse:
    return using(transport or Transport(as_it_is), lambda ours: ours.send(a_request(url, **more)))


def over(*answers: Answer) -> tuple[Transport, Network]:
    network = Network(list(answers))
    return Transport(as_it_is, client=network.client), network


class Fixed(Handler):
    """Sends fixed bytes, whatever it is asked."""

    raw = b""

    def do_POST(self) -> None:
        self.body()
        self.wfile.write(self.raw)
        self.close_connection = True


def a_server(raw_bytes: bytes) -> type[Fixed]:
    return type("AServer", (Fixed,), {"raw": raw_bytes})


def test_an_answer_comes_with_its_status_headers_and_time() -> None:
    with serving(a_server(b"HTTP/1.1 418 x\r\nX-One: 1\r\ncontent-length: 2\r\n\r\nhi")) as url:
        response = send(url)
    assert (response.status, response.text, response.headers["x-one"]) == (418, "hi", "1")
    assert response.latency_ms >= 0
    assert response.retry_after is None


@pytest.mark.parametrize(("body", "text"), [
    (b"\xef\xbb\xbfcaf\xc3\xa9", "café"),
    (b"a\xffb", "a\ufffdb"),
    (b"\xed\xa0\x80", "\ufffd\ufffd\ufffd"),
    (b"", ""),
])  # fmt: skip
def test_text_is_utf8_without_its_mark_whatever_the_server_calls_it(body: bytes, text: str) -> None:
    transport, _ = over(httpx.Response(200, content=body, headers={"content-type": "text/plain; charset=latin-1"}))
    assert send("http://x/", transport).text == text


def test_a_gzipped_answer_is_unpacked() -> None:
    packed = gzip.compress(b"hello")
    head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: %d\r\n\r\n" % len(packed)
    with serving(a_server(head + packed)) as url:
        assert send(url).text == "hello"


@pytest.mark.parametrize("raw", [
    b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel",
    b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort",
    b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 5\r\n\r\nhello",
    b"SSH-2.0-OpenSSH\r\n",
    b"",
])  # fmt: skip
def test_an_answer_that_breaks_off_may_be_asked_for_again(raw: bytes) -> None:
    with (
        serving(a_server(raw)) as url,
        pytest.raises(Transient, match=r"^request to http://127\.0\.0\.1:\d+ failed: ."),
    ):
        send(url)


def test_a_body_that_stalls_is_given_up_in_time() -> None:
    enough = threading.Event()

    class Stalls(Handler):
        def do_POST(self) -> None:
            self.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbegun")
            self.wfile.flush()
            enough.wait(10)
            self.close_connection = True

    with serving(Stalls) as url:
        with pytest.raises(Transient, match=r"timed out after 0\.2s$"):
            send(url, timeout_seconds=0.2)
        enough.set()


def test_nobody_listening_may_be_asked_again() -> None:
    with serving(Fixed) as url:
        pass
    with pytest.raises(Transient, match="failed"):
        send(url)


def test_an_answer_past_the_limit_is_refused_unpacked_or_not() -> None:
    body = gzip.compress(b"x" * (3 * 2**20))
    network = Network([httpx.Response(200, content=body, headers={"content-encoding": "gzip"})])
    transport = Transport(as_it_is, client=network.client, max_body_bytes=2 * 2**20)
    with pytest.raises(CallError, match="more than 2 MB"):
        send("http://x/", transport)


@pytest.mark.parametrize(
    "url", ["u", "", "ftp://x/", "http://", "http://127.0.0.1:99999/", "//x", "http://[::1", "http://\ud800/"]
)
def test_a_url_that_cannot_be_called_is_final(url: str) -> None:
    with pytest.raises(CallError, match="cannot send a request to"):
        send(url)


@pytest.mark.parametrize("url", ["http://x/a b", "http://x/é", "http://müller.example/v1", "http://x/%20?q=a b"])
def test_a_url_with_spaces_or_unicode_is_sent_encoded(url: str) -> None:
    transport, network = over(httpx.Response(200))
    send(url, transport)
    assert str(network.requests[0].url).isascii()
    assert " " not in str(network.requests[0].url)


@pytest.mark.parametrize("value", ["two\nlines", "a\0b"])
def test_a_header_that_cannot_be_sent_is_final(value: str) -> None:
    class Never(Handler):
        def do_POST(self) -> None:
            raise AssertionError("nothing should arrive")

    with serving(Never) as url, pytest.raises(CallError, match="cannot send a request to"):
        send(url, headers={"authorization": value})


def test_a_header_beyond_latin_1_is_final() -> None:
    transport, _ = over(httpx.Response(200))
    with pytest.raises(CallError, match="cannot send a request to"):
        send("http://x/", transport, headers={"authorization": "Bearer ключ"})


def test_errors_are_scrubbed() -> None:
    network = Network([httpx.ConnectError("no route for s3cret")])
    transport = Transport(lambda text: text.replace("s3cret", "***"), client=network.client)
    with pytest.raises(Transient, match=r"^request to http://\*\*\*/ failed: no route for \*\*\*$"):
        send("http://s3cret/", transport)


def test_a_redirect_within_the_origin_keeps_method_body_and_headers() -> None:
    transport, network = over(httpx.Response(307, headers={"location": "/v2/"}), httpx.Response(200, text="there"))
    assert send("http://x/v1", transport).text == "there"
    second = network.requests[1]
    assert (second.method, second.url.path, second.content) == ("POST", "/v2/", b"{}")
    assert second.headers["authorization"] == "Bearer key-1"
    assert second.headers["x-api-key"] == "key-2"


@pytest.mark.parametrize("elsewhere", ["http://evil.example/v1", "http://x:81/v1", "https://x/v1", "//y/"])
@pytest.mark.parametrize("status", [302, 307, 308])
def test_a_redirect_to_another_origin_does_not_take_the_key_along(elsewhere: str, status: int) -> None:
    transport, network = over(httpx.Response(status, headers={"location": elsewhere}), httpx.Response(200))
    send("http://x/v1", transport)
    assert "key-" not in str(network.requests[1].headers.raw)


def test_a_real_redirect_to_another_origin_does_not_take_the_key_along() -> None:
    seen: list[str] = []

    class There(Handler):
        def do_POST(self) -> None:
            seen.append(str(self.headers))
            self.body()
            self.reply(b"there")

    with serving(There) as there:

        class Here(Handler):
            def do_POST(self) -> None:
                self.body()
                self.reply(b"", status=307, location=there)

        with serving(Here) as here:
            assert send(here).text == "there"
    assert len(seen) == 1
    assert "key-" not in seen[0]


def test_redirects_in_a_circle_are_final() -> None:
    transport, network = over(httpx.Response(307, headers={"location": "http://x/v1"}))
    with pytest.raises(CallError, match="too many redirects"):
        send("http://x/v1", transport)
    assert len(network.requests) == 11


def test_a_key_goes_before_a_user_in_the_url() -> None:
    transport, network = over(httpx.Response(200))
    send("http://user:word@x/v1", transport)
    assert network.requests[0].headers["authorization"] == "Bearer key-1"


def test_without_a_key_a_user_in_the_url_signs_in() -> None:
    transport, network = over(httpx.Response(200))
    send("http://user:word@x/v1", transport, headers={})
    assert network.requests[0].headers["authorization"].startswith("Basic ")


def test_no_call_depends_on_cookies_of_the_one_before() -> None:
    transport, network = over(httpx.Response(200, headers={"set-cookie": "session=1; path=/"}))

    async def twice(transport: Transport) -> None:
        await transport.send(a_request("http://x/"))
        await transport.send(a_request("http://x/"))

    using(transport, twice)
    assert ["cookie" in request.headers for request in network.requests] == [False, False]


def test_a_transport_that_sent_nothing_has_nothing_to_close() -> None:
    async def nothing(transport: Transport) -> None:
        """The close comes after this."""

    using(Transport(as_it_is), nothing)
