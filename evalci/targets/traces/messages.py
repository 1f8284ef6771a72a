"""The text that a model or agent answered with, out of messages as either convention writes them."""

from collections.abc import Iterable
from typing import Any, Final

from evalci.targets.traces.strict import unwrapped

_ANSWERING: Final = (None, "assistant", "model", "ai")
_TEXT_PARTS: Final = (None, "text", "output_text")
_MESSAGE_KEYS: Final = ("role", "parts", "message")
_MOST_DIGITS: Final = 9


def answer_in(value: Any) -> str | None:
    """The answer in a list of messages, in one message, or in their JSON; text that is neither is the answer itself."""
    found = unwrapped(value)
    if isinstance(found, dict) and _is_message(found):
        return message_text(found)
    if isinstance(found, list) and all(isinstance(item, dict) for item in found):
        if any(map(_is_message, found)):
            return last_text(found)
        if any(_part_text(item) is not None for item in found):
            return _joined(found)
        if all("type" in item for item in found):
            return None
    return value if isinstance(value, str) and value else None


def spoken_in(value: Any) -> str | None:
    """The answer in what is known to be a message, or in its JSON; it need not look like one."""
    found = unwrapped(value)
    return message_text(found) if isinstance(found, dict) else answer_in(value)


def last_text(messages: Iterable[dict[str, Any]]) -> str | None:
    """The text of the last message that has any."""
    texts = [text for message in messages if (text := message_text(message)) is not None]
    return texts[-1] if texts else None


def message_text(message: dict[str, Any]) -> str | None:
    """The text parts of an assistant's message, one after the other; None when it has none or somebody else spoke."""
    if "message" in message:
        return spoken_in(message["message"])
    if message.get("role") not in _ANSWERING:
        return None
    content = message.get("parts")
    if content is None:
        content = message.get("content")
    if isinstance(content, str):
        return content or None
    return _joined(content) if isinstance(content, list) else None


def numbered(attributes: dict[str, Any], prefix: str) -> list[dict[str, Any]]:
    """What attributes such as `prefix.0.role` and `prefix.0.content` spell out, one dict for each number, in order."""
    found: dict[int, dict[str, Any]] = {}
    for key, value in attributes.items():
        if key.startswith(f"{prefix}."):
            number, _, rest = key[len(prefix) + 1 :].partition(".")
            if number.isascii() and number.isdecimal() and len(number) <= _MOST_DIGITS:
                found.setdefault(int(number), {})[rest] = value
    return [found[number] for number in sorted(found)]


def numbered_messages(attributes: dict[str, Any], prefix: str) -> list[dict[str, Any]]:
    """Messages whose parts are attributes of their own, as both `N.content` and `N.message.content`."""
    messages = []
    for flat in numbered(attributes, prefix):
        fields = {key.removeprefix("message."): value for key, value in flat.items()}
        parts = [
            {key.removeprefix("message_content."): value for key, value in part.items()}
            for part in numbered(fields, "contents")
        ]
        content = fields.get("content") or parts
        messages.append({"role": fields.get("role"), "content": content})
    return messages


def _joined(parts: list[Any]) -> str | None:
    return "".join(text for part in parts if (text := _part_text(part)) is not None) or None


def _part_text(part: Any) -> str | None:
    """The text of a text part; None for a tool call, a thought, an image."""
    if not isinstance(part, dict):
        return part if isinstance(part, str) else None
    if part.get("type") not in _TEXT_PARTS:
        return None
    return next((part[key] for key in ("content", "text") if isinstance(part.get(key), str)), None)


def _is_message(value: dict[str, Any]) -> bool:
    return any(key in value for key in _MESSAGE_KEYS)
