"""The run's budget: what has been spent, exactly, and the cases that it leaves out."""

from collections.abc import Iterable
from fractions import Fraction

from evalci.model import Case, CaseResult
from evalci.wording import plain_number


class Budget:
    """What one run, or one arm of it, may spend.

    A case whose turn comes once as much is spent is skipped, so the last one may overshoot. Amounts add up as they
    are written in decimal: three times 0.3 is 0.9.
    """

    def __init__(self, usd: float | None) -> None:
        self.usd = usd
        self._cap = None if usd is None else Fraction(str(usd))
        self._spent = Fraction(0)

    @property
    def spent_usd(self) -> float:
        return float(self._spent)

    @property
    def is_exhausted(self) -> bool:
        """Always false for a run without a budget."""
        return self._cap is not None and self._spent >= self._cap

    def spend(self, cost_usd: float | None) -> None:
        """Note what a case cost; an unknown cost adds nothing."""
        if cost_usd is not None:
            self._spent += Fraction(str(cost_usd))

    def skip(self, case: Case) -> CaseResult:
        """The result of a case that the exhausted budget leaves out."""
        if self.usd is None:
            raise ValueError("a run without a budget skips nothing")
        return skipped_result(case, self.usd, self.spent_usd)


def skipped_result(case: Case, budget_usd: float, spent_usd: float) -> CaseResult:
    """A failed case that says why it was not run: no output, no scores."""
    error = f"skipped: run budget of ${plain_number(budget_usd)} exhausted (spent ${spent_usd:.4f})"
    return CaseResult(case=case, status="skipped", error=error)


def charge(results: Iterable[CaseResult], budget_usd: float | None) -> tuple[CaseResult, ...]:
    """The results as the budget lets them stand, charged in dataset order whatever order they finished in."""
    budget = Budget(budget_usd)
    charged = []
    for result in results:
        if result.status != "skipped" and budget.is_exhausted:
            charged.append(budget.skip(result.case))
            continue
        budget.spend(result.cost_usd)
        charged.append(result)
    return tuple(charged)
