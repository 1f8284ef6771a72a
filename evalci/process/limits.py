"""What a started program may use up."""

import math
from dataclasses import dataclass, fields

from evalci.config.settings import setting


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """What one started program may use up; `None` is no limit. There is always a time and an output limit.

    CPU time, memory and file size bind each process of the program by itself. Output is kept up to `output_mb` of
    each stream; what comes after is counted and thrown away, and a program that goes on and on is ended.
    """

    timeout_seconds: float = setting(120.0, about="time on the wall before the program is ended", low=0.01)
    cpu_seconds: float | None = setting(None, about="CPU time, rounded up to whole seconds", low=0.01)
    memory_mb: int | None = setting(None, about="address space of a process", low=1)
    file_size_mb: int | None = setting(None, about="the largest file a process may write", low=1)
    processes: int | None = setting(None, about="how many processes and threads may be alive at once", low=1)
    output_mb: float = setting(8.0, about="how much of stdout, and of stderr, is kept", low=0.001)

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise ValueError(f"{field.name} must be positive and finite, got {value}")

    @property
    def output_bytes(self) -> int:
        """How many bytes of a stream are kept."""
        return math.ceil(self.output_mb * 1024 * 1024)
