"""What calls cost: rates per million tokens."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from evalci.config.settings import Fault, setting
from evalci.model import Tokens


@dataclass(frozen=True, kw_only=True, slots=True)
class CostRates:
    """Dollars per million tokens."""

    input_per_1m: float = setting(about="dollars per million input tokens")
    output_per_1m: float = setting(about="dollars per million output tokens")

    def of(self, tokens: Tokens | None) -> float | None:
        """Dollars for so many tokens; None when their number is not known."""
        if tokens is None:
            return None
        return (tokens.input * self.input_per_1m + tokens.output * self.output_per_1m) / 1e6


def check_rates(rates: CostRates | None, who: str) -> Iterator[Fault]:
    """Rates are finite and not negative."""
    if rates is None:
        return
    for key in ("input_per_1m", "output_per_1m"):
        value = getattr(rates, key)
        if not math.isfinite(value):
            yield Fault(f"cost.{key}", f"{who} has a cost rate that is no number")
        elif value < 0:
            yield Fault(f"cost.{key}", f"{who} has negative cost rates")
