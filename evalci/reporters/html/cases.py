"""One case as the page lists it: a line that says how it went, and what lies behind it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from evalci.model import CaseResult, Score, Status, Trial
from evalci.reporters.facts import dollars
from evalci.reporters.html import figures
from evalci.wording import count_of, snippet

WHY_LENGTH: Final = 200
SCORES_ON_LINE: Final = 3
OPEN_CASES: Final = 40
# Past this many cases a browser takes its time, so that what hardly anybody unfolds is left out.
LONG: Final = 1_000
MARKS: Final[dict[str, str]] = {"passed": "✓", "failed": "✕", "errored": "!", "skipped": "–", "unjudged": "○"}
WORDS: Final[dict[str, str]] = {"unjudged": "no verdict"}


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseView:
    """A case with the anchor that other parts of the page point to. `bare` has nothing behind its line.

    `about_scores` is whether the metadata of its scores is told.
    """

    anchor: str
    result: CaseResult
    why: str
    side: tuple[str, ...]
    is_open: bool
    bare: bool
    about_scores: bool

    @property
    def kinds(self) -> str:
        """The classes that the filter goes by."""
        result = self.result
        kinds: list[str] = [result.status]
        if result.status not in ("passed", "unjudged"):
            kinds.append("failing")
        if result.is_flaky:
            kinds.append("flaky")
        return " ".join(dict.fromkeys(kinds))


def case_views(results: Sequence[CaseResult], prefix: str, most: int | None = None) -> tuple[CaseView, ...]:
    """Failing cases first, in the dataset's order, the first ones open. Those past `most` are bare."""
    anchored = [(f"{prefix}c{number}", result) for number, result in enumerate(results, 1)]
    ordered = sorted(anchored, key=lambda pair: not is_failing(pair[1].status))
    return tuple(
        CaseView(
            anchor=anchor,
            result=result,
            why=why(result),
            side=tuple(_side(result)),
            is_open=is_failing(result.status) and place < OPEN_CASES,
            bare=most is not None and place >= most,
            about_scores=len(results) <= LONG or is_failing(result.status),
        )
        for place, (anchor, result) in enumerate(ordered)
    )


def is_failing(status: Status) -> bool:
    return status not in ("passed", "unjudged")


def why(result: CaseResult) -> str:
    """The first thing that is wrong, for the line of the case."""
    reasons = reasons_of(result)
    if not reasons:
        return "no scorer gave a reason" if is_failing(result.status) else ""
    more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
    return snippet(" ".join(reasons[0].split()), WHY_LENGTH) + more


def reasons_of(result: CaseResult) -> tuple[str, ...]:
    """Why the case did not pass. To be skipped is no error of the target."""
    if result.status == "skipped" and result.error is not None:
        return (result.error,)
    return result.failures()


def _side(result: CaseResult) -> Iterator[str]:
    """What else the line says: trials, graded values, how long it took."""
    if result.trials:
        yield f"{result.passed_trials}/{len(result.trials)} trials"
    graded = [score for score in result.scores if is_graded(score)]
    for one in graded[:SCORES_ON_LINE]:
        yield f"{snippet(one.scorer, 30)} {figures.score(one.value)}"
    if result.output is not None or result.trials:
        yield figures.duration(result.latency_ms)


def long_texts(result: CaseResult, entries: int) -> Iterator[str]:
    """The texts of a case that may be of any length."""
    if result.output is not None:
        yield result.output.text
    if result.error is not None:
        yield result.error
    yield from (result.case.context or ())[:entries]
    yield from (score.reason for score in result.scores[:entries])


def is_graded(score: Score) -> bool:
    """Its value says more than its verdict."""
    return score.value is not None and (score.passed is None or score.value not in (0, 1))


def verdict(passed: bool | None) -> str:
    """The status that a score's or a trial's verdict is shown as."""
    return "unjudged" if passed is None else "passed" if passed else "failed"


def score_status(score: Score) -> str:
    return "errored" if score.error is not None else verdict(score.passed)


def trial_status(trial: Trial) -> str:
    return "errored" if trial.error is not None else verdict(trial.passed)


def costs(result: CaseResult) -> str:
    """`312 tokens, $0.0004`, empty when neither is known."""
    tokens = "" if result.tokens is None else count_of(result.tokens, "token")
    cost = "" if result.cost_usd is None else dollars(result.cost_usd)
    return ", ".join(filter(None, (tokens, cost)))
