"""The totals of a run."""

from collections.abc import Sequence

from evalci.model import CaseResult, Score, Summary
from evalci.summary.numbers import mean, total
from evalci.summary.verdicts import case_passed, is_failing


def summarize(results: Sequence[CaseResult], scorer_names: Sequence[str] = ()) -> Summary:
    """The totals over results in dataset order.

    Means are per scorer name, over what was measured, in the order of `scorer_names`, then of appearance; a name that
    nothing was measured under has none. `left_out` counts each broken score, those of single trials too.
    """
    tokens = [result.tokens for result in results if result.tokens is not None]
    scores = [score for result in results for score in result.scores]
    tried = [score for result in results for scores in _tried(result) for score in scores]
    names = list(dict.fromkeys([*scorer_names, *(score.scorer for score in (*scores, *tried))]))
    return Summary(
        total=len(results),
        passed=sum(map(case_passed, results)),
        failed=sum(is_failing(result.status) for result in results),
        errored=sum(result.status == "errored" for result in results),
        skipped=sum(result.status == "skipped" for result in results),
        unjudged=sum(result.status == "unjudged" for result in results),
        flaky=sum(result.is_flaky for result in results),
        tokens=sum(tokens) if tokens else None,
        cost_usd=total(result.cost_usd for result in results),
        mean_score=_means(scores, names),
        left_out=_left_out(tried, names),
    )


def _tried(result: CaseResult) -> list[tuple[Score, ...]]:
    """The scores of each attempt at a case."""
    return [trial.scores for trial in result.trials] if result.trials else [result.scores]


def _means(scores: Sequence[Score], names: Sequence[str]) -> dict[str, float]:
    values: dict[str, list[float]] = {name: [] for name in names}
    for score in scores:
        if score.value is not None:
            values[score.scorer].append(score.value)
    means = {name: mean(seen) for name, seen in values.items()}
    return {name: value for name, value in means.items() if value is not None}


def _left_out(scores: Sequence[Score], names: Sequence[str]) -> dict[str, int]:
    counts = dict.fromkeys(names, 0)
    for score in scores:
        if score.error is not None:
            counts[score.scorer] += 1
    return {name: count for name, count in counts.items() if count}
