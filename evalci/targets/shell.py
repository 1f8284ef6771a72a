"""A command of yours: the case's input on stdin, the output from stdout. Never recorded: it runs your local code."""

from dataclasses import dataclass

from evalci.config.settings import setting
from evalci.model import Case, Output, TargetError
from evalci.process import Job, Limits, NotStarted, inherited, run, shell, text_of
from evalci.tools import Tools
from evalci.unicode import utf8_text


@dataclass(frozen=True, kw_only=True, slots=True)
class Shell:
    """Runs `sh -c cmd` once per case, in the folder that EvalCI was started from."""

    cmd: str = setting(about="a command line for sh")
    limits: Limits = setting(default_factory=Limits, about="what the command may use up")

    def build(self, tools: Tools) -> "ShellTarget":
        return ShellTarget(self, tools)


class ShellTarget:
    """Starts the command and takes its stdout as it is, line ends included."""

    def __init__(self, settings: Shell, tools: Tools) -> None:
        self._settings = settings
        self._tools = tools

    async def ask(self, case: Case, trial: int) -> Output:
        job = Job(
            argv=shell(self._settings.cmd),
            environment=inherited(self._tools.environ),
            stdin=str(case.input).encode("utf-8", "replace"),
            limits=self._settings.limits,
        )
        try:
            finished = await run(job)
        except NotStarted as exc:
            raise TargetError(f"failed to spawn shell target: {exc}") from exc
        if not finished.succeeded:
            complaint = self._tools.scrub(text_of(finished.stderr)).strip()
            ending = f"shell target {finished.ending_text}"
            raise TargetError(f"{ending}: {complaint}" if complaint else ending)
        notes = finished.notes
        if finished.stdout_dropped:
            notes = (*notes, f"{finished.stdout_dropped} bytes of output past output_mb were dropped")
        return Output(
            text=utf8_text(self._tools.scrub(text_of(finished.stdout))),
            latency_ms=int(finished.duration * 1000),
            notes=notes,
            trial=trial,
        )
