"""The exit code of several suites together."""

from typing import Final

from evalci.errors import EXIT_FAILED, EXIT_INCOMPLETE, EXIT_PASSED, EXIT_USAGE

# What ends a job, worst first: nothing was run, evidence is missing, the verdict did not pass.
_WORST_FIRST: Final = (EXIT_USAGE, EXIT_INCOMPLETE, EXIT_FAILED, EXIT_PASSED)


def worst(codes: list[int]) -> int:
    """The exit code that stands for all of these; of none, that of a usage error."""
    return next((code for code in _WORST_FIRST if code in codes), max(codes, default=EXIT_USAGE))
