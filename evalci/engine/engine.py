"""Asks the target and the scorers about every case. Results are in dataset order, whatever finishes first."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, NoReturn, Protocol

from evalci.calls import CallError
from evalci.errors import CassetteError
from evalci.model import PASSED, Case, Output, Score, TargetError
from evalci.scorers import Scorer, ScorerError
from evalci.targets import Target

BUG = "internal error in EvalCI, please report it"


@dataclass(frozen=True, kw_only=True, slots=True)
class Slot:
    """A scorer in its place in the suite, with the name and type its scores carry."""

    name: str
    type: str
    scorer: Scorer
    passed: Score

    @classmethod
    def of(cls, name: str, type_: str, scorer: Scorer) -> "Slot":
        return cls(name=name, type=type_, scorer=scorer, passed=PASSED.named(name, type_))


class Purse(Protocol):
    """What live runs may spend: asked before each case, told afterwards."""

    @property
    def spent_usd(self) -> float: ...

    @property
    def is_exhausted(self) -> bool: ...

    def spend(self, cost_usd: float | None) -> None:
        """Note what a call cost."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class EngineSettings:
    """How cases are run. `purse` keeps live runs from starting new cases; replays are charged afterwards.

    `scrub` takes known secrets out of what scorers and errors say; `on_bug` is told of our own failures.
    """

    concurrency: int = 4
    trials: int = 1
    purse: Purse | None = None
    scrub: Callable[[str], str] = str
    progress: Callable[[int], None] = lambda done: None
    on_bug: Callable[[BaseException], None] = lambda exc: None


# Named tuples, as the calls are: a replay makes one of each per case.


class Attempt(NamedTuple):
    """One trial: an output with a score per scorer, or the error that kept it from having one."""

    output: Output | None = None
    error: str | None = None
    scores: tuple[Score, ...] = ()


class CaseRun(NamedTuple):
    """A case and its attempts; none when the budget was spent before its turn, with how much that was."""

    case: Case
    attempts: tuple[Attempt, ...] = ()
    spent_before: float | None = None


async def run_cases(
    cases: Sequence[Case], target: Target, slots: Sequence[Slot], settings: EngineSettings
) -> tuple[CaseRun, ...]:
    """Every case, tried as often as the suite says. Never raises for what a target or scorer does.

    Raises `CassetteError` when answers can no longer be written down: going on would spend money on nothing.
    """
    runner = _Runner(target, tuple(slots), settings)
    runs: list[CaseRun | None] = [None] * len(cases)
    queue = iter(enumerate(cases))
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(settings.concurrency, len(cases))):
                group.create_task(_work(queue, runner, runs, settings.progress))
    except BaseExceptionGroup as exc:
        _raise_first(exc)
    return tuple(run for run in runs if run is not None)


async def _work(
    queue: Iterator[tuple[int, Case]], runner: "_Runner", runs: list[CaseRun | None], progress: Callable[[int], None]
) -> None:
    """One of the workers: takes the next case until there is none. A replayed case never leaves this loop."""
    for place, case in queue:
        runs[place] = await runner.run(case)
        progress(1)


class _Runner:
    """Runs one case after another, and keeps count of what they cost."""

    def __init__(self, target: Target, slots: tuple[Slot, ...], settings: EngineSettings) -> None:
        self._target = target
        self._slots = slots
        self._settings = settings

    async def run(self, case: Case) -> CaseRun:
        purse = self._settings.purse
        if purse is not None and purse.is_exhausted:
            return CaseRun(case=case, spent_before=purse.spent_usd)
        attempts = tuple([await self._attempt(case, trial) for trial in range(self._settings.trials)])
        if purse is not None:
            for attempt in attempts:
                _pay(purse, attempt)
        return CaseRun(case, attempts)

    async def _attempt(self, case: Case, trial: int) -> Attempt:
        try:
            output = await self._target.ask(case, trial)
            if not isinstance(output, Output):
                raise TypeError(f"the target answered with {type(output).__name__}")
        except TargetError as exc:
            return Attempt(error=self._settings.scrub(str(exc)))
        except BaseException as exc:
            return Attempt(error=self._bug(exc))
        return Attempt(output, None, tuple([await self._score(slot, case, output) for slot in self._slots]))

    async def _score(self, slot: Slot, case: Case, output: Output) -> Score:
        try:
            score = await slot.scorer.score(case, output)
            if not isinstance(score, Score):
                raise TypeError(f"the scorer answered with {type(score).__name__}")
        except (ScorerError, CallError) as exc:
            score = Score.broken(str(exc) or type(exc).__name__)
        except BaseException as exc:
            score = Score.broken(self._bug(exc))
        if score is PASSED:
            return slot.passed
        if score.reason or score.error:
            score = self._scrubbed(score)
        # A Score that was built in Python brings its own name.
        return score.named(score.scorer or slot.name, slot.type)

    def _scrubbed(self, score: Score) -> Score:
        scrub = self._settings.scrub
        error = None if score.error is None else scrub(score.error)
        return replace(score, reason=scrub(score.reason), error=error)

    def _bug(self, exc: BaseException) -> str:
        """What a case says of a failure that is ours. What must end the run is raised again."""
        if isinstance(exc, (CassetteError, KeyboardInterrupt, GeneratorExit)) or _is_cancelled(exc):
            raise exc
        self._settings.on_bug(exc)
        return self._settings.scrub(f"{BUG}: {type(exc).__name__}: {exc}")


def _is_cancelled(exc: BaseException) -> bool:
    """Is somebody ending this task? A target or scorer may also let a cancellation of its own slip out."""
    task = asyncio.current_task() if isinstance(exc, asyncio.CancelledError) else None
    return task is not None and task.cancelling() > 0


def _raise_first(group: BaseExceptionGroup[BaseException]) -> NoReturn:
    """The failure that ended the run, without the group around it."""
    first: BaseException = group
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    raise first


def _pay(purse: Purse, attempt: Attempt) -> None:
    """Take what an attempt cost out of the purse, judges included."""
    if attempt.output is not None:
        purse.spend(attempt.output.cost_usd)
    for score in attempt.scores:
        purse.spend(score.cost_usd)
