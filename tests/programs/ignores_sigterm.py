"""Ignore every signal that can be ignored, say so, stay."""

import contextlib
import signal
import time

for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    with contextlib.suppress(OSError, ValueError):
        signal.signal(number, signal.SIG_IGN)
print("deaf", flush=True)
time.sleep(60)
