"""The runner's files: step outputs that no value can forge, and a step summary that is never dropped for its size."""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final

OUTPUT_CHARACTERS: Final = 1_000
# The runner drops a summary over 1,048,576 bytes whole; what earlier commands of the step wrote counts too.
SUMMARY_BYTES: Final = 1_000_000
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


def output_text(values: Mapping[str, str], new_token: Callable[[], str]) -> str:
    """The lines for GITHUB_OUTPUT. Each value ends at a delimiter made for it, so it cannot add an output.

    Values are short facts; a text belongs into a file, whose path may be an output.
    """
    return "".join(_entry(name, value, new_token) for name, value in values.items())


def _entry(name: str, value: str, new_token: Callable[[], str]) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"an output cannot be named {name!r}")
    if len(value) > OUTPUT_CHARACTERS:
        raise ValueError(f"the output {name} has {len(value):,} characters, more than {OUTPUT_CHARACTERS:,}")
    delimiter = f"evalci_{new_token()}"
    while delimiter in value:
        delimiter = f"evalci_{new_token()}"
    return f"{name}<<{delimiter}\n{value}\n{delimiter}\n"


def append_outputs(path: Path, values: Mapping[str, str], new_token: Callable[[], str]) -> None:
    """Adds outputs to the runner's file, whatever state an earlier command left its last line in."""
    _append(path, output_text(values, new_token), _size(path))


def append_summary(path: Path, tiers: Iterable[str], *, limit: int = SUMMARY_BYTES) -> int | None:
    """Adds the first text that still fits beside what is there already; its number, or None when none fits."""
    size = _size(path)
    for number, text in enumerate(tiers):
        if size + len(text.encode(errors="replace")) + 2 <= limit:
            _append(path, text.rstrip("\n") + "\n", size)
            return number
    return None


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _append(path: Path, text: str, size: int) -> None:
    """Adds text on a line of its own."""
    data = text.encode(errors="replace")
    with path.open("ab+") as file:
        if size:
            file.seek(-1, 2)
            if file.read(1) != b"\n":
                data = b"\n" + data
        file.write(data)
