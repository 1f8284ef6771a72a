"""Compute for ever; with `deaf` without minding SIGXCPU."""

import signal
import sys

if sys.argv[1:2] == ["deaf"]:
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
while True:
    pass
