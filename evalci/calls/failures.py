"""What an HTTP status says: an answer, a failure that may pass, or one that will not."""

import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

from evalci.calls.call import CallError
from evalci.calls.retry import Transient
from evalci.calls.transport import HttpResponse

ERROR_BODY_CHARS: Final = 200
# Codes in an error's own fields; the wording of a message is no evidence.
_HOPELESS_CODES: Final = frozenset({
    "insufficient_quota",
    "billing_hard_limit_reached",
    "billing_not_active",
    "account_deactivated",
    "access_terminated",
    "content_filter",
    "content_policy_violation",
})


def check_status(response: HttpResponse, url: str, scrub: Callable[[str], str]) -> None:
    """Return when the status is a success. Raises `Transient` for 429 and 5xx, `CallError` for the rest.

    A 429 whose error code says that the quota is spent is no matter of waiting.
    """
    if 200 <= response.status < 300:
        return
    message = f"{url} answered {response.status}{_phrase(response.status)}: {error_body(response.text, scrub)}"
    message = scrub(message).rstrip(": ")
    transient = response.status == HTTPStatus.TOO_MANY_REQUESTS or response.status >= HTTPStatus.INTERNAL_SERVER_ERROR
    if transient and not _HOPELESS_CODES & error_codes(response.text):
        raise Transient(message, retry_after=response.retry_after)
    raise CallError(message)


def error_body(text: str, scrub: Callable[[str], str]) -> str:
    """The start of an error's body on one line; secrets go before the cut, so that no part of one is left."""
    return " ".join(scrub(text).split())[:ERROR_BODY_CHARS]


def error_codes(text: str) -> set[str]:
    """The `code` and `type` of a JSON error body, as far as it has them."""
    error = error_object(text)
    found = (error.get(key) for key in ("code", "type", "status"))
    return {value for value in found if isinstance(value, str)}


def error_object(text: str) -> dict[str, Any]:
    """The `error` member of a JSON body, empty when there is none."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    error = body.get("error") if isinstance(body, dict) else None
    if isinstance(error, str):
        return {"message": error}
    return error if isinstance(error, dict) else {}


def _phrase(status: int) -> str:
    try:
        return f" {HTTPStatus(status).phrase}"
    except ValueError:
        return ""
