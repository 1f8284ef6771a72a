"""Sends HTTP requests. The HTTP library is imported by the first request, so a replay never pays for it."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evalci.calls.call import CallError
from evalci.calls.retry import Transient, retry_after_seconds, timed_out

if TYPE_CHECKING:
    import httpx

MAX_BODY_BYTES: Final = 64 * 1024 * 1024
MOST_REDIRECTS: Final = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpRequest:
    """One request to send, with the time one attempt may take."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None
    timeout_seconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpResponse:
    """A whole answer: its text decoded as UTF-8 with a byte-order mark taken off, and how long it took."""

    status: int
    headers: Mapping[str, str]
    text: str
    latency_ms: int

    @property
    def retry_after(self) -> float | None:
        """Seconds the server asks to wait, None when it does not say."""
        return retry_after_seconds(self.headers.get("retry-after"), self.headers.get("date"))


class Transport:
    """One pool of connections for a run; closes with it.

    `scrub` takes secrets out of what errors quote. `client` makes the HTTP client (tests hand in one with a transport
    of their own).
    """

    def __init__(
        self,
        scrub: Callable[[str], str],
        *,
        client: "Callable[[], httpx.AsyncClient] | None" = None,
        max_body_bytes: int = MAX_BODY_BYTES,
    ) -> None:
        self._scrub = scrub
        self._make_client = client or _default_client
        self._max_body_bytes = max_body_bytes
        self._client: httpx.AsyncClient | None = None

    async def send(self, request: HttpRequest) -> HttpResponse:
        """The answer, whatever its status. Raises `Transient` when there was none, `CallError` when none can be."""
        import httpx

        if self._client is None:
            self._client = _without_cookies(self._make_client())
        began = time.perf_counter()
        try:
            async with asyncio.timeout(request.timeout_seconds):
                status, headers, body = await self._exchange(self._client, request)
        except (TimeoutError, httpx.TimeoutException) as exc:
            raise timed_out(self._scrub(request.url), request.timeout_seconds) from exc
        except (
            httpx.InvalidURL,
            httpx.UnsupportedProtocol,
            httpx.LocalProtocolError,
            ValueError,
            OverflowError,
        ) as exc:
            raise CallError(self._scrub(f"cannot send a request to {request.url}: {exc}")) from exc
        except httpx.HTTPError as exc:
            detail = str(exc) or type(exc).__name__
            raise Transient(self._scrub(f"request to {request.url} failed: {detail}")) from exc
        latency = int((time.perf_counter() - began) * 1000)
        text = body.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
        return HttpResponse(status=status, headers=headers, text=text, latency_ms=latency)

    async def _exchange(self, client: "httpx.AsyncClient", request: HttpRequest) -> tuple[int, dict[str, str], bytes]:
        """Send, and follow where the server points; what was sent as a header goes to no other origin."""
        headers = [
            (name.encode("ascii"), value.strip(" \t").encode("latin-1")) for name, value in request.headers.items()
        ]
        sending = client.build_request(request.method, request.url, headers=headers, content=request.body)
        # A key in the headers goes before a user in the URL, which httpx would put in its place.
        more: dict[str, Any] = {"auth": _as_it_is} if "authorization" in sending.headers else {}
        for _ in range(MOST_REDIRECTS + 1):
            if (sending.url.port or 0) > 65535:
                raise CallError(self._scrub(f"cannot send a request to {sending.url}: no port is above 65535"))
            response = await client.send(sending, stream=True, follow_redirects=False, **more)
            try:
                if response.next_request is None:
                    return response.status_code, dict(response.headers), await self._body(response, request.url)
                sending = _redirected(sending, response.next_request, request.headers)
            finally:
                await response.aclose()
        raise CallError(self._scrub(f"request to {request.url} failed: too many redirects"))

    async def _body(self, response: "httpx.Response", url: str) -> bytes:
        chunks: list[bytes] = []
        size = 0
        async for chunk in response.aiter_bytes():
            size += len(chunk)
            if size > self._max_body_bytes:
                raise CallError(self._scrub(f"{url} answered with more than {self._max_body_bytes // 2**20} MB"))
            chunks.append(chunk)
        return b"".join(chunks)

    async def close(self) -> None:
        """Let the connections go."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None


def _redirected(sent: "httpx.Request", following: "httpx.Request", ours: Mapping[str, str]) -> "httpx.Request":
    """The request that a redirect asks for, without our headers when it leaves the origin."""
    if (sent.url.scheme, sent.url.netloc) != (following.url.scheme, following.url.netloc):
        for name in {"authorization", "cookie", *map(str.lower, ours)} - {"content-type", "accept"}:
            following.headers.pop(name, None)
    return following


def _as_it_is(request: "httpx.Request") -> "httpx.Request":
    return request


def _without_cookies(client: "httpx.AsyncClient") -> "httpx.AsyncClient":
    """The client with a jar that keeps nothing: an answer must not depend on the calls before it."""
    from http.cookiejar import DefaultCookiePolicy

    client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    return client


def _default_client() -> "httpx.AsyncClient":
    import httpx

    # Time limits are per attempt, set around the whole exchange; the pool is as wide as a run may be.
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=64)
    return httpx.AsyncClient(timeout=None, limits=limits)  # noqa: S113
