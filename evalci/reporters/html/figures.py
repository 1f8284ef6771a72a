"""Numbers as a page writes them: never rounded into what they are not."""

from typing import Final

from evalci.model import GateOutcome, Summary
from evalci.reporters.facts import gate_actual
from evalci.wording import count_of

MOST_DECIMALS: Final = 6


def score(value: float | None) -> str:
    """`0.42`; more decimals where two would make a perfect or an empty score of one that is neither."""
    if value is None:
        return "not measured"
    decimals = 2
    while decimals < MOST_DECIMALS and _is_whole(f"{value:.{decimals}f}") and not float(value).is_integer():
        decimals += 1
    text = f"{value:.{decimals}f}" if abs(value) < 1e9 else f"{value:.3e}"
    return text.removeprefix("-") if float(text) == 0 else text


def _is_whole(text: str) -> bool:
    return float(text).is_integer()


def pair(before: float | None, after: float | None) -> tuple[str, str]:
    """Two values with as many decimals as it takes to tell them apart."""
    if before is None or after is None or before == after:
        return score(before), score(after)
    first, second = score(before), score(after)
    for decimals in range(2, MOST_DECIMALS + 1):
        if first != second:
            break
        first, second = f"{before:.{decimals}f}", f"{after:.{decimals}f}"
    return first, second


def duration(milliseconds: int) -> str:
    """`320 ms`, `4.2 s`, `75 s`."""
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    seconds = milliseconds / 1000
    return f"{seconds:.1f} s" if seconds < 60 else f"{seconds:,.0f} s"


def seen(gate: GateOutcome) -> str:
    """What the gate saw, in its unit; its label says what it wanted."""
    text = gate_actual(gate)
    if gate.actual is None:
        return text
    return {"cost": f"${text}", "latency": f"{text.removesuffix('.00')} ms"}.get(gate.type, text)


def meter(value: float) -> str:
    """A score from 0 to 1 as a CSS width, `41.67%`; what lies outside is shown at the end it is past."""
    return f"{100 * min(max(value, 0.0), 1.0):.2f}%"


def failing(summary: Summary) -> str:
    """`3 failed, 1 errored, 1 skipped`: what the failing cases are, when they are not all of one kind."""
    kinds = (
        (summary.failed - summary.errored - summary.skipped, "failed"),
        (summary.errored, "errored"),
        (summary.skipped, "skipped"),
    )
    named = [f"{count} {word}" for count, word in kinds if count > 0]
    return ", ".join(named) if summary.errored or summary.skipped else ""


def counted(count: int, what: str) -> str:
    return count_of(count, what)
