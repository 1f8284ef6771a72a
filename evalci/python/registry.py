"""What a Python file registers: each `evaluate(…)` is one eval of its suite."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal

from evalci.calls.cost import CostRates
from evalci.model import Case
from evalci.python.cases import numbered
from evalci.scorers.signature import arguments_of


@dataclass(frozen=True, kw_only=True, slots=True)
class Registered:
    """One eval as its file states it, checked; `line` is where."""

    name: str
    cases: tuple[Case, ...]
    task: Callable[..., Any]
    scorers: tuple[Callable[..., Any], ...]
    gates: tuple[Mapping[str, Any], ...]
    prices: Mapping[str, CostRates]
    concurrency: int
    scorer_errors: Literal["fail", "exclude"]
    line: int


_REGISTRY: ContextVar[list[Registered] | None] = ContextVar("evalci_registry", default=None)


@contextmanager
def registering() -> Iterator[list[Registered]]:
    """The evals that are registered inside the block."""
    found: list[Registered] = []
    token = _REGISTRY.set(found)
    try:
        yield found
    finally:
        _REGISTRY.reset(token)


def evaluate(
    *,
    name: str,
    cases: Iterable[Any],
    task: Callable[..., Any],
    scorers: Sequence[Callable[..., Any]],
    gates: Sequence[Mapping[str, Any]] = (),
    prices: Mapping[str, Mapping[str, float]] | None = None,
    concurrency: int = 8,
    scorer_errors: Literal["fail", "exclude"] = "exclude",
) -> None:
    """Register an eval, which `evalci run FILE` and `pytest FILE` then run; nothing is run here.

    `task` gets a case's input and returns the output, sync or async. `gates` are written as in YAML:
    `{"type": "pass_rate", "min": 0.9}`. `prices` say by model what `llm` calls cost:
    `{"gpt-4o-mini": {"input_per_1m": 0.15, "output_per_1m": 0.60}}`.
    Raises `ValueError` or `TypeError` for what could never be run.
    """
    if not isinstance(name, str) or not name.strip():
        raise ValueError("an eval needs a name")
    if not callable(task):
        raise TypeError(f"eval {name!r}: the task is a function, got {type(task).__name__}")
    if not isinstance(concurrency, int) or isinstance(concurrency, bool) or concurrency < 1:
        raise ValueError(f"eval {name!r}: concurrency is a whole number from 1, got {concurrency!r}")
    if scorer_errors not in ("fail", "exclude"):
        raise ValueError(f'eval {name!r}: scorer_errors is "fail" or "exclude", got {scorer_errors!r}')
    registered = Registered(
        name=name,
        cases=numbered(name, cases),
        task=task,
        scorers=_checked(name, scorers),
        gates=tuple(dict(gate) for gate in gates),
        prices={model: CostRates(**rates) for model, rates in (prices or {}).items()},
        concurrency=concurrency,
        scorer_errors=scorer_errors,
        line=sys._getframe(1).f_lineno,
    )
    found = _REGISTRY.get()
    if found is not None:
        found.append(registered)


def _checked(name: str, scorers: Sequence[Callable[..., Any]]) -> tuple[Callable[..., Any], ...]:
    """The scorers, each of which can be called. Raises before a run spends money."""
    if not scorers:
        raise ValueError(f"eval {name!r} has no scorers")
    for function in scorers:
        if not callable(function):
            raise TypeError(f"eval {name!r}: a scorer is a function, got {type(function).__name__}")
        arguments_of(function)
    return tuple(scorers)
