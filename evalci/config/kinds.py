"""Rows of the plug-in tables: where a kind's settings live, loaded only when a suite names it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Kind:
    """One plug-in: `where` is `module:Class` of its settings, `about` one line for docs and editors.

    Targets of a kind with `own_score` add a score that is named like the kind. `forms` are other ways to set the kind
    up: the key that chooses one, and where its settings live. `recorded` says that all it does outside is to make calls
    that are recorded, `starts` that it starts a program.
    """

    where: str
    about: str
    own_score: bool = False
    recorded: bool = False
    starts: bool = False
    forms: Mapping[str, str] = field(default_factory=dict)

    def settings(self, keys: Iterable[str] = ()) -> Any:
        """The settings class of a block with these keys, imported now."""
        where = next((self.forms[key] for key in keys if key in self.forms), self.where)
        module, _, name = where.partition(":")
        return getattr(import_module(module), name)


@dataclass(frozen=True, kw_only=True, slots=True)
class Kinds:
    """The plug-in tables that a suite may choose from."""

    targets: Mapping[str, Kind]
    scorers: Mapping[str, Kind]
    gates: Mapping[str, Kind]
