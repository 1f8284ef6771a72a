"""What a call to the code host can fail with: a kind, a cause, and the line of the workflow to change."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """Why a call gave nothing. The verdict of the suite never depends on it."""

    UNAUTHORIZED = "unauthorized"
    FORBIDDEN = "forbidden"
    MISSING = "missing"
    GONE = "gone"
    CONFLICT = "conflict"
    LOCKED = "locked"
    TOO_LONG = "too long"
    INVALID = "invalid"
    RATE_LIMITED = "rate limited"
    SERVER = "server error"
    TIMEOUT = "time-out"
    CONNECTION = "connection"
    DEADLINE = "deadline"
    REFUSED = "refused"
    MALFORMED = "malformed"


TRANSIENT = frozenset({Kind.RATE_LIMITED, Kind.SERVER, Kind.TIMEOUT, Kind.CONNECTION})


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request: what it is for in words, where it goes, and what the workflow has to grant for it."""

    name: str
    method: str
    path: str
    permission: str = ""

    def __str__(self) -> str:
        return f"{self.name} ({self.method} {self.path.partition('?')[0]})"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiFailure:
    """A call that gave nothing: why, and what to change.

    `maybe_done` says that a write may have taken effect all the same, so the caller has to look before it writes again;
    `wait` is how long the host asked us to wait, when it said so.
    """

    kind: Kind
    call: str
    message: str
    remedy: str = ""
    status: int | None = None
    maybe_done: bool = False
    wait: float | None = None

    def lines(self) -> tuple[str, ...]:
        """What happened, then what to change, indented by two."""
        return (f"could not {self.call}: {self.message}", *(f"  {line}" for line in self.remedy.splitlines()))

    def __str__(self) -> str:
        return "\n".join(self.lines())


def told_once(failures: Iterable[ApiFailure]) -> Iterator[str]:
    """Every failure's cause, and each remedy once."""
    told: set[str] = set()
    for failure in dict.fromkeys(failures):
        cause, *remedy = failure.lines()
        yield cause
        if failure.remedy not in told:
            yield from remedy
        told.add(failure.remedy)


class ApiError(Exception):
    """Carries an ApiFailure out of a call."""

    def __init__(self, failure: ApiFailure) -> None:
        super().__init__(str(failure))
        self.failure = failure


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")
_MESSAGE_LENGTH = 300


def printable(text: str) -> str:
    """Somebody else's text on one line, short, with nothing in it that a log would act on."""
    line = _CONTROL.sub(" ", text).replace("##[", "## [").replace("::", ": :").strip()
    return line if len(line) <= _MESSAGE_LENGTH else line[:_MESSAGE_LENGTH] + "…"
