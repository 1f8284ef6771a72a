"""Leave a grandchild in a session of its own, as daemons do; then `exit` or `stay`.

With `washed` the grandchild starts anew without any environment; with `tampered` it changes its resource limits too.
"""

import os
import resource
import sys
import time

then, how = sys.argv[1], sys.argv[2:3]
ready, tell = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.close(ready)
        for stream in (0, 1, 2):
            os.dup2(os.open(os.devnull, os.O_RDWR), stream)
        if how == ["tampered"] and hasattr(resource, "RLIMIT_RTTIME"):
            resource.setrlimit(resource.RLIMIT_RTTIME, (4242, 4242))
        os.write(tell, b"!")
        if how:
            os.execve("/bin/sh", ["sh", "-c", "sleep 60; :", *sys.argv[3:]], {})
        time.sleep(60)
    os._exit(0)
os.close(tell)
os.read(ready, 1)
print("left one", flush=True)
if then == "stay":
    time.sleep(60)
