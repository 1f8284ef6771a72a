"""Answer every line with itself in capitals; a few words do other things."""

import os
import sys
import time

for line in sys.stdin:
    match line.split():
        case ["sleep"]:
            time.sleep(60)
        case ["long"]:
            os.write(1, b"x" * 300_000)
            time.sleep(60)
        case ["exit", code]:
            print("bye", file=sys.stderr)
            sys.exit(int(code))
        case ["flood"]:
            os.write(2, b"e" * 300_000)
            print("flooded", flush=True)
        case _:
            print(line.strip().upper(), flush=True)
