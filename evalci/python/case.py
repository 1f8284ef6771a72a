"""A case as it is written in a Python suite."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """What is asked, and what a good answer looks like. Without an `id` it is numbered by its place: `case_0001`."""

    id: str | None = None
    input: Any = None
    expected: Any = None
    context: Sequence[str] | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
