"""A matrix run side by side: which arm does best on each case."""

from collections.abc import Sequence
from typing import Final

from evalci.model import ArmWins, CaseResult, Comparison, ComparisonRow
from evalci.summary.numbers import mean

TIE: Final = 1e-9


def compare_arms(arms: Sequence[tuple[str, Sequence[CaseResult]]]) -> Comparison:
    """The arms, each a target's name and its results, compared case by case.

    Rows follow the first arm, cells match by case id, and an arm wins a case alone at the top or not at all.
    """
    targets = [target for target, _ in arms]
    by_id = [{result.id: result for result in results} for _, results in arms]
    first = arms[0][1] if arms else ()
    rows = tuple(_row(result.id, [found.get(result.id) for found in by_id], targets) for result in first)
    return Comparison(
        rows=rows,
        arms=tuple(ArmWins(target=target, wins=sum(row.winner == target for row in rows)) for target in targets),
        ties=sum(row.winner is None for row in rows),
    )


def _row(case_id: str, cells: Sequence[CaseResult | None], targets: Sequence[str]) -> ComparisonRow:
    means = tuple(mean(score.value for score in cell.scores) if cell else None for cell in cells)
    statuses = tuple(cell.status if cell else None for cell in cells)
    return ComparisonRow(case_id=case_id, means=means, statuses=statuses, winner=_winner(means, targets))


def _winner(means: Sequence[float | None], targets: Sequence[str]) -> str | None:
    """The one arm at the top, None when nothing was measured or others come within a rounding error of it."""
    best = max((value for value in means if value is not None), default=None)
    if best is None:
        return None
    top = [target for target, value in zip(targets, means, strict=True) if value is not None and best - value <= TIE]
    return top[0] if len(top) == 1 else None
