"""Running cases: dataset order, bounded concurrency, failures as data, nothing left running."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.calls import CallError
from evalci.engine import CaseRun, EngineSettings, Slot, run_cases
from evalci.engine.engine import BUG
from evalci.errors import CassetteError
from evalci.model import Case, Output, Score, TargetError
from evalci.scorers import ScorerError
from evalci.summary.budget import Budget

CASES = [Case(id=f"case-{i}", input=str(i)) for i in range(12)]


@dataclass
class Asked:
    """A target made of a function; it remembers what it was asked and how many were asked at once."""

    answer: Callable[[Case, int], Awaitable[Output]]
    calls: list[tuple[str, int]] = field(default_factory=list)
    in_flight: int = 0
    most_in_flight: int = 0

    async def ask(self, case: Case, trial: int) -> Output:
        self.calls.append((case.id, trial))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            return await self.answer(case, trial)
        finally:
            self.in_flight -= 1


async def at_once(case: Case, trial: int) -> Output:
    return Output(text=f"{case.input}/{trial}", trial=trial)


def after_some_turns(seed: int) -> Callable[[Case, int], Awaitable[Output]]:
    """Answers that come in another order than they were asked for."""
    rng = random.Random(seed)

    async def answer(case: Case, trial: int) -> Output:
        for _ in range(rng.randrange(9)):
            await asyncio.sleep(0)
        return await at_once(case, trial)

    return answer


@dataclass
class Judged:
    """A scorer made of a function."""

    judge: Callable[[Case, Output], Any]

    async def score(self, case: Case, output: Output) -> Score:
        score: Score = self.judge(case, output)
        return score


def slot(judge: Callable[[Case, Output], Any] = lambda case, output: Score.good(), name: str = "looks") -> Slot:
    return Slot.of(name, "looks", Judged(judge))


def run(target: Asked, *slots: Slot, cases: list[Case] = CASES, **settings: Any) -> tuple[CaseRun, ...]:
    return asyncio.run(run_cases(cases, target, slots, EngineSettings(**settings)))


def raising(exc: BaseException) -> Callable[..., Any]:
    def fail(*_: Any) -> Any:
        raise exc

    return fail


def failing(exc: BaseException) -> Asked:
    async def fail(case: Case, trial: int) -> Output:
        raise exc

    return Asked(fail)


# --- order and concurrency --------------------------------------------------------------------------------------------


@given(st.integers(0, 999), st.integers(1, 20), st.integers(0, 12))
def test_results_are_in_dataset_order_whatever_finishes_first(seed: int, concurrency: int, count: int) -> None:
    target = Asked(after_some_turns(seed))
    runs = run(target, cases=CASES[:count], concurrency=concurrency)
    assert [(found.case.id, found.attempts[0].output.text) for found in runs if found.attempts[0].output] == [
        (case.id, f"{case.input}/0") for case in CASES[:count]
    ]
    assert target.most_in_flight <= concurrency


@pytest.mark.parametrize("concurrency", [1, 3, 12])
def test_as_many_cases_as_allowed_are_in_flight_and_no_more(concurrency: int) -> None:
    reached = asyncio.Event()

    async def wait_for_the_others(case: Case, trial: int) -> Output:
        if target.in_flight == concurrency:
            reached.set()
        await asyncio.wait_for(reached.wait(), timeout=5)
        await asyncio.sleep(0)
        return await at_once(case, trial)

    target = Asked(wait_for_the_others)
    run(target, concurrency=concurrency)
    assert target.most_in_flight == concurrency


def test_no_cases_are_no_results() -> None:
    assert run(Asked(at_once), cases=[]) == ()


def test_a_case_that_waits_for_nothing_never_leaves_the_loop() -> None:
    """A replay runs to its end in one step of its worker."""
    target = Asked(at_once)
    turns = []

    async def both() -> None:
        ticker = asyncio.create_task(tick())
        await run_cases(CASES, target, [slot(), slot()], EngineSettings(concurrency=1))
        ticker.cancel()

    async def tick() -> None:
        while True:
            turns.append(len(target.calls))
            await asyncio.sleep(0)

    asyncio.run(both())
    assert set(turns) <= {0, len(CASES)}


def test_progress_is_told_once_per_case() -> None:
    told: list[int] = []
    run(Asked(at_once), progress=told.append, trials=3)
    assert told == [1] * len(CASES)


# --- scorers and trials -----------------------------------------------------------------------------------------------


def test_every_scorer_scores_in_the_order_of_the_suite_under_its_own_name() -> None:
    (found, *_) = run(Asked(at_once), slot(name="a"), slot(lambda c, o: Score.missed(o.text), "b"), slot(name="c"))
    scores = found.attempts[0].scores
    assert [(score.scorer, score.type, score.passed, score.reason) for score in scores] == [
        ("a", "looks", True, ""), ("b", "looks", False, "0/0"), ("c", "looks", True, "")
    ]  # fmt: skip


def test_trials_run_one_after_the_other_and_tell_their_number() -> None:
    target = Asked(after_some_turns(5))
    seen: list[int] = []
    runs = run(target, slot(lambda c, o: seen.append(o.trial) or Score.good()), cases=CASES[:1], trials=3)
    assert target.calls == [("case-0", 0), ("case-0", 1), ("case-0", 2)]
    assert target.most_in_flight == 1
    assert seen == [0, 1, 2]
    assert [attempt.output and attempt.output.text for attempt in runs[0].attempts] == ["0/0", "0/1", "0/2"]


def test_no_scorer_runs_on_an_output_that_is_not_there() -> None:
    (found, *_) = run(failing(TargetError("no answer: refused")), slot(raising(AssertionError())))
    assert found.attempts[0].error == "no answer: refused"
    assert found.attempts[0].scores == ()


# --- failures are data ------------------------------------------------------------------------------------------------


class Unusual(BaseException):
    """Some test frameworks raise failures of this kind."""


@pytest.mark.parametrize("exc", [
    ValueError("boom"), KeyError("k"), RecursionError(), MemoryError(), SystemExit(3), Unusual("odd"),
    StopAsyncIteration(), asyncio.CancelledError(), TimeoutError(), EOFError(), CallError("x"),
    ExceptionGroup("several", [ValueError("a")]),
])  # fmt: skip
def test_whatever_a_target_raises_becomes_data_and_is_admitted_as_our_bug(exc: BaseException) -> None:
    bugs: list[BaseException] = []
    runs = run(failing(exc), slot(), concurrency=2, on_bug=bugs.append)
    assert [found.case.id for found in runs] == [case.id for case in CASES]
    assert all(str(found.attempts[0].error).startswith(f"{BUG}: {type(exc).__name__}: ") for found in runs)
    assert bugs == [exc] * len(CASES)


@pytest.mark.parametrize(
    "exc", [ValueError("boom"), SystemExit(3), Unusual("odd"), asyncio.CancelledError(), MemoryError()]
)
def test_whatever_a_scorer_raises_breaks_its_score_and_no_other(exc: BaseException) -> None:
    bugs: list[BaseException] = []
    runs = run(Asked(at_once), slot(name="a"), slot(raising(exc), "b"), slot(name="c"), on_bug=bugs.append)
    for found in runs:
        first, broken, last = found.attempts[0].scores
        assert (first.passed, last.passed) == (True, True)
        assert (broken.scorer, broken.value, broken.passed) == ("b", None, False)
        assert str(broken.error).startswith(f"{BUG}: {type(exc).__name__}: ")
    assert len(bugs) == len(CASES)


@pytest.mark.parametrize(("exc", "said"), [
    (ScorerError("cannot grade"), "cannot grade"), (CallError("judge call failed"), "judge call failed"),
    (ScorerError(""), "ScorerError"),
])  # fmt: skip
def test_a_scorer_that_says_it_failed_is_no_bug_of_ours(exc: Exception, said: str) -> None:
    bugs: list[BaseException] = []
    (found, *_) = run(Asked(at_once), slot(raising(exc)), on_bug=bugs.append)
    assert found.attempts[0].scores[0].error == said
    assert found.attempts[0].scores[0].reason == f"scorer error: {said}"
    assert bugs == []


@pytest.mark.parametrize("answer", [None, True, 0.5, "text", Output(text="x")])
def test_a_scorer_that_answers_with_no_score_breaks_its_score(answer: Any) -> None:
    (found, *_) = run(Asked(at_once), slot(lambda case, output: answer))
    assert type(answer).__name__ in str(found.attempts[0].scores[0].error)


@pytest.mark.parametrize("answer", [None, "text", Score.good()])
def test_a_target_that_answers_with_no_output_fails_its_case(answer: Any) -> None:
    async def odd(case: Case, trial: int) -> Output:
        output: Output = answer
        return output

    (found, *_) = run(Asked(odd), slot())
    assert type(answer).__name__ in str(found.attempts[0].error)


def test_known_secrets_are_taken_out_of_errors_and_reasons() -> None:
    scrub = lambda text: text.replace("s3cret", "***")  # noqa: E731
    (found, *_) = run(failing(TargetError("no s3cret")), scrub=scrub)
    assert found.attempts[0].error == "no ***"
    (found, *_) = run(failing(ValueError("s3cret")), scrub=scrub)
    assert "s3cret" not in str(found.attempts[0].error)
    judges = [lambda c, o: Score.missed("saw s3cret"), raising(ScorerError("s3cret")), raising(ValueError("s3cret"))]
    (found, *_) = run(Asked(at_once), *map(slot, judges), scrub=scrub)
    assert all("***" in score.reason and "s3cret" not in f"{score}" for score in found.attempts[0].scores)


# --- what ends a run --------------------------------------------------------------------------------------------------


def test_answers_that_cannot_be_kept_end_the_run_at_once() -> None:
    full = CassetteError("cannot write recordings: the disk is full")

    async def fail(case: Case, trial: int) -> Output:
        await asyncio.sleep(0)
        if case.id == "case-3":
            raise full
        return await at_once(case, trial)

    target = Asked(fail)
    with pytest.raises(CassetteError) as caught:
        run(target, concurrency=1)
    assert caught.value is full
    assert len(target.calls) == 4
    with pytest.raises(CassetteError):
        run(Asked(at_once), slot(raising(full)))


def test_an_interrupt_is_no_case_that_failed() -> None:
    with pytest.raises(KeyboardInterrupt):
        run(failing(KeyboardInterrupt()))


def test_a_failure_of_progress_is_not_hidden_in_a_group() -> None:
    with pytest.raises(ZeroDivisionError):
        run(Asked(at_once), progress=raising(ZeroDivisionError()))


@pytest.mark.parametrize("where", ["target", "scorer"])
def test_a_cancelled_run_leaves_nothing_running(where: str) -> None:
    ended: list[str] = []
    started = asyncio.Event()

    async def hang(case: Case, trial: int) -> Output:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(case.id)
        raise AssertionError

    class Hangs:
        async def score(self, case: Case, output: Output) -> Score:
            await hang(case, 0)
            raise AssertionError

    async def cancel_it() -> set[asyncio.Task[Any]]:
        target = Asked(hang if where == "target" else at_once)
        slots = [Slot.of("a", "b", Hangs())]
        running = asyncio.create_task(
            run_cases(CASES, target, slots, EngineSettings(concurrency=4, on_bug=raising(AssertionError())))
        )
        await started.wait()
        await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        return asyncio.all_tasks() - {asyncio.current_task()}  # type: ignore[arg-type]

    assert asyncio.run(cancel_it()) == set()
    assert sorted(ended) == ["case-0", "case-1", "case-2", "case-3"]


def test_a_coroutine_that_is_closed_is_let_go() -> None:
    async def hang(case: Case, trial: int) -> Output:
        await asyncio.sleep(10)
        raise AssertionError

    from evalci.engine.engine import _Runner

    coroutine = _Runner(Asked(hang), (), EngineSettings()).run(CASES[0])

    async def begin_and_close() -> None:
        coroutine.send(None)
        coroutine.close()

    asyncio.run(begin_and_close())


# --- the budget of a live run -----------------------------------------------------------------------------------------


def test_when_the_budget_is_spent_no_case_is_started_and_what_is_in_flight_finishes() -> None:
    async def costly(case: Case, trial: int) -> Output:
        for _ in range(3):
            await asyncio.sleep(0)
        return Output(text="x", cost_usd=1.0)

    target = Asked(costly)
    runs = run(target, concurrency=4, purse=Budget(2.5))
    started = [found for found in runs if found.attempts]
    assert len(target.calls) == len(started)
    assert 3 <= len(started) <= 8
    assert all(found.attempts[0].output for found in started)
    assert all((found.spent_before or 0) >= 2.5 for found in runs if not found.attempts)


def test_scorers_and_all_trials_are_paid_for_and_a_started_case_finishes_its_trials() -> None:
    async def costly(case: Case, trial: int) -> Output:
        return Output(text="x", cost_usd=0.25)

    purse = Budget(1.0)
    judge = slot(lambda c, o: Score.graded(0.5, cost_usd=0.25))
    runs = run(Asked(costly), judge, judge, concurrency=1, trials=2, purse=purse)
    assert [len(found.attempts) for found in runs] == [2] + [0] * (len(CASES) - 1)
    assert purse.spent_usd == 1.5
    assert runs[1].spent_before == 1.5


def test_an_errored_target_costs_nothing() -> None:
    purse = Budget(1.0)
    run(failing(TargetError("no")), purse=purse)
    assert purse.spent_usd == 0
