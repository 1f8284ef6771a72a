"""Reads the answer out of a chat completion as servers really send it."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final, NoReturn

from evalci.calls.call import CallError, Reply
from evalci.calls.failures import error_body, error_of, read_json
from evalci.model import Tokens
from evalci.unicode import without_surrogates

Scrub = Callable[[str], str]
# What a count of tokens may be; a larger number is no count, and no recording could hold it.
_MOST_TOKENS: Final = 2**53
# A stream's lines end so; other line separators may stand inside its JSON.
_LINE_END: Final = re.compile(r"\r\n|\n|\r")


def read_chat(text: str, url: str, *, latency_ms: int, scrub: Scrub, streamed: bool = False) -> Reply:
    """The text, usage and remarks of a completion. Raises `CallError` when there is no text to grade."""
    body = _from_stream(text, url, scrub) if streamed else _parse(text, url, "a non-JSON body", scrub)
    if not isinstance(body, dict):
        _refuse(url, "no JSON object", text, scrub)
    choice = _first_choice(body)
    error = error_of(body) or error_of(choice)
    if error:
        detail = error.get("message") or error.get("code") or error
        raise CallError(scrub(f"{url} answered 200 with an error: {error_body(str(detail), scrub)}"))
    if choice is None:
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
    asked, answered = _count(usage.get(input_key)), 0 if output_key is None else _count(usage.get(output_key))
    return None if asked is None or answered is None else Tokens(asked, answered)


def _count(value: Any) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST_TOKENS
    return value if is_count else None


def _parse(text: str, url: str, what: str, scrub: Scrub) -> Any:
    try:
        return without_surrogates(read_json(text))
    except (ValueError, RecursionError):
        _refuse(url, what, text, scrub)


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
        said = error_body(refusal, scrub)
        raise CallError(scrub(f"the model refused: {said} (no text in choices[0].message.content)"))
    instead = ""
    if message.get("tool_calls"):
        names = ", ".join(_tool_names(message["tool_calls"]))
        instead = f"; the model asked for tools instead: {error_body(names, scrub)}"
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


def _from_stream(text: str, url: str, scrub: Scrub) -> dict[str, Any]:
    """The completion that a stream of events adds up to; some servers stream though nobody asked."""
    parts: list[str] = []
    usage = finish = None
    done = False
    for line in _LINE_END.split(text):
        if not line.startswith("data:"):
            continue
        data = line.removeprefix("data:").strip()
        if data == "[DONE]":
            done = True
            continue
        event = _parse(data, url, "an event that is no JSON", scrub)
        event = event if isinstance(event, dict) else {}
        choice = _first_choice(event) or {}
        if error := error_of(event) or error_of(choice):
            return {"error": error}
        usage = event.get("usage") or usage
        finish = choice.get("finish_reason") or finish
        delta = choice.get("delta")
        content = _content(delta.get("content")) if isinstance(delta, dict) else None
        parts += [content] if content else []
    if not (done or finish):
        _refuse(url, "a stream that ends in the middle", text, scrub)
    message = {"content": "".join(parts) if parts else None}
    return {"choices": [{"message": message, "finish_reason": finish}], "usage": usage}
