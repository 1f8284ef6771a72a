"""Running programs in a sandbox from Python: the interface of Swarmauri's SubprocessEvaluator.

Code written for it runs with its imports changed to these.
"""

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from evalci.process import Job, Limits, NotStarted, Place, inherited, run_sync
from evalci.summary.programs import aggregate
from evalci.targets.programs import Execution, Rules, command_of, ended, found_program, grade, never_started

__all__ = ["DiffType", "EvaluationError", "IProgram", "SubprocessEvaluator"]

DiffType: TypeAlias = dict[str, Any]
_AS_BUILT: Final = object()


class EvaluationError(Exception):
    """A program could not be evaluated at all; the text begins with `Evaluation failed: `."""


class IProgram(ABC):
    """A program as evaluators take it: a file, with what evolving it needs."""

    @abstractmethod
    def diff(self, other: "IProgram") -> DiffType:
        """What differs in another program."""

    @abstractmethod
    def apply_diff(self, diff: DiffType) -> "IProgram":
        """A new program: this one with a difference applied."""

    @abstractmethod
    def validate(self) -> bool:
        """Is it well-formed?"""

    @abstractmethod
    def clone(self) -> "IProgram":
        """A new program that is the same."""

    def get_path(self) -> str:
        """Where its file is; empty when it has none."""
        return ""

    def is_executable(self) -> bool:
        """Is the file run directly, whatever its name ends in?"""
        return False


@dataclass(kw_only=True)
class SubprocessEvaluator:
    """Runs programs with limits and scores how they end. Sizes are in MB, times in seconds."""

    timeout: float = 30.0
    max_memory_mb: int | None = 512
    max_processes: int | None = 64
    max_file_size_mb: int | None = 10
    working_dir: str | None = None
    env_vars: Mapping[str, str] = field(default_factory=dict)
    success_exit_codes: Sequence[int] = field(default_factory=lambda: [0])
    score_on_timeout: float = 0.0
    score_on_error: float = 0.0

    def evaluate(
        self,
        program: IProgram,
        *,
        args: Sequence[str] = (),
        input_data: str = "",
        expected_output: str | None = None,
        timeout: Any = _AS_BUILT,
    ) -> tuple[float, dict[str, Any]]:
        """A score from 0 to 1 and what was seen, whether an event loop runs in this thread or not.

        `timeout` counts for this run alone; None asks for no more than the time limit that every process has. Raises
        `EvaluationError` when there is nothing to run, `TypeError` for what is no program.
        """
        if not isinstance(program, IProgram):
            raise TypeError(f"a program must be an IProgram, got {type(program).__name__}")
        began = time.perf_counter()
        try:
            job, words = self._job(program, args, input_data, self.timeout if timeout is _AS_BUILT else timeout)
        except Exception as exc:
            raise EvaluationError(f"Evaluation failed: {exc}") from exc
        execution = _execute(job, words)
        given = grade(execution, self._rules(), expected_output)
        return given.score, given.metadata(execution) | {"execution_time": time.perf_counter() - began}

    def aggregate_scores(
        self, scores: Sequence[float], metadata_list: Sequence[Mapping[str, Any]]
    ) -> tuple[float, dict[str, Any]]:
        """The mean score, with how often each reason was given, and rates.

        Of what every entry has as a number there is the mean, of the execution times the sum. The success rate is about
        exit codes alone.
        """
        score, told = 0.0, dict[str, Any](error="No scores to aggregate")
        if scores:
            score = sum(scores) / len(scores)
            told = {"individual_scores": list(scores), "aggregation_method": "average", "score_count": len(scores)}
            told |= _numbers(metadata_list)
        stats = aggregate([self._with_success(entry) for entry in metadata_list])
        if stats is not None:
            told |= {
                "reason_counts": dict(stats.reason_counts),
                "timeout_rate": stats.timeout_rate,
                "success_rate": stats.success_rate,
                "total_executions": stats.total_executions,
            }
        return score, told

    def _job(
        self, program: IProgram, args: Sequence[str], input_data: str, timeout: float | None
    ) -> tuple[Job, tuple[str, ...]]:
        path = found_program(program.get_path())
        command = command_of(path, directly=program.is_executable(), environ=os.environ)
        words = _texts(args, "args")
        _texts([*self.env_vars, *self.env_vars.values()], "env_vars")
        job = Job(
            argv=(*command, *words),
            environment=inherited(os.environ, extra=self.env_vars),
            stdin=(input_data or "").encode("utf-8", "replace"),
            place=Place.FRESH if self.working_dir is None else Place.GIVEN,
            cwd=None if self.working_dir is None else str(Path(self.working_dir).absolute()),
            limits=self._limits(timeout),
        )
        return job, words

    def _limits(self, timeout: float | None) -> Limits:
        time_limits = {} if timeout is None else {"timeout_seconds": timeout, "cpu_seconds": timeout}
        return Limits(
            memory_mb=self.max_memory_mb,
            processes=self.max_processes,
            file_size_mb=self.max_file_size_mb,
            **time_limits,
        )

    def _rules(self) -> Rules:
        return Rules(
            success_exit_codes=tuple(self.success_exit_codes),
            score_on_timeout=self.score_on_timeout,
            score_on_error=self.score_on_error,
        )

    def _with_success(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        has_code = {"exit_ok": entry["exit_code"] in self.success_exit_codes} if "exit_code" in entry else {}
        return {**entry, **has_code}


def _execute(job: Job, args: tuple[str, ...]) -> Execution:
    try:
        return ended(run_sync(job), job, args)
    except NotStarted as exc:
        return never_started(exc, job, args)


def _texts(words: Sequence[str], name: str) -> tuple[str, ...]:
    """Words as they must be; a single text would otherwise be taken for a list of letters."""
    if isinstance(words, str) or not all(isinstance(word, str) for word in words):
        raise TypeError(f"{name} must hold texts")
    return tuple(words)


def _numbers(entries: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Over what all entries have as a number (a bool counts as 0 or 1): the mean, and of execution times the sum."""
    if not entries:
        return {}
    common = [key for key in entries[0] if all(isinstance(entry.get(key), (int, float)) for entry in entries)]
    sums = {key: sum(entry[key] for entry in entries) for key in common}
    return {key: total if key == "execution_time" else total / len(entries) for key, total in sums.items()}
