"""What a target made of a case: the text, how long it took, what it cost, and the path it took."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple


class TargetError(Exception):
    """The target gave no output for one case. Its text is the whole cause chain, joined with `: `."""


class Tokens(NamedTuple):
    """Tokens of one or more calls, both counts zero or more."""

    input: int
    output: int

    @property
    def total(self) -> int:
        return self.input + self.output

    def plus(self, other: "Tokens | None") -> "Tokens":
        """Both counts added; None adds nothing."""
        return self if other is None else Tokens(self.input + other.input, self.output + other.output)


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One tool call of a trajectory. `has_output` tells a recorded null from an output that was not recorded."""

    tool: str
    input: Any = None
    output: Any = None
    has_output: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Trajectory:
    """The tool calls of one agent run, in order."""

    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Output:
    """What a target answered in one trial.

    `latency_ms` is whole milliseconds as recorded; `tokens` and `cost_usd` are None when they are not known; `notes`
    are remarks for the report ("cut off by length"); `program` is what a program target saw, for its own scorer.
    """

    text: str
    latency_ms: int = 0
    tokens: Tokens | None = None
    cost_usd: float | None = None
    trajectory: Trajectory | None = None
    notes: tuple[str, ...] = ()
    program: Mapping[str, Any] | None = None
    trial: int = 0
