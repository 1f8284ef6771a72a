"""Workflow commands: annotations that the runner keeps, and a guard around text that must not be taken for commands."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

# The runner keeps ten of each level per step, and cuts a message at 4,096 UTF-16 units.
PER_LEVEL: Final = 10
MESSAGE_UNITS: Final = 4_096
_TITLE_UNITS: Final = 255
_UNWANTED: Final = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127))


class Level(StrEnum):
    """How loud an annotation is; the words are the runner's own."""

    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """A remark on a line of a file, or on the whole step when `file` is None. Lines count from 1."""

    level: Level
    message: str
    title: str = ""
    file: str | None = None
    line: int | None = None


def escape_data(text: str) -> str:
    """Text as the message of a command; the percent sign goes first, or the other escapes would be undone."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escape_property(text: str) -> str:
    """Text as the value of a command's property."""
    return escape_data(text).replace(":", "%3A").replace(",", "%2C")


def annotate(annotations: Iterable[Annotation], *, more: str = "see the step summary") -> str:
    """The commands for the annotations that the runner would keep, one a line. Give the most important first.

    Where a level has more than its ten, the tenth says how many are left out and `more` says where they are.
    """
    by_level: dict[Level, list[Annotation]] = {level: [] for level in Level}
    for annotation in annotations:
        by_level[annotation.level].append(annotation)
    return "".join(f"{_command(annotation)}\n" for level in Level for annotation in _kept(by_level[level], more))


def _kept(annotations: list[Annotation], more: str) -> list[Annotation]:
    if len(annotations) <= PER_LEVEL:
        return annotations
    kept = annotations[: PER_LEVEL - 1]
    left_out = len(annotations) - len(kept)
    rest = replace(annotations[-1], title="", file=None, line=None, message=f"{left_out:,} more like these: {more}")
    return [*kept, rest]


def _command(annotation: Annotation) -> str:
    title = _cut(" ".join(annotation.title.split()), _TITLE_UNITS)
    facts = {"title": title, "file": annotation.file or "", "line": str(annotation.line or "")}
    properties = ",".join(f"{name}={escape_property(_plain(value))}" for name, value in facts.items() if value)
    message = _cut(_plain(annotation.message), MESSAGE_UNITS) or "(no message)"
    return f"::{annotation.level}{' ' if properties else ''}{properties}::{escape_data(message)}"


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").translate(_UNWANTED)


def _cut(text: str, units: int) -> str:
    """At most so many UTF-16 units, which is how the runner counts, ending in an ellipsis when something is gone."""
    if len(text) * 2 <= units or _units(text) <= units:
        return text
    cut = text[: units - 1]
    while _units(cut) > units - 1:
        cut = cut[: -max(1, (_units(cut) - units) // 2)]
    return cut + "…"


def _units(text: str) -> int:
    return len(text) + sum(char > "\uffff" for char in text)


def guarded(text: str, new_token: Callable[[], str]) -> str:
    """Text that others wrote, as whole lines for the log: none of them can be a workflow command.

    Write it at the start of a line. The token that ends the pause is made after the text is there, anew for each text,
    so nothing in it can know it. `new_token` gives unpredictable text of 32 letters and digits or more.
    """
    lines = text.replace("##[", "## [")
    lines += "" if lines.endswith("\n") or not lines else "\n"
    if "::" not in lines:
        return lines
    token = _unknown_to(lines, new_token)
    return f"::stop-commands::{token}\n{lines}::{token}::\n"


def _unknown_to(text: str, new_token: Callable[[], str]) -> str:
    """A token that stands nowhere in the text."""
    while True:
        token = new_token()
        if len(token) < 32 or not token.isalnum():
            raise ValueError("a resume token has to be 32 letters or digits at least")
        if token not in text:
            return token
