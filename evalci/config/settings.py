"""How a plug-in declares its settings: dataclass fields that say their range, and faults that say what is wrong.

A scorer, target or gate is a frozen dataclass whose fields are its YAML keys. The decoder reads the fields' types and
the notes made here; so does the published JSON Schema.
"""

from collections.abc import Iterator, Sequence
from dataclasses import MISSING, dataclass, field
from typing import Any, Protocol, runtime_checkable

NOTE = "evalci"


@dataclass(frozen=True, kw_only=True, slots=True)
class Note:
    """What a field says of itself beyond its type. Bounds are inclusive."""

    about: str = ""
    low: float | None = None
    high: float | None = None
    key: str | None = None


def setting(
    default: Any = MISSING,
    *,
    about: str = "",
    low: float | None = None,
    high: float | None = None,
    key: str | None = None,
    default_factory: Any = MISSING,
) -> Any:
    """A dataclass field with a note for decoder and schema. `key` is the YAML key where Python has no such name."""
    note = Note(about=about, low=low, high=high, key=key)
    if default_factory is not MISSING:
        return field(default_factory=default_factory, metadata={NOTE: note})
    return field(default=default, metadata={NOTE: note})


class Fault(Exception):
    """One mistake in a block of settings, found while checking or building it: the field, and what is wrong.

    `field` is a dotted path of YAML keys below the block, "" for the block as a whole.
    """

    def __init__(self, field: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.field = field
        self.message = message
        self.hint = hint


class Faults(Exception):
    """Several mistakes found in one go."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__("; ".join(fault.message for fault in faults))
        self.faults = tuple(faults)


@runtime_checkable
class Checked(Protocol):
    """Settings that check themselves across fields."""

    def check(self, who: str) -> Iterator[Fault]:
        """Every mistake in these settings; `who` is how messages name the block: `target "bot"`, `judge scorer`."""
        ...
