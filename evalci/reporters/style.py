"""How a report is dressed: the one thing a reporter is told besides the report."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

ColorMode = Literal["auto", "always", "never"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Style:
    """`color` allows ANSI colours; `quiet` leaves passing cases out. Neither changes a file's format."""

    color: bool = False
    quiet: bool = False


PLAIN = Style()


def choose_color(mode: ColorMode, environ: Mapping[str, str], is_tty: bool) -> bool:
    """Whether to colour. `never` and `always` are absolute; `auto` asks the environment, then the terminal."""
    if mode != "auto":
        return mode == "always"
    if environ.get("NO_COLOR") or environ.get("TERM") == "dumb":
        return False
    return is_tty or environ.get("CLICOLOR_FORCE", "0") not in ("", "0")
