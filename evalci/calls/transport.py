"""Sends HTTP requests. The HTTP library is imported by the first request, so a replay never pays for it."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evalci.calls.call import CallError
from evalci.calls.retry import Transient, retry_after_seconds, timed_out
from evalci.unicode import utf8_text

if TYPE_CHECKING:
    import httpx

MAX_BODY_BYTES: Final = 64 * 1024 * 1024


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
        return retry_after_seconds(self.headers.get("retry-after"))


class Transport:
    """One pool of connections for a run; closes with it.

    `scrub` takes secrets out of what errors quote. `client` makes the HTTP client (tests hand in one with a transport
    of their own).
    """

    def __init__(
        self, scrub: Callable[[str], str], *, client: "Callable[[], httpx.AsyncClient] | None" = None
    ) -> None:
        self._scrub = scrub
        self._make_client = client or _default_client
        self._client: httpx.AsyncClient | None = None

    async def send(self, request: HttpRequest) -> HttpResponse:
        """The answer, whatever its status. Raises `Transient` when there was none, `CallError` when none can be."""
        import httpx

        if self._client is None:
            self._client = self._make_client()
        began = time.perf_counter()
        try:
            async with asyncio.timeout(request.timeout_seconds):
                status, headers, body = await self._exchange(self._client, request)
        except TimeoutError as exc:
            raise timed_out(self._scrub(request.url), request.timeout_seconds) from exc
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError) as exc:
            raise CallError(self._scrub(f"cannot send a request to {request.url}: {exc}")) from exc
        except httpx.TimeoutException as exc:
            raise timed_out(self._scrub(request.url), request.timeout_seconds) from exc
        except httpx.TooManyRedirects as exc:
            raise CallError(self._scrub(f"request to {request.url} failed: too many redirects")) from exc
        except httpx.HTTPError as exc:
            detail = str(exc) or type(exc).__name__
            raise Transient(self._scrub(f"request to {request.url} failed: {detail}")) from exc
        text = utf8_text(body.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace"))
        latency = int((time.perf_counter() - began) * 1000)
        return HttpResponse(status=status, headers=headers, text=text, latency_ms=latency)

    async def _exchange(self, client: "httpx.AsyncClient", request: HttpRequest) -> tuple[int, dict[str, str], bytes]:
        sent: dict[str, Any] = {"headers": dict(request.headers)}
        if request.body is not None:
            sent["content"] = request.body
        async with client.stream(request.method, request.url, **sent) as response:
            chunks: list[bytes] = []
            size = 0
            async for chunk in response.aiter_bytes():
                size += len(chunk)
                if size > MAX_BODY_BYTES:
                    raise CallError(self._scrub(f"{request.url} answered with more than 64 MB"))
                chunks.append(chunk)
            return response.status_code, dict(response.headers), b"".join(chunks)

    async def close(self) -> None:
        """Let the connections go."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None


def _default_client() -> "httpx.AsyncClient":
    import httpx

    # Time limits are per attempt, set around the whole exchange; the pool is as wide as a run may be.
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=64)
    return httpx.AsyncClient(timeout=None, limits=limits, follow_redirects=True)
