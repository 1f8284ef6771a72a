"""A case: what is asked, and what a good answer looks like."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """Where a case was read: a path relative to the project, and a line counted from 1."""

    file: str
    line: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """One row of a dataset.

    `input` is text in a YAML suite and anything in a Python suite; `expected` is any JSON value, None when there is
    none; `context` is the chunks an answer should be grounded in, None when there are none; `trace` is the path of a
    recorded trace, relative to its dataset file.
    """

    id: str
    input: Any = ""
    expected: Any = None
    context: tuple[str, ...] | None = None
    trace: str | None = None
    source: Source | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
