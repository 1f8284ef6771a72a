"""Rows of the plug-in tables: where a kind's settings live, loaded only when a suite names it."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Kind:
    """One plug-in: `where` is `module:Class` of its settings, `about` one line for docs and editors.

    Targets of a kind with `own_score` add a score that is named like the kind.
    """

    where: str
    about: str
    own_score: bool = False

    def settings(self) -> Any:
        """The settings class, imported now."""
        module, _, name = self.where.partition(":")
        return getattr(import_module(module), name)


@dataclass(frozen=True, kw_only=True, slots=True)
class Kinds:
    """The plug-in tables that a suite may choose from."""

    targets: Mapping[str, Kind]
    scorers: Mapping[str, Kind]
    gates: Mapping[str, Kind]
