"""The live caller of OpenAI-compatible chat endpoints: targets and judges share it."""

from collections.abc import Callable, Mapping
from typing import Any

from evalci.calls.call import Call, Reply
from evalci.calls.chat_answer import read_chat
from evalci.calls.endpoint import canonical
from evalci.calls.live import LiveCaller
from evalci.calls.transport import HttpResponse


class ChatCaller(LiveCaller):
    """Posts `{url}/chat/completions`, with the key as a bearer token."""

    async def __call__(self, call: Call) -> Reply:
        """The answer. Raises `CallError` when no attempt gave one."""
        url, body = chat_request(call.endpoint.identity, call.input)
        return await self._post(url, body, lambda response: read_completion(response, url, self._scrub))


def read_completion(response: HttpResponse, url: str, scrub: Callable[[str], str]) -> Reply:
    """The completion in an answer, also where the server streamed it unasked. Raises `CallError` when there is none."""
    streamed = response.headers.get("content-type", "").lower().startswith("text/event-stream")
    return read_chat(response.text, url, latency_ms=response.latency_ms, scrub=scrub, streamed=streamed)


def chat_request(identity: Mapping[str, Any], text: str) -> tuple[str, bytes]:
    """Where the question goes and the body that carries it."""
    messages = [{"role": "user", "content": text}]
    if "system" in identity:
        messages.insert(0, {"role": "system", "content": identity["system"]})
    body = {"model": identity["model"], "messages": messages, **identity.get("params", {})}
    return f"{identity['url'].rstrip('/')}/chat/completions", canonical(body)
