"""Say whether a connection to this port of the machine is possible."""

import socket
import sys

try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=5).close()
    print("connected")
except OSError:
    print("cut off")
