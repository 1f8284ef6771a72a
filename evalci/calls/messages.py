"""The live caller of chat messages as Python code gives them: any roles, any parts."""

import json
from collections.abc import Awaitable, Callable

from evalci.calls.call import Call, Reply
from evalci.calls.chat_answer import read_chat
from evalci.calls.endpoint import canonical
from evalci.calls.failures import check_status
from evalci.calls.retry import with_retries
from evalci.calls.transport import HttpRequest, Transport


class MessagesCaller:
    """Posts `{url}/chat/completions`; a call's input is its messages as JSON."""

    def __init__(
        self,
        transport: Transport,
        *,
        url: str,
        api_key: str | None,
        scrub: Callable[[str], str],
        sleep: Callable[[float], Awaitable[None]],
        max_retries: int = 2,
        timeout_seconds: float = 120.0,
    ) -> None:
        self._transport = transport
        self._url = f"{url.rstrip('/')}/chat/completions"
        self._headers = {"content-type": "application/json"}
        if api_key is not None:
            self._headers["authorization"] = f"Bearer {api_key}"
        self._scrub = scrub
        self._sleep = sleep
        self._max_retries = max_retries
        self._timeout = timeout_seconds

    async def __call__(self, call: Call) -> Reply:
        """The answer. Raises `CallError` when no attempt gave one."""
        identity = call.endpoint.identity
        body = canonical({"model": identity["model"], "messages": json.loads(call.input), **identity.get("params", {})})
        request = HttpRequest(
            method="POST", url=self._url, headers=self._headers, body=body, timeout_seconds=self._timeout
        )

        async def attempt() -> Reply:
            response = await self._transport.send(request)
            check_status(response, self._url, self._scrub)
            streamed = response.headers.get("content-type", "").lower().startswith("text/event-stream")
            return read_chat(
                response.text, self._url, latency_ms=response.latency_ms, scrub=self._scrub, streamed=streamed
            )

        return await with_retries(attempt, max_retries=self._max_retries, sleep=self._sleep)
