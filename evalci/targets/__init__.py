"""What is evaluated: a table of kinds, one file each."""

from collections.abc import Mapping
from typing import Final, Protocol

from evalci.config.kinds import Kind
from evalci.model import Case, Output


class Target(Protocol):
    """Produces outputs."""

    async def ask(self, case: Case, trial: int) -> Output:
        """The output for one trial of a case, counted from 0. Raises `TargetError` when there is none."""
        ...


TARGETS: Final[Mapping[str, Kind]] = {
    "adapter": Kind(
        "evalci.targets.adapter:AdapterTarget", "an executor adapter, held to the evidence protocol", starts=True
    ),
    "http": Kind(
        "evalci.targets.http:Http", "any HTTP API: a request template, and a pointer to the answer", recorded=True
    ),
    "openai-compatible": Kind(
        "evalci.targets.openai_chat:OpenAIChat", "a chat model behind an OpenAI-compatible API", recorded=True
    ),
    "program": Kind(
        "evalci.targets.program:Program",
        "a program in a sandbox: stdout is the output, its end a score",
        own_score=True,
        starts=True,
    ),
    "shell": Kind("evalci.targets.shell:Shell", "a command: the input on stdin, the output from stdout", starts=True),
    "trace": Kind("evalci.targets.trace:TraceFile", "a recorded agent run: native, or OpenTelemetry and OpenInference"),
}
