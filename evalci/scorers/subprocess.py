"""Does a command of yours find the output good? It speaks protocol v0 or ndjson, in any language."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from evalci.config.settings import Fault, setting
from evalci.model import Case, Output, Score
from evalci.process import Finished, Job, Limits, NotStarted, inherited, run, shell, text_of
from evalci.scorers import Scorer, ScorerError
from evalci.scorers.texts import both_ends
from evalci.scorers.verdicts import payload, read_verdict
from evalci.tools import Tools


@dataclass(frozen=True, kw_only=True, slots=True)
class Subprocess:
    """Runs `sh -c cmd`, in the folder that EvalCI was started from, and reads its verdict.

    Protocol v0 starts it once for every output; with ndjson one process judges many.
    """

    cmd: str = setting(about="a command line for sh")
    protocol: Literal["v0", "ndjson"] = setting(
        "v0", about="v0 starts the command for every output; ndjson keeps it running, one line of JSON each way"
    )
    limits: Limits = setting(default_factory=Limits, about="what the command may use up")

    def check(self, who: str) -> Iterator[Fault]:
        if not self.cmd.strip():
            yield Fault("cmd", f"{who}: cmd must be non-empty")

    def build(self, tools: Tools) -> Scorer:
        if self.protocol == "ndjson":
            from evalci.scorers.subprocess_ndjson import NdjsonScorer

            return NdjsonScorer(self, tools)
        return SubprocessScorer(self, tools)


class SubprocessScorer:
    """Starts the command anew for every output."""

    def __init__(self, settings: Subprocess, tools: Tools) -> None:
        self._settings = settings
        self._tools = tools

    async def score(self, case: Case, output: Output) -> Score:
        cmd = self._settings.cmd
        job = Job(
            argv=shell(cmd),
            environment=inherited(self._tools.environ),
            stdin=payload(case, output),
            limits=self._settings.limits,
        )
        try:
            finished = await run(job)
        except NotStarted as exc:
            raise ScorerError(f"failed to spawn subprocess scorer: {cmd}") from exc
        return score_of(cmd, finished)


def score_of(cmd: str, finished: Finished) -> Score:
    """The verdict of a command that ended. Raises `ScorerError` when it failed, whatever it printed."""
    if not finished.succeeded:
        complaint = both_ends(text_of(finished.stderr).strip())
        ending = f"scorer command {finished.ending_text}"
        raise ScorerError(f"{ending}: {complaint}" if complaint else ending)
    stdout = text_of(finished.stdout)
    if finished.stdout_dropped:
        raise ScorerError(f"scorer command printed more than output_mb allows ({finished.stdout_dropped} bytes over)")
    return read_verdict(cmd, stdout)
