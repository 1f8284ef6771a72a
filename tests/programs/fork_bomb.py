"""Fork until it is refused, at most 200 times; say how many came to be; `leave` them or `stay`."""

import os
import sys
import time

born = 0
for _ in range(200):
    try:
        child = os.fork()
    except OSError:
        break
    if child == 0:
        time.sleep(60)
        os._exit(0)
    born += 1
print(born, flush=True)
if sys.argv[1] == "stay":
    time.sleep(60)
