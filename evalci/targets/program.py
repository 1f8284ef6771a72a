"""A program file, run in a sandbox once per case and scored by how it ends. Never recorded: it is your local code."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from evalci.calls import canonical
from evalci.config.settings import Fault, setting
from evalci.model import Case, Output, TargetError
from evalci.process import Job, NotStarted, Place, inherited, run
from evalci.targets.programs import (
    Execution,
    Grade,
    ProgramLimits,
    ProgramMissing,
    ProgramScore,
    Rules,
    command_of,
    ended,
    found_program,
    grade,
    never_started,
    runs_by_itself,
)
from evalci.tools import Tools
from evalci.wording import quoted, seen


@dataclass(frozen=True, kw_only=True, slots=True)
class Program:
    """Runs a program once per case, with limits, and adds a score of its own, `program`, that passes at 1.0 alone."""

    path: str = setting(about="the program: an executable, or a .py or .sh file; relative to the config")
    args: tuple[str, ...] = setting((), about="its command-line arguments")
    expected_output: Literal[False] | str | None = setting(
        None, about="what stdout should be, blanks around it aside; else the case's `expected`; false compares nothing"
    )
    success_exit_codes: tuple[int, ...] = setting((0,), about="exit codes that count as a success")
    score_on_timeout: float = setting(0.0, about="the score when its time ran out", low=0, high=1)
    score_on_error: float = setting(0.0, about="the score when neither time nor exit code tell", low=0, high=1)
    working_dir: str | None = setting(
        None, about="the folder it runs in, relative to the config; else an empty one, removed afterwards"
    )
    env_vars: Mapping[str, str] = setting(default_factory=dict, about="variables beside those of EvalCI's environment")
    limits: ProgramLimits = setting(default_factory=ProgramLimits, about="what the program may use up")
    isolate: Literal["network"] | None = setting(None, about="`network` cuts it off from every network")

    def check(self, who: str) -> Iterator[Fault]:
        if not self.path:
            yield Fault("path", f"{who}: path must be non-empty")
        if not self.success_exit_codes:
            hint = "leave the key out for the usual [0]"
            yield Fault("success_exit_codes", f"{who}: success_exit_codes must hold an exit code", hint)
        for name in self.env_vars:
            if not name or "=" in name:
                yield Fault("env_vars", f"{who}: env_vars cannot name a variable {quoted(name)}")

    @property
    def rules(self) -> Rules:
        """What the score depends on beside the program."""
        return Rules(
            success_exit_codes=self.success_exit_codes,
            score_on_timeout=self.score_on_timeout,
            score_on_error=self.score_on_error,
        )

    def build(self, tools: Tools) -> "ProgramTarget":
        return ProgramTarget(self, tools)


class ProgramTarget:
    """Starts the program and keeps how it went; the suite's scorers judge its stdout."""

    def __init__(self, settings: Program, tools: Tools) -> None:
        self._settings = settings
        self._tools = tools
        self._unbound: set[str] = set()
        self.own_scorer = ProgramScore((settings.rules, settings.expected_output))

    @property
    def remarks(self) -> tuple[str, ...]:
        """The limits that did not bind on this machine, for the report."""
        return tuple(sorted(self._unbound))

    async def ask(self, case: Case, trial: int) -> Output:
        execution = await self._execute(case)
        self._unbound.update(execution.notes)
        expected = self._expected(case)
        given = grade(execution, self._settings.rules, expected)
        exit_ok = execution.exit_code in self._settings.success_exit_codes and execution.error is None
        return Output(
            text=execution.stdout,
            latency_ms=int(execution.seconds * 1000),
            notes=tuple(_explained(execution, given, expected)),
            program=given.metadata(execution) | {"score": given.score, "exit_ok": exit_ok},
            trial=trial,
        )

    async def _execute(self, case: Case) -> Execution:
        job, args, scrub = self._job(str(case.input)), self._settings.args, self._tools.scrub
        try:
            execution = ended(await run(job), job, args, scrub)
        except NotStarted as exc:
            root = f"{self._tools.files.root}/"
            execution = never_started(exc, job, args, lambda text: scrub(text.replace(root, "")))
        return replace(
            execution,
            command=tuple(map(self._shown, execution.command)),
            working_dir=None if execution.working_dir is None else self._shown(execution.working_dir),
        )

    def _job(self, stdin: str) -> Job:
        settings, environ = self._settings, self._tools.environ
        try:
            path = found_program(str(self._tools.folder / settings.path))
        except ProgramMissing as exc:
            raise TargetError(f"Program file not found: {settings.path}") from exc
        folder = settings.working_dir
        return Job(
            argv=(*command_of(path, directly=runs_by_itself(path), environ=environ), *settings.args),
            environment=inherited(environ, extra=settings.env_vars),
            stdin=stdin.encode("utf-8", "replace"),
            place=Place.FRESH if folder is None else Place.GIVEN,
            cwd=None if folder is None else str(self._tools.folder / folder),
            limits=settings.limits.in_force(),
            isolate_network=settings.isolate == "network",
        )

    def _shown(self, word: str) -> str:
        """A word of the command as reports show it: a path inside the project from the project's root."""
        path = Path(word)
        inside = path.is_absolute() and path.is_relative_to(self._tools.files.root)
        return self._tools.files.name(path) if inside else word

    def _expected(self, case: Case) -> str | None:
        """What stdout is held against: the setting, else the case's own; other JSON as compact text."""
        wanted = self._settings.expected_output
        if wanted is False:
            return None
        if wanted is None:
            wanted = case.expected
        return wanted if wanted is None or isinstance(wanted, str) else canonical(wanted).decode()


def _explained(execution: Execution, given: Grade, expected: str | None) -> Iterator[str]:
    """What a reader needs beside the one word that the reason is."""
    match given.reason:
        case "success":
            pass
        case "output_mismatch":
            yield f"expected {seen((expected or '').strip())}, got {seen(execution.stdout.strip())}"
        case "timeout" | "error":
            yield f"the program {execution.ending}"
        case _ if last := _last_words(execution.stderr):
            yield f"the last line on stderr: {seen(last)}"
    if execution.dropped:
        yield f"{execution.dropped} bytes of output past output_mb were dropped"


def _last_words(stderr: str) -> str:
    """The last line with a word in it."""
    lines = reversed(stderr.splitlines())
    return next((line.strip() for line in lines if any(map(str.isalnum, line))), "")
