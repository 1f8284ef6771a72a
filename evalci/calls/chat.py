"""The live caller of OpenAI-compatible chat endpoints: targets and judges share it."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from evalci.calls.call import Call, Reply
from evalci.calls.chat_answer import read_chat
from evalci.calls.endpoint import canonical, chat_endpoint
from evalci.calls.failures import check_status
from evalci.calls.retry import with_retries
from evalci.calls.transport import HttpRequest, Transport

__all__ = ["ChatCaller", "chat_endpoint", "chat_request"]


class ChatCaller:
    """Posts `{url}/chat/completions`, with the key as a bearer token."""

    def __init__(
        self,
        transport: Transport,
        *,
        api_key: str | None,
        scrub: Callable[[str], str],
        sleep: Callable[[float], Awaitable[None]],
        max_retries: int = 2,
        timeout_seconds: float = 120.0,
    ) -> None:
        self._transport = transport
        self._headers = {"content-type": "application/json"}
        if api_key is not None:
            self._headers["authorization"] = f"Bearer {api_key}"
        self._scrub = scrub
        self._sleep = sleep
        self._max_retries = max_retries
        self._timeout = timeout_seconds

    async def __call__(self, call: Call) -> Reply:
        """The answer. Raises `CallError` when no attempt gave one."""
        url, body = chat_request(call.endpoint.identity, call.input)
        request = HttpRequest(method="POST", url=url, headers=self._headers, body=body, timeout_seconds=self._timeout)

        async def attempt() -> Reply:
            response = await self._transport.send(request)
            check_status(response, url, self._scrub)
            streamed = response.headers.get("content-type", "").lower().startswith("text/event-stream")
            return read_chat(response.text, url, latency_ms=response.latency_ms, scrub=self._scrub, streamed=streamed)

        return await with_retries(attempt, max_retries=self._max_retries, sleep=self._sleep)


def chat_request(identity: Mapping[str, Any], text: str) -> tuple[str, bytes]:
    """Where the question goes and the body that carries it."""
    messages = [{"role": "user", "content": text}]
    if "system" in identity:
        messages.insert(0, {"role": "system", "content": identity["system"]})
    body = {"model": identity["model"], "messages": messages, **identity.get("params", {})}
    return f"{identity['url'].rstrip('/')}/chat/completions", canonical(body)
