"""Which variables a started program sees."""

import os
from collections.abc import Collection, Iterable, Mapping
from typing import Final

_NOTHING: Final[Mapping[str, str]] = {}
_LOCALE: Final = {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}


def inherited(
    environ: Mapping[str, str], *, extra: Mapping[str, str] = _NOTHING, without: Collection[str] = ()
) -> dict[str, str]:
    """All of `environ` but the names in `without` (keys that are another part's business), and `extra` on top."""
    return {name: value for name, value in environ.items() if name not in without} | dict(extra)


def minimal(
    environ: Mapping[str, str], *, names: Iterable[str] = (), extra: Mapping[str, str] = _NOTHING
) -> dict[str, str]:
    """PATH, a UTF-8 locale, those of `names` that are set, and `extra` on top."""
    named = {name: environ[name] for name in names if name in environ}
    return {"PATH": environ.get("PATH", os.defpath)} | _LOCALE | named | dict(extra)
