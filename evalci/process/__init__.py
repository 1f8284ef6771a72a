"""Starting other people's programs: limits, isolation, time-outs, output caps. Nothing else in EvalCI starts one."""

from evalci.process.environment import inherited, minimal
from evalci.process.finished import Finished, NotStarted, text_of
from evalci.process.job import Job, Place, shell
from evalci.process.limits import Limits
from evalci.process.lines import LineProcess, LineTooLong
from evalci.process.runner import run, run_sync

__all__ = [
    "Finished",
    "Job",
    "Limits",
    "LineProcess",
    "LineTooLong",
    "NotStarted",
    "Place",
    "inherited",
    "minimal",
    "run",
    "run_sync",
    "shell",
    "text_of",
]
