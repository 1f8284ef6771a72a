"""Any HTTP API: your own app's, mostly. A template makes the request, a pointer finds the answer."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evalci.calls import Call, Caller, CallError, Endpoint
from evalci.calls.endpoint import PLACEHOLDER, http_endpoint, is_json
from evalci.calls.json_pointer import is_pointer
from evalci.config.settings import Fault, setting
from evalci.model import Case, Output, TargetError
from evalci.targets.http_headers import is_header_name, is_header_value, masking, secret_values
from evalci.tools import Tools
from evalci.wording import quoted, snippet

METHODS = ("GET", "POST", "PUT", "PATCH")


@dataclass(frozen=True, kw_only=True, slots=True)
class Http:
    """Sends one request per input; answers are recorded and replayed.

    `{{input}}` stands for the case's input: percent-encoded in `url`, as it is in every string of `body`.
    """

    url: str = setting(about="where requests go; may hold {{input}}")
    method: str = setting("POST", about="GET, POST, PUT or PATCH")
    headers: Mapping[str, str] | None = setting(None, about="sent along as they are; no place for secrets")
    body: Any = setting(None, about="sent as JSON; its strings may hold {{input}}")
    response_path: str | None = setting(None, about="a JSON Pointer to the answer, such as /answer")
    api_key_env: str | None = setting(None, about="the environment variable that holds the key")
    auth_header: str | None = setting(None, about="the header that carries the key (default: authorization)")
    auth_prefix: str | None = setting(None, about='what stands before the key (default: "Bearer ")')
    max_retries: int = setting(2, about="further attempts after 429, 5xx, no connection or no answer in time", low=0)
    timeout_seconds: float = setting(120, about="time for each attempt", low=1)

    def check(self, who: str) -> Iterator[Fault]:
        yield from self._check_request(who)
        yield from self._check_auth(who)
        yield from self._check_headers(who)
        if self.response_path is not None and not (self.response_path and is_pointer(self.response_path)):
            message = f"{who}: response_path must be an RFC 6901 JSON Pointer starting with '/'"
            yield Fault("response_path", message, "for example /answer, or /choices/0/text; ~1 is a slash, ~0 a tilde")

    def _check_request(self, who: str) -> Iterator[Fault]:
        scheme, _, rest = self.url.partition("://")
        if scheme.lower() not in ("http", "https") or not rest:
            yield Fault("url", f"{who}: url must be a non-empty http:// or https:// URL")
        method = self.method.upper()
        if method not in METHODS:
            shown = quoted(snippet(self.method, 80))
            yield Fault("method", f"{who}: method {shown} is not one of {', '.join(METHODS)}")
        if method == "GET" and self.body is not None:
            yield Fault("body", f"{who}: a GET request may not carry a body")
        if PLACEHOLDER not in self.url and not _mentions_input(self.body):
            message = f"{who}: neither url nor body contains {PLACEHOLDER}; every case would send the same request"
            yield Fault("", message)
        if not is_json(self.body):
            yield Fault("body", f"{who}: body holds a number that JSON cannot carry (NaN or infinity)")

    def _check_auth(self, who: str) -> Iterator[Fault]:
        given = [key for key in ("auth_header", "auth_prefix") if getattr(self, key) is not None]
        if given and self.api_key_env is None:
            yield Fault(given[0], f"{who}: auth_header/auth_prefix require api_key_env")
        if not is_header_name(self._auth_header):
            yield Fault("auth_header", f"{who}: auth_header {quoted(self._auth_header)} is no header name")
        if not is_header_value(self._auth_prefix):
            yield Fault("auth_prefix", f"{who}: auth_prefix cannot be sent in a header", _SENDABLE)

    def _check_headers(self, who: str) -> Iterator[Fault]:
        names: set[str] = set()
        for name, value in (self.headers or {}).items():
            shown = quoted(snippet(name, 80))
            if not is_header_name(name):
                yield Fault(f"headers.{name}", f"{who}: {shown} is no header name")
            elif name.lower() in names:
                yield Fault(f"headers.{name}", f"{who}: header {shown} is given twice; names ignore case")
            if not is_header_value(value):
                yield Fault(f"headers.{name}", f"{who}: header {shown} has a value that cannot be sent", _SENDABLE)
            if self.api_key_env is not None and name.lower() == self._auth_header.lower():
                message = f"{who}: header {shown} collides with the auth header that carries {self.api_key_env}"
                yield Fault(f"headers.{name}", message, "remove it from headers, or choose another auth_header")
            names.add(name.lower())

    @property
    def _auth_header(self) -> str:
        return "authorization" if self.auth_header is None else self.auth_header

    @property
    def _auth_prefix(self) -> str:
        return "Bearer " if self.auth_prefix is None else self.auth_prefix

    def secrets(self) -> tuple[str, ...]:
        """What stands in the config and must not be shown all the same: header values that surely are secrets."""
        return secret_values(self.headers or {})

    def auth(self, key: str) -> tuple[str, str]:
        """The header that carries the key: its name and its value."""
        return self._auth_header, f"{self._auth_prefix}{key}"

    def build(self, tools: Tools) -> "HttpTarget":
        mask = masking(self.headers or {})
        endpoint = http_endpoint(
            url=self.url, method=self.method, headers=self.headers, body=self.body, response_path=self.response_path
        )
        return HttpTarget(endpoint, tools.caller(lambda: self._live(tools, mask)), mask)

    def _live(self, tools: Tools, mask: Callable[[str], str]) -> Caller:
        from evalci.calls.http_call import HttpCaller

        key = tools.secret(self.api_key_env)
        return HttpCaller(
            tools.transport,
            auth=None if key is None else self.auth(key),
            scrub=lambda text: mask(tools.scrub(text)),
            sleep=tools.clock.sleep,
            max_retries=self.max_retries,
            timeout_seconds=self.timeout_seconds,
        )


class HttpTarget:
    """Asks the API, or its recordings. An API of no known shape reports neither tokens nor cost."""

    def __init__(self, endpoint: Endpoint, caller: Caller, mask: Callable[[str], str]) -> None:
        self._endpoint = endpoint
        self._caller = caller
        self._mask = mask

    async def ask(self, case: Case, trial: int) -> Output:
        call = Call(endpoint=self._endpoint, input=case.input, label=case.id, case_id=case.id, trial=trial)
        try:
            reply = await self._caller(call)
        except CallError as exc:
            raise TargetError(self._mask(str(exc))) from exc
        return Output(text=reply.text, latency_ms=reply.latency_ms, notes=reply.notes, trial=trial)


_SENDABLE = "a header holds Latin-1 characters on one line"


def _mentions_input(template: Any) -> bool:
    """Is the placeholder anywhere in the body? In a key it counts too, although it is not filled in there."""
    if isinstance(template, Mapping):
        return any(PLACEHOLDER in key or _mentions_input(value) for key, value in template.items())
    if isinstance(template, list):
        return any(map(_mentions_input, template))
    return isinstance(template, str) and PLACEHOLDER in template
