"""The values around a client: the token that never shows, the effects handed in, and what differs between hosts."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from evalci.ci.failures import Call, Kind


class Secret:
    """A token that no message, traceback or log can show by accident."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value.strip()

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return "***" if self._value else "''"

    def reveal(self) -> str:
        """The token itself, for the header it belongs in."""
        return self._value

    @property
    def fits_a_header(self) -> bool:
        """Whether an HTTP header can carry it (a pasted line break or a typographic quote cannot be sent)."""
        return not self._value or (self._value.isascii() and self._value.isprintable())

    def hide_in(self, text: str) -> str:
        """The text with the token blotted out."""
        return text.replace(self._value, "***") if self._value else text


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """The outside world as handed in: a monotonic clock, a way to wait, and chance."""

    clock: Callable[[], float]
    sleep: Callable[[float], None]
    rng: random.Random


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What differs between code hosts: address, headers, where the token goes, and how a failure is explained."""

    name: str
    base_url: str
    headers: Mapping[str, str]
    token_header: Callable[[str], tuple[str, str]]
    remedy: Callable[[Kind, Call, str], str]


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer in hand: status, headers in lower case, and the body."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    next_page: str | None = None
