"""Programs that misbehave, and how to find out whether one is still alive.

Each script does one bad thing, needs only the standard library, and bounds itself, so that a broken limit costs a test
and not the machine.
"""

import os
import signal
from collections.abc import Callable
from pathlib import Path

PROGRAMS = Path(__file__).parent


def hearing(*signals: signal.Signals) -> Callable[[], None]:
    """For `preexec_fn`: a program that hears these signals, though whoever started the tests may have them ignored."""

    def listen() -> None:
        for each in signals:
            signal.signal(each, signal.SIG_DFL)

    return listen


def alive(marker: str) -> list[int]:
    """The processes, other than this one, that have the marker among their arguments or variables."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                seen = (folder / "environ").read_bytes() + (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if marker.encode() in seen:
                found.append(int(folder.name))
    return found
