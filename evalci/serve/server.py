"""The viewer's socket: http.server on 127.0.0.1, one thread for each request, nothing that writes."""

import contextlib
import socket
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any, Final

from evalci.errors import UsageError
from evalci.history import HistoryStore
from evalci.serve.pages import HEADERS, READ_ONLY, Answer, Pages

HOST: Final = "127.0.0.1"
DRAINED: Final = 64 * 1024


class Viewer(ThreadingHTTPServer):
    """A bound server; `serve_forever` answers until it is stopped."""

    daemon_threads = True

    def __init__(self, store: HistoryStore, port: int, on_bug: Callable[[BaseException], None]) -> None:
        self.pages = Pages(store, on_bug)
        super().__init__((HOST, port), _Handler)

    def server_bind(self) -> None:
        """Without the look-up of a full host name that HTTPServer does."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, self.server_address[1]

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.server_port}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever asked has left; there is nobody to tell."""


def open_viewer(store: HistoryStore, port: int, on_bug: Callable[[BaseException], None] = lambda exc: None) -> Viewer:
    """A server that listens; port 0 takes a free one. Raises `UsageError` when the port cannot be had."""
    try:
        return Viewer(store, port, on_bug)
    except OSError as exc:
        raise UsageError(
            f"cannot listen on {HOST}:{port}: {exc.strerror or exc}",
            hint="--port 0 takes a free port, --port N another one",
        ) from exc


class _Handler(BaseHTTPRequestHandler):
    server: Viewer
    server_version = "evalci"
    sys_version = ""
    timeout = 10

    def do_GET(self) -> None:
        hosts = self.headers.get_all("Host", [])
        self._send(self.server.pages.answer(self.command, self.path, hosts[0] if len(hosts) == 1 else None))

    def do_HEAD(self) -> None:
        self.do_GET()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What http.server itself refuses, any method but GET and HEAD among it: in our words, with our headers."""
        if code == HTTPStatus.NOT_IMPLEMENTED:
            self._send(self.server.pages.refusal(405, READ_ONLY))
        else:
            self._send(self.server.pages.refusal(int(code), "the request cannot be read"))

    def _send(self, answer: Answer) -> None:
        body = answer.body.encode("utf-8", "replace")
        self.close_connection = True
        if self.request_version == "HTTP/0.9":  # http.server would leave the headers out
            self.request_version = "HTTP/1.0"
        self.send_response(answer.status)
        for name, value in (*HEADERS.items(), *answer.headers.items()):
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        self._drain()

    def _drain(self) -> None:
        """Read what else was sent: closing on unread bytes would take the answer back."""
        with contextlib.suppress(OSError):
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(1)
            left = DRAINED
            while left > 0 and (data := self.connection.recv(min(left, 4096))):
                left -= len(data)

    def log_message(self, *args: Any) -> None:
        """Nothing: a viewer that talks of each page hides what matters."""
