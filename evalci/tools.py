"""What a run is handed: environment, clock, files, and the door to model calls. Nothing here is reached for."""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from evalci.calls import Caller, no_live_call
from evalci.config.settings import Fault
from evalci.files import ProjectFiles

if TYPE_CHECKING:
    from evalci.calls.transport import Transport


_HEADER_VALUE: Final = re.compile(r"[\t\x20-\x7e\x80-\xff]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Clock:
    """Time as a run may know it: seconds that only grow, and a way to wait."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


@dataclass(frozen=True, kw_only=True, slots=True)
class Tools:
    """What targets and scorers are built with.

    `folder` is the config's own, `files` reads data files inside the project, `record` puts the cassette in front of a
    live caller. `scrub` takes secrets, and what looks like one, out of text; `known_secrets` only the former, cheaply.
    `transport` sends HTTP requests and costs nothing until it is used. `live` tells whether live calls may happen at
    all: they need their keys, a replay does not. `name` is what the suite calls the part that is being built.
    """

    folder: Path
    files: ProjectFiles
    environ: Mapping[str, str]
    record: Callable[[Caller], Caller]
    scrub: Callable[[str], str]
    known_secrets: Callable[[str], str]
    transport: "Transport"
    live: bool
    clock: Clock = field(default_factory=Clock)
    name: str = ""

    def caller(self, make: Callable[[], Caller]) -> Caller:
        """Answers from the recordings, and live from what `make` builds; a replay has no use for it and loads none."""
        return self.record(make() if self.live else no_live_call)

    def secret(self, name: str | None, field: str = "api_key_env") -> str | None:
        """The value of a key variable, None when none is named. Raises `Fault` when a live run cannot use it."""
        if name is None:
            return None
        value = self.environ.get(name)
        if not value and self.live:
            hint = f"export {name}=…, or replay what is recorded with --cache replay"
            raise Fault(field, f"environment variable {name} is not set", hint)
        if value and self.live and not _HEADER_VALUE.fullmatch(value):
            hint = (
                "a key is one line without control characters or letters beyond Latin-1; was a line end copied along?"
            )
            raise Fault(field, f"environment variable {name} cannot be sent in a header", hint)
        return value or None
