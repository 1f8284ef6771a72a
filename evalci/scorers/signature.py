"""Which of output, expected and case a scorer function takes."""

import inspect
from collections.abc import Callable
from typing import Any, Final

OFFERED: Final = ("output", "expected", "case")
TAKES: Final = "__evalci_takes__"


class WrongSignature(TypeError):
    """A function that can never be called as a scorer; the text says why."""


def arguments_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """What to call a scorer with, in order. Raises `WrongSignature`.

    Required parameters that have the names of what is offered get that; any others are filled by position. Parameters
    with a default are the scorer's own settings.
    """
    stated: tuple[str, ...] | None = getattr(function, TAKES, None)
    if stated is not None:
        return stated
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return OFFERED[:2]
    required = [p for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    keyword_only = [p.name for p in required if p.kind is p.KEYWORD_ONLY]
    if keyword_only:
        raise WrongSignature(f"{name_of(function)}: the keyword-only argument {keyword_only[0]} can never be supplied")
    if len(required) > len(OFFERED):
        raise WrongSignature(f"{name_of(function)}: a scorer takes at most three arguments: {', '.join(OFFERED)}")
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return OFFERED
    names = tuple(p.name for p in required)
    in_order = [name for name in OFFERED if name in names]
    return names if list(names) == in_order else OFFERED[: len(names)]


def name_of(function: Callable[..., Any]) -> str:
    """What a report calls a scorer function: its name, `scorer` for a lambda, the class of a callable object."""
    name = getattr(function, "__name__", None) or type(function).__name__
    return "scorer" if name == "<lambda>" else str(name)
