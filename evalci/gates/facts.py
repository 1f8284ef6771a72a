"""What gates judge: the facts of one run, and how a gate is asked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from evalci.model import CaseResult, Classification, GateOutcome, Snapshot


@dataclass(frozen=True, kw_only=True, slots=True)
class GateFacts:
    """One run, or one arm of it, as gates see it.

    `before` is what the baseline holds of every case of this run whose content is still the same, by case id; None
    without a baseline. `like_for_like` is False when the scorers changed since.
    """

    results: Sequence[CaseResult]
    classification: Classification | None = None
    before: Mapping[str, Snapshot] | None = None
    like_for_like: bool = True


class Gate(Protocol):
    """One demand on the whole run."""

    def judge(self, facts: GateFacts) -> GateOutcome:
        """Whether the run meets it; what could not be measured counts as the worst."""
        ...


def evaluate(gates: Iterable[Gate], facts: GateFacts) -> tuple[GateOutcome, ...]:
    """What each gate says, in the order of the config."""
    return tuple(gate.judge(facts) for gate in gates)


def needs_classification(gates: Iterable[Any]) -> bool:
    """Whether any of these gates reads the classification, which the run then has to make."""
    return any(getattr(gate, "needs_classification", False) for gate in gates)
