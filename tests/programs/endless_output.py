"""Write to one stream for ever: `stdout` or `stderr`."""

import os
import sys

stream = 1 if sys.argv[1] == "stdout" else 2
while True:
    os.write(stream, b"y\n" * 32768)
