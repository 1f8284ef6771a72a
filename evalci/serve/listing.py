"""The list of runs: what each row says, what it can be compared with, and how each suite did over time."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from evalci.history import PastRun

PAGE: Final = 50
SPARK_RUNS: Final = 50
WIDTH: Final = 160
HEIGHT: Final = 32
MARGIN: Final = 4

Suite = tuple[str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One run. `damage` says why its report cannot be read; `previous` is the run before it of the same suite."""

    run: PastRun
    damage: str | None
    previous: int | None

    @property
    def when(self) -> str:
        """`2026-01-02 03:04:05 UTC`."""
        return str(self.run.created_at).replace("T", " ").replace("Z", " UTC")


@dataclass(frozen=True, kw_only=True, slots=True)
class Spark:
    """How often the cases of a suite passed, the oldest of its newest runs first: points of a line, and words."""

    config: str
    target: str
    runs: int
    points: str
    last: tuple[float, float]
    rates: tuple[float, ...]
    passed: bool

    @property
    def words(self) -> str:
        """The line for those who do not see it."""
        low, high = min(self.rates), max(self.rates)
        over = "the last run" if len(self.rates) == 1 else f"the last {len(self.rates)} runs"
        return f"pass rate of {over}: now {self.rates[-1]:.0%}, lowest {low:.0%}, highest {high:.0%}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Listing:
    """A page of the list. `older` is where the next one starts, None at the end; `total` counts all runs."""

    rows: tuple[Row, ...]
    sparks: tuple[Spark, ...]
    older: int | None
    total: int


def listing(runs: Sequence[PastRun], damage: Callable[[int], str | None], before: int | None = None) -> Listing:
    """The runs older than `before`, or the newest. `damage` says of a run's id why its report cannot be read."""
    known = [run for run in runs if before is None or run.id < before]
    shown = known[:PAGE]
    damages = {run.id: _wrong_columns(run) or damage(run.id) for run in shown}
    previous = dict(_previous([run for run in runs if damages.get(run.id) is None]))
    return Listing(
        rows=tuple(Row(run=run, damage=damages[run.id], previous=previous.get(run.id)) for run in shown),
        sparks=tuple(_sparks(runs)),
        older=shown[-1].id if len(known) > PAGE else None,
        total=len(runs),
    )


def _wrong_columns(run: PastRun) -> str | None:
    """A database holds whatever was put there."""
    counts = (run.passed, run.total)
    if not all(isinstance(count, int) and count >= 0 for count in counts) or run.passed > run.total:
        return f"run {run.id} of the history is damaged: it passed {run.passed!r} of {run.total!r} cases"
    if not all(isinstance(text, str) for text in (run.created_at, run.config, run.target)):
        return f"run {run.id} of the history is damaged: its time, config or target is no text"
    return None


def _by_suite(runs: Sequence[PastRun]) -> dict[Suite, list[PastRun]]:
    """The sound runs of each suite and target, newest first, the suite that ran last first."""
    found: dict[Suite, list[PastRun]] = {}
    for run in runs:
        if _wrong_columns(run) is None:
            found.setdefault((run.config, run.target), []).append(run)
    return found


def _previous(runs: Sequence[PastRun]) -> Iterator[tuple[int, int]]:
    for mine in _by_suite(runs).values():
        yield from ((newer.id, older.id) for newer, older in pairwise(mine))


def _sparks(runs: Sequence[PastRun]) -> Iterator[Spark]:
    for (config, target), mine in _by_suite(runs).items():
        measured = [(run, rate) for run in mine[:SPARK_RUNS] if (rate := run.pass_rate) is not None]
        if measured:
            rates = tuple(rate for _, rate in reversed(measured))
            points = _points(rates)
            yield Spark(
                config=config,
                target=target,
                runs=len(mine),
                points=" ".join(f"{x:g},{y:g}" for x, y in points),
                last=points[-1],
                rates=rates,
                passed=mine[0].verdict,
            )


def _points(rates: Sequence[float]) -> list[tuple[float, float]]:
    """Evenly spaced, all at the bottom is 0 and at the top 1; a single run is a level line."""
    step = (WIDTH - 2 * MARGIN) / max(len(rates) - 1, 1)
    places = [
        (round(MARGIN + step * place, 2), round(MARGIN + (1 - rate) * (HEIGHT - 2 * MARGIN), 2))
        for place, rate in enumerate(rates)
    ]
    return places if len(places) > 1 else [*places, (float(WIDTH - MARGIN), places[0][1])]
