"""What a trace file says once it is read, whatever format it was in."""

from dataclasses import dataclass, field

from evalci.model import Tokens, Trajectory


class BadTrace(Exception):
    """A file is no trace. Its text says why and shows nothing of what the file holds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Trace:
    """One recorded run. `final_output` is None when the run gave no answer, `tokens` when nobody counted them."""

    trajectory: Trajectory = field(default_factory=Trajectory)
    final_output: str | None = None
    latency_ms: int = 0
    tokens: Tokens | None = None
