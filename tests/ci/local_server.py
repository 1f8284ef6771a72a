"""A real HTTP server on 127.0.0.1 that a fake answers from: latency, faults, cut connections, and what was asked."""

import random
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Asked:
    """One request as it arrived. `operation` is the name that faults and counts go by."""

    operation: str
    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Reply:
    """One answer."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Fault:
    """What goes wrong with a call, and how often.

    `how`: "answer" gives `reply`, "silent" never answers, "cut" closes the connection. `after` lets the call take
    effect first.
    """

    operation: str
    how: str = "answer"
    reply: Reply = field(default_factory=lambda: Reply(500))
    times: int = 1
    after: bool = False


class LocalServer:
    """Serves until stopped. `answer` is called under one lock, so every call takes effect at one point in time."""

    def __init__(self, answer: Callable[[Asked], Reply], name_of: Callable[[str, str], str]) -> None:
        self.asked: list[Asked] = []
        self.faults: list[Fault] = []
        self.latency: tuple[float, float] = (0.0, 0.0)
        self.rng = random.Random(0)
        self._answer, self._name_of = answer, name_of
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _handler_for(self))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.003}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def stop(self) -> None:
        self._stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def serve(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Reply | None:
        """The reply to send, or None to cut the connection."""
        path, _, query = target.partition("?")
        asked = Asked(self._name_of(method, path), method, path, query, headers, body)
        with self._lock:
            self.asked.append(asked)
            before, after = self._split_latency()
            fault = self._take_fault(asked.operation)
        self._stopping.wait(before)
        if fault is None or fault.after:
            with self._lock:
                reply = self._answer(asked)
            self._stopping.wait(after)
        if fault is None:
            return reply
        if fault.how == "silent":
            self._stopping.wait(30)
        return fault.reply if fault.how == "answer" else None

    def _split_latency(self) -> tuple[float, float]:
        """Part of a call's time passes before it takes effect, the rest on the way back."""
        total = self.rng.uniform(*self.latency)
        share = self.rng.random()
        return total * share, total * (1 - share)

    def _take_fault(self, operation: str) -> Fault | None:
        for fault in self.faults:
            if fault.operation in (operation, "*") and fault.times > 0:
                fault.times -= 1
                return fault
        return None


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is what some tests are about."""


def _handler_for(server: LocalServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = server.serve(self.command, self.path, headers, body)
            if reply is None:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            if reply.status != 204:
                self.send_header("content-length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body if reply.status != 204 else b"")
            self.wfile.flush()

        do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = handle_any

        def log_message(self, *message: object) -> None:
            """Says nothing."""

        def date_time_string(self, timestamp: float | None = None) -> str:
            return super().date_time_string(timestamp if timestamp is not None else time.time())

    return Handler
