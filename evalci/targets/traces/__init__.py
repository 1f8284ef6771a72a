"""Recorded agent runs: from the bytes of a trace file to the path, the answer, the time and the tokens in it."""

from evalci.targets.traces.reading import read_trace
from evalci.targets.traces.trace import BadTrace, Trace

__all__ = ["BadTrace", "Trace", "read_trace"]
