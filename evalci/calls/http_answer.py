"""Reads the output out of an HTTP answer as servers really send it."""

import json
import math
import re
from collections.abc import Callable
from typing import Any, Final, NoReturn

from evalci.calls.call import CallError
from evalci.calls.endpoint import canonical
from evalci.calls.failures import error_body
from evalci.calls.json_pointer import resolve
from evalci.calls.transport import HttpResponse
from evalci.unicode import without_surrogates
from evalci.wording import quoted

Scrub = Callable[[str], str]

_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_EVENT_FIELDS: Final = frozenset({"data", "event", "id", "retry"})


def read_answer(response: HttpResponse, pointer: str | None, url: str, scrub: Scrub) -> str:
    """The whole body as it is, or what the pointer names in it. Raises `CallError` when there is no such thing."""
    if pointer is None:
        return response.text
    try:
        return value_text(resolve(_document(response.text), pointer))
    except LookupError:
        problem = f"without a value at response_path {quoted(pointer)}"
    except (ValueError, TypeError, RecursionError):
        problem = f"with a non-JSON body, which response_path {quoted(pointer)} cannot read"
    body = error_body(response.text, scrub) or "(the body is empty)"
    raise CallError(scrub(f"{url} answered {response.status} {problem}: {body}"))


def value_text(value: Any) -> str:
    """A string as it is; any other value as compact JSON with sorted keys."""
    return value if isinstance(value, str) else canonical(value).decode("utf-8")


def _document(text: str) -> Any:
    """The JSON value of a body, or of the one event of a stream that nobody asked for."""
    try:
        return without_surrogates(_strict_json(text))
    except ValueError:
        data = _only_event(text)
        if data is None:
            raise
        return without_surrogates(_strict_json(data))


def _strict_json(text: str) -> Any:
    return json.loads(text, parse_constant=_refuse, parse_float=_finite)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        _refuse(text)
    return number


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON number")


def _only_event(text: str) -> str | None:
    """The data of a server-sent event when the text is a stream of exactly one."""
    events: list[str] = []
    lines: list[str] = []
    for line in (*_LINE_END.split(text), ""):
        name, _, value = line.partition(":")
        if name == "data":
            lines.append(value.removeprefix(" "))
        elif not line:
            events += ["\n".join(lines)] if lines else []
            lines = []
        elif name and name not in _EVENT_FIELDS:
            return None
    found = [data for data in events if data.strip() != "[DONE]"]
    return found[0] if len(found) == 1 else None
