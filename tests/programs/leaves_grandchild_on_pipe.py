"""Answer and exit, leaving a child that holds every pipe open."""

import os
import time

if os.fork() == 0:
    time.sleep(60)
    os._exit(0)
print("the answer", flush=True)
