"""What a program may use up when a suite does not say: the seed's limits."""

from dataclasses import dataclass, fields

from evalci.config.settings import setting
from evalci.process import Limits


@dataclass(frozen=True, kw_only=True, slots=True)
class ProgramLimits(Limits):
    """The limits of a program. `None` is no limit, but CPU time is never without one."""

    timeout_seconds: float = setting(30.0, about="time on the wall before the program is ended", low=0.01)
    cpu_seconds: float | None = setting(
        None, about="CPU time, rounded up to whole seconds; as much as timeout_seconds unless set", low=0.01
    )
    memory_mb: int | None = setting(512, about="address space of a process", low=1)
    file_size_mb: int | None = setting(10, about="the largest file a process may write", low=1)
    processes: int | None = setting(64, about="how many processes and threads may be alive at once", low=1)
    output_mb: float = setting(1.0, about="how much of stdout, and of stderr, is kept", low=0.001)

    def in_force(self) -> Limits:
        """The limits as a program is started with them."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return Limits(**values | {"cpu_seconds": self.cpu_seconds or self.timeout_seconds})
