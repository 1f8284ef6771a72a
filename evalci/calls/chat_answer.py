"""Reads the answer out of a chat completion as servers really send it."""

import json
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from evalci.calls.call import CallError, Reply
from evalci.calls.failures import error_body, error_object
from evalci.model import Tokens
from evalci.unicode import without_surrogates

Scrub = Callable[[str], str]


def read_chat(text: str, url: str, *, latency_ms: int, scrub: Scrub, streamed: bool = False) -> Reply:
    """The text, usage and remarks of a completion. Raises `CallError` when there is no text to grade."""
    body = _from_stream(text) if streamed else _parse(text, url, scrub)
    if not isinstance(body, dict):
        _refuse(url, "no JSON object", text, scrub)
    error = error_object(text) if body.get("error") else {}
    choice = _first_choice(body)
    if choice is None:
        if error:
            detail = error.get("message") or error_body(json.dumps(error), scrub)
            raise CallError(scrub(f"{url} answered 200 with an error: {detail}"))
        _refuse(url, "no choices[0].message.content", text, scrub)
    message = choice.get("message")
    message = message if isinstance(message, dict) else {}
    content = _content(message.get("content"))
    if content is None:
        _no_content(message, url, text, scrub)
    return Reply(
        text=content,
        latency_ms=latency_ms,
        tokens=read_usage(body.get("usage"), "prompt_tokens", "completion_tokens"),
        notes=tuple(_notes(choice)),
    )


def read_usage(usage: Any, input_key: str, output_key: str | None) -> Tokens | None:
    """Token counts, when both are there as non-negative integers; None otherwise, never zero for unknown."""
    if not isinstance(usage, dict):
        return None
    counts = (usage.get(input_key), 0 if output_key is None else usage.get(output_key))
    if all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in counts):
        return Tokens(*counts)
    return None


def _parse(text: str, url: str, scrub: Scrub) -> Any:
    try:
        return without_surrogates(json.loads(text))
    except (ValueError, RecursionError):
        raise CallError(scrub(f"{url} answered with a non-JSON body: {error_body(text, scrub)}")) from None


def _first_choice(body: dict[str, Any]) -> dict[str, Any] | None:
    choices = body.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else None


def _content(content: Any) -> str | None:
    """Text as it is; a list of parts as the texts in it, one after the other."""
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        found = [text for text in texts if isinstance(text, str)]
        return "".join(found) if found else None
    return content if isinstance(content, str) else None


def _no_content(message: dict[str, Any], url: str, text: str, scrub: Scrub) -> NoReturn:
    """Says what came instead of text: a refusal, tool calls, only reasoning."""
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal:
        raise CallError(scrub(f"the model refused: {error_body(refusal, scrub)} (choices[0].message.content is null)"))
    instead = ""
    if message.get("tool_calls"):
        names = ", ".join(_tool_names(message["tool_calls"]))
        instead = f"; the model asked for tools instead: {names}"
    elif message.get("reasoning_content") or message.get("reasoning"):
        instead = "; the model only reasoned: raise max_tokens"
    _refuse(url, f"no text in choices[0].message.content{instead}", text, scrub)


def _tool_names(calls: Any) -> Iterator[str]:
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        yield str(function.get("name")) if isinstance(function, dict) else "?"


def _refuse(url: str, what: str, text: str, scrub: Scrub) -> NoReturn:
    raise CallError(scrub(f"{url} answered with {what}: {error_body(text, scrub)}"))


def _notes(choice: dict[str, Any]) -> Iterator[str]:
    reason = choice.get("finish_reason")
    if reason == "length":
        yield "cut off by length (finish_reason: length)"
    elif reason == "content_filter":
        yield "cut off by the content filter (finish_reason: content_filter)"


def _from_stream(text: str) -> dict[str, Any]:
    """The completion that a stream of events adds up to; some servers stream though nobody asked."""
    parts: list[str] = []
    usage: Any = None
    finish: Any = None
    for line in text.splitlines():
        data = line.removeprefix("data:").strip()
        if not line.startswith("data:") or data == "[DONE]":
            continue
        try:
            event = without_surrogates(json.loads(data))
        except (ValueError, RecursionError):
            continue
        if not isinstance(event, dict):
            continue
        if event.get("error"):
            return {"error": event["error"]}
        usage = event.get("usage") or usage
        choice = _first_choice(event) or {}
        finish = choice.get("finish_reason") or finish
        delta = choice.get("delta")
        content = _content(delta.get("content")) if isinstance(delta, dict) else None
        parts += [content] if content else []
    message = {"content": "".join(parts) if parts else None}
    return {"choices": [{"message": message, "finish_reason": finish}], "usage": usage}
