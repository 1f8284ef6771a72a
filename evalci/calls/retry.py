"""When a call is worth another attempt, and how long to wait before it."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, TypeVar

from evalci.calls.call import CallError
from evalci.wording import plain_number

if TYPE_CHECKING:
    from tenacity import RetryCallState

T = TypeVar("T")

FIRST_DELAY_S: Final = 0.5
LONGEST_DELAY_S: Final = 10.0
# A server may ask for more patience than its own schedule has, but not for an afternoon.
LONGEST_RETRY_AFTER_S: Final = 60.0


class Transient(Exception):
    """An attempt failed in a way that may get better: 429, 5xx, no connection, no answer in time."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


def backoff(retry: int) -> float:
    """Seconds before retry number `retry`, counted from 0: 0.5, 1, 2, 4, 8, then 10. No jitter: runs are repeatable."""
    return float(min(FIRST_DELAY_S * 2.0 ** min(retry, 16), LONGEST_DELAY_S))


def retry_after_seconds(header: str | None, date: str | None = None) -> float | None:
    """What a `Retry-After` header asks for, in seconds (0 to 60); None when it is absent or cannot be read.

    A point in time is measured from the answer's own `Date`, so that a wrong clock on either side changes nothing.
    """
    text = (header or "").strip()
    if text.isdecimal():
        return min(float(text), LONGEST_RETRY_AFTER_S)
    when = _moment(text)
    if when is None:
        return None
    wait = (when - (_moment(date or "") or datetime.now(UTC))).total_seconds()
    return max(0.0, min(wait, LONGEST_RETRY_AFTER_S))


def _moment(text: str) -> datetime | None:
    from email.utils import parsedate_to_datetime

    try:
        when = parsedate_to_datetime(text)
        return when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


async def with_retries(
    attempt: Callable[[], Awaitable[T]], *, max_retries: int, sleep: Callable[[float], Awaitable[None]]
) -> T:
    """The first answer of at most `max_retries + 1` attempts. Raises `CallError` when none gave one."""
    from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt

    def wait(state: "RetryCallState") -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = error.retry_after if isinstance(error, Transient) else None
        return backoff(state.attempt_number - 1) if asked is None else asked

    retrying = AsyncRetrying(
        stop=stop_after_attempt(max_retries + 1),
        wait=wait,
        retry=retry_if_exception_type(Transient),
        sleep=sleep,
        reraise=True,
    )
    try:
        return await retrying(attempt)
    except Transient as exc:
        attempts = max_retries + 1
        suffix = f" (after {attempts} attempts)" if attempts > 1 else ""
        raise CallError(f"{exc}{suffix}") from exc


def timed_out(url: str, seconds: float) -> Transient:
    """The failure of an attempt that got no whole answer in time."""
    return Transient(f"request to {url} timed out after {plain_number(seconds)}s")
