"""What the adapters of a run prove: that every call was a new one, and where proof is missing.

Both are told from what came back, in dataset order, and never while calls are in flight: neither which of two equal
request ids is refused nor the order of reasons depends on what finished first.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from evalci.engine import Attempt, CaseRun, Slot
from evalci.model import CaseResult, Score, Trial
from evalci.wording import quoted, snippet


class OncePerRun:
    """Refuses request ids that were given before in the run: executors and judges, arms and trials together.

    Of two equal ids the later in dataset order is refused, as it would be if the calls were made one after the other:
    arm by arm, case by case, trial by trial, the executor and then the scorers as they are listed. Refusing both would
    be as deterministic, but would throw away the one call that proves something, and with concurrency 1 would take back
    a verdict that already stands. An id that a refused answer led to was given all the same.
    """

    def __init__(self, scrub: Callable[[str], str]) -> None:
        self._scrub = scrub
        self._given: dict[str, str] = {}

    def settle(self, runs: Sequence[CaseRun], target: object, slots: Sequence[Slot]) -> tuple[CaseRun, ...]:
        """One arm's runs as they stand once repeated ids are refused."""
        if not any(map(proves, (target, *(slot.scorer for slot in slots)))):
            return tuple(runs)
        return tuple(
            run._replace(
                attempts=tuple(
                    self._settled(attempt, (run.case.id, trial), target, slots)
                    for trial, attempt in enumerate(run.attempts)
                )
            )
            for run in runs
        )

    def _settled(self, attempt: Attempt, call: tuple[str, int], target: object, slots: Sequence[Slot]) -> Attempt:
        repeat = None if attempt.output is None else self._repeat(target, call)
        scores = tuple(
            self._settled_score(score, slot.scorer, call) for slot, score in zip(slots, attempt.scores, strict=False)
        )
        if repeat is not None:
            return Attempt(error=f"the executor's answer was refused: {repeat}")
        return attempt._replace(scores=scores)

    def _settled_score(self, score: Score, scorer: object, call: tuple[str, int]) -> Score:
        repeat = self._repeat(scorer, call)
        if repeat is None:
            return score
        error = f"the judge's answer was refused: {repeat}"
        broken = Score.broken(error, metadata=score.metadata, tokens=score.tokens)
        return broken.named(score.scorer, score.type)

    def _repeat(self, part: Any, call: tuple[str, int]) -> str | None:
        """Why the answer of one call proves nothing; None for a new id, and where there was no answer."""
        request_id = part.request_ids.get(call) if proves(part) else None
        if request_id is None:
            return None
        if request_id not in self._given:
            self._given[request_id] = call[0]
            return None
        before = f"was given before, in case {quoted(self._given[request_id])}"
        return self._scrub(f"request_id {quoted(snippet(request_id))} {before}: a replay proves nothing")


def missing_proof(results: Sequence[CaseResult], target: object, slots: Sequence[Slot]) -> tuple[str, ...]:
    """Why the evidence of an arm is incomplete: every call that its adapters did not prove."""
    scorers = [place for place, slot in enumerate(slots) if proves(slot.scorer)]
    if not scorers and not proves(target):
        return ()
    found = (reason for result in results for reason in _missing(result, scorers, executor=proves(target)))
    return tuple(dict.fromkeys(found))


def _missing(result: CaseResult, scorers: Sequence[int], *, executor: bool) -> Iterator[str]:
    # A case that the budget leaves out was not called, and its skipping is a reason of its own.
    if result.status == "skipped":
        return
    attempts: tuple[CaseResult | Trial, ...] = result.trials or (result,)
    for number, attempt in enumerate(attempts):
        where = f"case {quoted(result.id)}: {f'trial {number}: ' if result.trials else ''}"
        if executor and attempt.error is not None:
            yield f"{where}{attempt.error}"
        for score in (attempt.scores[place] for place in scorers if place < len(attempt.scores)):
            if score.error is not None:
                yield f"{where}{score.scorer}: {score.error}"


def proves(part: object) -> bool:
    """Must this target or scorer prove its calls?"""
    return hasattr(part, "request_ids")
