"""What to start: a program, what it reads, where it runs, what it sees and what it may use."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from evalci.process.limits import Limits


class Place(Enum):
    """Where a program runs."""

    GIVEN = auto()
    """In `Job.cwd`, or where evalci itself runs."""
    FRESH = auto()
    """In an empty temporary folder, removed afterwards."""
    FRESH_HOME = auto()
    """The same, and HOME, XDG_CONFIG_HOME, XDG_CACHE_HOME and TMPDIR are empty temporary folders too."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """One program to start. `environment` is everything it sees; `inherited` and `minimal` make one."""

    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(repr=False)
    stdin: bytes = field(default=b"", repr=False)
    place: Place = Place.GIVEN
    cwd: str | None = None
    limits: Limits = field(default_factory=Limits)
    isolate_network: bool = False

    def __post_init__(self) -> None:
        if not self.argv or not self.argv[0]:
            raise ValueError("a Job needs a program to start")
        if self.cwd is not None and self.place is not Place.GIVEN:
            raise ValueError("a Job runs in a folder of its own or in a given one, not both")


def shell(command: str) -> tuple[str, ...]:
    """The argv that runs a command line as EvalCore does."""
    return ("sh", "-c", command)
