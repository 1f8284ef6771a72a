"""The live caller of OpenAI-compatible embeddings endpoints: one text per call, one vector back."""

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from evalci.calls.call import Call, CallError, Reply
from evalci.calls.chat_answer import read_usage
from evalci.calls.endpoint import canonical
from evalci.calls.failures import error_body, error_of, read_json
from evalci.calls.live import LiveCaller
from evalci.calls.transport import HttpResponse

Scrub = Callable[[str], str]

# The largest float32: recordings keep vectors in that type.
_LARGEST: Final = 3.4028235e38


class EmbeddingsCaller(LiveCaller):
    """Posts `{url}/embeddings`, with the key as a bearer token."""

    async def __call__(self, call: Call) -> Reply:
        """The vector. Raises `CallError` when no attempt gave one."""
        url, body = embeddings_request(call.endpoint.identity, call.input)

        def read(response: HttpResponse) -> Reply:
            return read_embedding(response.text, url, latency_ms=response.latency_ms, scrub=self._scrub)

        return await self._post(url, body, read)


def embeddings_request(identity: Mapping[str, Any], text: str) -> tuple[str, bytes]:
    """Where the text goes and the body that carries it: a list of one."""
    return f"{identity['url'].rstrip('/')}/embeddings", canonical({"model": identity["model"], "input": [text]})


def read_embedding(text: str, url: str, *, latency_ms: int, scrub: Scrub) -> Reply:
    """The vector of the one text that was sent. Raises `CallError` when the answer has none."""

    def refuse(what: str) -> CallError:
        return CallError(scrub(f"{url} answered with {what}: {error_body(text, scrub)}"))

    try:
        body = read_json(text)
    except ValueError:
        raise refuse("a non-JSON body") from None
    item = _first_item(body)
    if item is None:
        error = error_of(body)
        if error:
            detail = error.get("message") or error.get("code") or error
            raise CallError(scrub(f"{url} answered 200 with an error: {error_body(str(detail), scrub)}"))
        raise refuse("no data[0].embedding")
    vector = item.get("embedding")
    if not isinstance(vector, list) or not vector:
        raise refuse("no list of numbers in data[0].embedding")
    if not all(map(_fits, vector)):
        raise refuse("something in data[0].embedding that is no finite number")
    tokens = read_usage(body.get("usage"), "prompt_tokens", None)
    return Reply(vector=tuple(map(float, vector)), tokens=tokens, latency_ms=latency_ms)


def _first_item(body: Any) -> dict[str, Any] | None:
    """The result for the first text: the one with index 0, wherever it stands; without any index, the only one."""
    data = body.get("data") if isinstance(body, dict) else None
    items = [item for item in data if isinstance(item, dict)] if isinstance(data, list) else []
    for item in items:
        if type(item.get("index")) is int and item["index"] == 0:
            return item
    return items[0] if len(items) == 1 and items[0].get("index") is None else None


def _fits(number: Any) -> bool:
    """Is it a number that a recording can hold?"""
    is_number = isinstance(number, (int, float)) and not isinstance(number, bool)
    return is_number and abs(number) <= _LARGEST and math.isfinite(number)
