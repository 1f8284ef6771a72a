"""What an HTTP status says: an answer, a failure that may pass, or one that will not."""

import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final, NoReturn

from evalci.calls.call import CallError
from evalci.calls.retry import Transient
from evalci.calls.transport import HttpResponse

ERROR_BODY_CHARS: Final = 200
# Codes in an error's own fields; the wording of a message is no evidence.
_HOPELESS_CODES: Final = frozenset(
    {
        "insufficient_quota",
        "billing_hard_limit_reached",
        "billing_not_active",
        "account_deactivated",
        "access_terminated",
        "content_filter",
        "content_policy_violation",
    }
)


def check_status(response: HttpResponse, url: str, scrub: Callable[[str], str]) -> None:
    """Return when the status is a success. Raises `Transient` for 429 and 5xx, `CallError` for the rest.

    A 429 whose error code says that the quota is spent is no matter of waiting.
    """
    if 200 <= response.status < 300:
        return
    message = f"{url} answered {response.status}{_phrase(response.status)}: {error_body(response.text, scrub)}"
    message = scrub(message).removesuffix(": ")
    transient = response.status == HTTPStatus.TOO_MANY_REQUESTS or response.status >= HTTPStatus.INTERNAL_SERVER_ERROR
    if transient and not _HOPELESS_CODES & _codes(response.text):
        raise Transient(message, retry_after=response.retry_after)
    raise CallError(message)


def error_body(text: str, scrub: Callable[[str], str]) -> str:
    """The start of an error's body on one line; secrets go before the cut, so that no part of one is left."""
    return " ".join(scrub(text).split())[:ERROR_BODY_CHARS]


def read_json(text: str) -> Any:
    """The value of a JSON text. Raises `ValueError` for what is none, NaN and Infinity included."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError as exc:
        raise ValueError("nested too deep") from exc


def error_of(body: Any) -> dict[str, Any]:
    """The `error` member of a JSON body, empty when there is none."""
    error = body.get("error") if isinstance(body, dict) else None
    if isinstance(error, dict):
        return error if any(error.values()) else {}
    return {"message": error} if error else {}


def _codes(text: str) -> set[str]:
    """The `code`, `type` and `status` of a JSON error body, as far as it has them."""
    try:
        error = error_of(read_json(text))
    except ValueError:
        return set()
    return {value for key in ("code", "type", "status") if isinstance(value := error.get(key), str)}


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _phrase(status: int) -> str:
    try:
        return f" {HTTPStatus(status).phrase}"
    except ValueError:
        return ""
