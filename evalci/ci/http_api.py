"""The one client that talks to GitHub and GitLab: origin checks, pages, bounded retries, one deadline over all calls.

It waits only as long as it was told it may, sends the token to one origin only, and follows nobody elsewhere with it.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode, urljoin

from evalci.ci.failures import ApiError, ApiFailure, Call, Kind, printable
from evalci.ci.host import Answer, Effects, Host, Secret
from evalci.ci.remedies import kind_of
from evalci.ci.retry import Patience, asked_wait, wait_before
from evalci.ci.transport import origin_of

if TYPE_CHECKING:
    import httpx

JSON_BYTES: Final = 20_000_000
MAX_PAGES: Final = 100
_MAX_HOPS: Final = 3
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})


@dataclass(slots=True, kw_only=True)
class ApiClient:
    """Calls to one host with one token, all of them together within `patience.deadline_seconds`."""

    http: "httpx.Client"
    host: Host
    token: Secret
    effects: Effects
    patience: Patience = field(default_factory=Patience)
    slowest: float = 0.0
    _ends: float = field(init=False)
    _last_write: float | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self._ends = self.effects.clock() + self.patience.deadline_seconds

    def remaining(self) -> float:
        """Seconds left of the deadline over all calls."""
        return self._ends - self.effects.clock()

    def get(self, call: Call, params: Mapping[str, str] | None = None) -> Any:
        """The JSON of one answer."""
        return self._json(call, self._patiently(call, lambda: self._ask(call, self._url(call, params))))

    def pages(self, call: Call, params: Mapping[str, str] | None = None) -> Iterator[Any]:
        """The JSON of every page, as long as `Link: rel=next` stays on the host's own origin."""
        url: str | None = self._url(call, params)
        for _ in range(MAX_PAGES):
            if url is None:
                return
            answer = self._patiently(call, lambda here=url: self._ask(call, here))  # type: ignore[misc]
            yield self._json(call, answer)
            url = self._checked(call, urljoin(url, answer.next_page), "the next page") if answer.next_page else None
        if url is not None:
            raise self._error(call, Kind.REFUSED, f"more than {MAX_PAGES} pages; the rest was not read")

    def write(self, call: Call, body: Mapping[str, Any]) -> Any:
        """The JSON answer to one attempt to write: whoever writes has to look again before a second attempt."""
        self._before_write(call)
        return self._json(call, self._ask(call, self._url(call, None), body))

    def delete(self, call: Call) -> None:
        """Deletes; that it is gone already is as good."""
        self._before_write(call)
        try:
            self._patiently(call, lambda: self._ask(call, self._url(call, None)))
        except ApiError as exc:
            if exc.failure.status not in (404, 410):
                raise

    def download(self, call: Call, *, max_bytes: int, digest: str | None) -> bytes:
        """The bytes behind a redirect to a blob: fetched without credentials, bounded, their digest checked."""
        return self._patiently(call, lambda: self._fetch_blob(call, max_bytes, digest)).body

    def pause(self, failure: ApiFailure, attempt: int) -> bool:
        """Waits after attempt number `attempt`; False when the failure or the deadline makes another one senseless."""
        seconds = wait_before(failure, attempt, self.patience, self.effects.rng)
        if seconds is None or seconds >= self.remaining():
            return False
        self.effects.sleep(seconds)
        return True

    def keep_write_gap(self) -> None:
        """Waits until the next write may go out: GitHub asks for a second between two of them."""
        if self._last_write is not None:
            gap = self._last_write + self.patience.write_gap - self.effects.clock()
            if gap > 0:
                self.effects.sleep(gap)

    def _patiently(self, call: Call, attempt: Callable[[], Answer]) -> Answer:
        tries = 0
        while True:
            try:
                return attempt()
            except ApiError as exc:
                tries += 1
                if not self.pause(exc.failure, tries):
                    raise

    def _ask(self, call: Call, url: str, body: Mapping[str, Any] | None = None) -> Answer:
        """One exchange with the host itself; redirects are followed only where the token may go."""
        for _ in range(_MAX_HOPS):
            answer = self._exchange(call, call.method, url, body=body, with_token=True, max_bytes=JSON_BYTES)
            if answer.status not in _REDIRECTS:
                return self._successful(call, answer)
            url = self._checked(call, urljoin(url, answer.headers.get("location", "")), "a redirect")
        raise self._error(call, Kind.REFUSED, "too many redirects")

    def _fetch_blob(self, call: Call, max_bytes: int, digest: str | None) -> Answer:
        url = self._url(call, None)
        answer = self._exchange(call, "GET", url, with_token=True, max_bytes=max(JSON_BYTES, max_bytes))
        for _ in range(_MAX_HOPS):
            if answer.status not in _REDIRECTS:
                break
            target = urljoin(url, answer.headers.get("location", ""))
            scheme = origin_of(target)[0]
            if scheme != "https" and scheme != origin_of(self.host.base_url)[0]:
                raise self._error(call, Kind.REFUSED, f"the download leads to a {scheme or 'nameless'} address")
            url = target
            answer = self._exchange(call, "GET", url, with_token=False, max_bytes=max_bytes)
            if answer.status == 403:  # the signed address was valid for a minute: the host gives a new one
                raise self._error(call, Kind.SERVER, "the storage answered 403", status=403)
        answer = self._successful(call, answer)
        seen = f"sha256:{hashlib.sha256(answer.body).hexdigest()}"
        if digest is not None and digest.lower() != seen:
            raise self._error(call, Kind.REFUSED, f"the digest is {seen}, but {printable(digest)} was announced")
        return answer

    def _exchange(
        self,
        call: Call,
        method: str,
        url: str,
        *,
        with_token: bool,
        max_bytes: int,
        body: Mapping[str, Any] | None = None,
    ) -> Answer:
        import httpx

        left = self.remaining()
        if with_token and not self.token.fits_a_header:
            raise self._error(call, Kind.UNAUTHORIZED, "the token holds characters that no token has")
        if left <= 0:
            allowed = f"{self.patience.deadline_seconds:g} s"
            raise self._error(call, Kind.DEADLINE, f"the {allowed} for all calls together are over")
        began = self.effects.clock()
        try:
            request = self.http.build_request(
                method, url, json=body, headers=self._headers(with_token), timeout=min(self.patience.call_seconds, left)
            )
            response = self.http.send(request, stream=True)
            try:
                return self._read(call, response, max_bytes, began)
            finally:
                response.close()
        except httpx.ConnectError:
            raise self._lost(call, Kind.CONNECTION, "no connection", sent=False) from None
        except httpx.ConnectTimeout:
            raise self._lost(call, Kind.TIMEOUT, "no connection in time", sent=False) from None
        except httpx.TimeoutException:
            raise self._lost(call, Kind.TIMEOUT, "no answer in time", sent=True) from None
        except (httpx.HTTPError, httpx.InvalidURL):
            raise self._lost(call, Kind.CONNECTION, "the connection was cut", sent=True) from None
        finally:
            self.slowest = max(self.slowest, self.effects.clock() - began)

    def _read(self, call: Call, response: "httpx.Response", max_bytes: int, began: float) -> Answer:
        body = bytearray()
        ends = min(self._ends, began + self.patience.transfer_seconds)
        for chunk in response.iter_bytes():
            body += chunk
            if len(body) > max_bytes:
                raise self._error(call, Kind.REFUSED, f"the answer is over {max_bytes:,} bytes")
            if self.effects.clock() > ends:
                raise self._lost(call, Kind.TIMEOUT, "the answer did not end in time", sent=True)
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Answer(response.status_code, headers, bytes(body), response.links.get("next", {}).get("url"))

    def _headers(self, with_token: bool) -> dict[str, str]:
        from evalci import __version__

        headers = {"user-agent": f"evalci/{__version__}"}
        if with_token:
            headers |= self.host.headers
            if self.token:
                name, value = self.host.token_header(self.token.reveal())
                headers[name] = value
        else:
            headers["accept-encoding"] = "identity"
        return headers

    def _successful(self, call: Call, answer: Answer) -> Answer:
        if 200 <= answer.status < 300:
            return answer
        said = _said(answer.body)
        kind = kind_of(answer.status, answer.headers, said)
        wait = asked_wait(answer.headers)
        shown = f"{self.host.name} answered {answer.status}" + (f" ({printable(said)})" if said else "")
        if kind is Kind.RATE_LIMITED and wait is not None:
            shown += f" and asks to wait {wait:.0f} s"
        maybe_done = kind is Kind.SERVER and call.method != "GET"
        raise self._error(call, kind, shown, said=said, status=answer.status, maybe_done=maybe_done, wait=wait)

    def _json(self, call: Call, answer: Answer) -> Any:
        import orjson

        if answer.status == 204 or not answer.body:
            return None
        try:
            return orjson.loads(answer.body)
        except orjson.JSONDecodeError:
            message = f"{self.host.name} answered with something that is not JSON"
            raise self._error(call, Kind.MALFORMED, message) from None

    def _before_write(self, call: Call) -> None:
        """Without a token nothing can be written."""
        if not self.token:
            raise self._error(call, Kind.UNAUTHORIZED, "there is no token")
        self.keep_write_gap()
        self._last_write = self.effects.clock()

    def _url(self, call: Call, params: Mapping[str, str] | None) -> str:
        return self.host.base_url.rstrip("/") + call.path + (f"?{urlencode(params)}" if params else "")

    def _checked(self, call: Call, url: str, what: str) -> str:
        """The address when it is on the host's own origin: the token goes nowhere else."""
        if origin_of(url) != origin_of(self.host.base_url):
            raise self._error(call, Kind.REFUSED, f"{what} is on another host ({printable(origin_of(url)[1])})")
        return url

    def _lost(self, call: Call, kind: Kind, message: str, *, sent: bool) -> ApiError:
        return self._error(call, kind, message, maybe_done=sent and call.method != "GET")

    def _error(
        self,
        call: Call,
        kind: Kind,
        message: str,
        *,
        said: str = "",
        status: int | None = None,
        maybe_done: bool = False,
        wait: float | None = None,
    ) -> ApiError:
        remedy = self.host.remedy(kind, call, said)
        return ApiError(
            ApiFailure(
                kind=kind,
                call=str(call),
                message=self.token.hide_in(message),
                remedy=self.token.hide_in(remedy),
                status=status,
                maybe_done=maybe_done,
                wait=wait,
            )
        )


def _said(body: bytes) -> str:
    """What an error's body says in words: `message`, and the messages of its `errors`."""
    import orjson

    try:
        data = orjson.loads(body)
    except orjson.JSONDecodeError:
        return ""
    if not isinstance(data, dict):
        return ""
    parts = [data.get("message"), data.get("error")]
    errors = data.get("errors")
    if isinstance(errors, list):
        parts += [item.get("message") if isinstance(item, dict) else item for item in errors]
    return "; ".join(str(part) for part in parts if part)
