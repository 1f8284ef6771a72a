"""Running a program file and scoring how it went; shared by the `program` target and `evalci.program`."""

from evalci.targets.programs.command import ProgramMissing, command_of, found_program, runs_by_itself
from evalci.targets.programs.execution import Execution, ended, never_started
from evalci.targets.programs.grade import Grade, Rules, grade
from evalci.targets.programs.limits import ProgramLimits
from evalci.targets.programs.own_score import ProgramScore

__all__ = [
    "Execution",
    "Grade",
    "ProgramLimits",
    "ProgramMissing",
    "ProgramScore",
    "Rules",
    "command_of",
    "ended",
    "found_program",
    "grade",
    "never_started",
    "runs_by_itself",
]
