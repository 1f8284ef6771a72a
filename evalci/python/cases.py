"""From what a Python suite lists to the cases of a run, each with an id of its own."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from evalci import model
from evalci.python.case import Case


def numbered(name: str, given: Iterable[Any]) -> tuple[model.Case, ...]:
    """The cases of the eval `name`, in order. Raises `ValueError` or `TypeError` when they cannot be run.

    A case without an id is called by its place, counted from 1.
    """
    cases = tuple(_case(place, entry) for place, entry in enumerate(given, start=1))
    if not cases:
        raise ValueError(f"eval {name!r} has no cases")
    twice = [case_id for case_id, count in Counter(case.id for case in cases).items() if count > 1]
    if twice:
        raise ValueError(f"eval {name!r} has duplicate case ids: {', '.join(twice)}")
    return cases


def _case(place: int, entry: Any) -> model.Case:
    if isinstance(entry, Mapping):
        entry = Case(**entry)
    if not isinstance(entry, Case):
        raise TypeError(f"case {place} is a {type(entry).__name__}; write Case(input=…, expected=…)")
    if entry.id is not None and not isinstance(entry.id, str):
        raise TypeError(f"case {place}: an id is text, got {entry.id!r}")
    if entry.id and not entry.id.strip():
        raise ValueError(f"case {place}: an id must not be blank")
    context = entry.context
    return model.Case(
        id=entry.id or f"case_{place:04d}",
        input=entry.input,
        expected=entry.expected,
        context=None if not context else ((context,) if isinstance(context, str) else tuple(context)),
        metadata=dict(entry.metadata),
    )
