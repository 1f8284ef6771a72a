"""The live caller of any HTTP API: fills the request's template with the input, and sends it."""

from collections.abc import Mapping
from typing import Any, Final

from evalci.calls.call import Call, Reply
from evalci.calls.endpoint import PLACEHOLDER, canonical
from evalci.calls.http_answer import read_answer
from evalci.calls.live import LiveCaller
from evalci.calls.transport import HttpRequest, HttpResponse, Transport

_AS_IT_IS: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")


class HttpCaller(LiveCaller):
    """Sends what the template makes of an input; `auth` is the header that carries the key."""

    def __init__(self, transport: Transport, *, auth: tuple[str, str] | None, **how: Any) -> None:
        super().__init__(transport, **how)
        self._auth = auth

    async def __call__(self, call: Call) -> Reply:
        """The answer. Raises `CallError` when no attempt gave one."""
        template = call.endpoint.identity["http"]
        request = http_request(template, call.input, auth=self._auth, timeout_seconds=self._timeout)

        def read(response: HttpResponse) -> Reply:
            text = read_answer(response, template.get("response_path"), template["url"], self._scrub)
            return Reply(text=text, latency_ms=response.latency_ms)

        return await self._ask(request, template["url"], read)


def http_request(
    template: Mapping[str, Any], text: str, *, auth: tuple[str, str] | None, timeout_seconds: float
) -> HttpRequest:
    """What is sent for an input. The input is data: nothing in it is a template, an escape or a part of the URL."""
    headers = {name: value.strip(" \t") for name, value in template.get("headers", {}).items()}
    if auth is not None:
        headers[auth[0].lower()] = auth[1].strip(" \t")
    body = None
    if "body" in template:
        body = canonical(filled(template["body"], text))
        headers.setdefault("content-type", "application/json")
    return HttpRequest(
        method=template["method"],
        url=template["url"].replace(PLACEHOLDER, percent_encoded(text)),
        headers=headers,
        body=body,
        timeout_seconds=timeout_seconds,
    )


def percent_encoded(text: str) -> str:
    """The text with every byte that is no ASCII letter or digit as `%XX`."""
    data = text.encode("utf-8", "replace")
    return "".join(chr(byte) if byte in _AS_IT_IS else f"%{byte:02X}" for byte in data)


def filled(template: Any, text: str) -> Any:
    """The template with the input in every string value, at any depth; keys stay as they are."""
    if isinstance(template, str):
        return template.replace(PLACEHOLDER, text)
    if isinstance(template, Mapping):
        return {key: filled(value, text) for key, value in template.items()}
    if isinstance(template, (list, tuple)):
        return [filled(value, text) for value in template]
    return template
