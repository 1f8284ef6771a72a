"""How long to wait before asking again, and when not to: one rule for every call."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Final

from evalci.ci.failures import TRANSIENT, ApiFailure, Kind

# GitHub's words on secondary limits: without `retry-after`, wait at least a minute.
UNSAID_RATE_LIMIT_WAIT: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """The bounds of all waiting: how often a call is tried, how long one wait may be, and when everything ends."""

    attempts: int = 4
    first_wait: float = 1.0
    longest_wait: float = 120.0
    call_seconds: float = 10.0
    transfer_seconds: float = 60.0
    deadline_seconds: float = 300.0
    write_gap: float = 1.0


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds that the answer asks us to wait, by `retry-after` or by the reset of a used-up limit.

    A reset is a point in time: the answer's own `date` says how far away it is, so no clock of ours is asked.
    """
    now = _moment(headers.get("date"))
    after = headers.get("retry-after")
    if after is not None:
        if after.strip().isdecimal():
            return float(after)
        until = _moment(after)
        return max(0.0, until - now) if until is not None and now is not None else None
    reset = headers.get("x-ratelimit-reset", "")
    if headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal() and now is not None:
        return max(0.0, float(reset) - now) + 1.0
    return None


def wait_before(failure: ApiFailure, attempt: int, patience: Patience, rng: random.Random) -> float | None:
    """Seconds to wait before attempt number `attempt` + 1, or None when another attempt makes no sense."""
    if failure.kind not in TRANSIENT or attempt >= patience.attempts:
        return None
    if failure.kind is Kind.RATE_LIMITED:
        base = failure.wait if failure.wait is not None else UNSAID_RATE_LIMIT_WAIT * 2 ** (attempt - 1)
        seconds = base + rng.uniform(0.0, 1.0)
    else:
        seconds = max(failure.wait or 0.0, patience.first_wait * 2 ** (attempt - 1) * rng.uniform(0.5, 1.5))
    return seconds if seconds <= patience.longest_wait + 1.0 else None


def _moment(text: str | None) -> float | None:
    try:
        moment: datetime = parsedate_to_datetime(text or "")
        return moment.timestamp()
    except (TypeError, ValueError, OverflowError):
        return None
