"""Which attempts a run makes, and in which order: fixed by the cases, the mode, the number of runs and the seed."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from evalci.adapters.envelopes import Condition, Mode, conditions_of
from evalci.evidence.assertions import Assertion
from evalci.model import Case


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A case with what a good answer to it must hold."""

    case: Case
    assertions: tuple[Assertion, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """One execution of one case under one condition. `number` is its place in the run, from 1; so is `run`."""

    number: int
    question: Question
    condition: Condition
    run: int

    @property
    def folder(self) -> str:
        """Where its artifacts lie in the evidence folder."""
        return f"attempts/{self.number:04d}"


def plan_attempts(questions: Sequence[Question], mode: Mode, runs: int, seed: int) -> tuple[Attempt, ...]:
    """Every case under every condition, `runs` times, shuffled by the seed so that no condition comes first always."""
    wanted = [
        (question, condition, run)
        for run in range(1, runs + 1)
        for question in questions
        for condition in conditions_of(mode)
    ]
    random.Random(seed).shuffle(wanted)
    return tuple(
        Attempt(number=number, question=question, condition=condition, run=run)
        for number, (question, condition, run) in enumerate(wanted, start=1)
    )
