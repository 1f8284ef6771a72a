"""The viewer's socket, with real connections, and the command around it."""

import http.client
import io
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from evalci.errors import UsageError
from evalci.history import HistoryStore
from evalci.serve.pages import HEADERS
from evalci.serve.server import Viewer, open_viewer
from tests.factories import passed, report_of
from tests.programs import hearing
from tests.unit.cli.test_main import Run
from tests.unit.serve.conftest import NOW


@pytest.fixture
def viewer(store: HistoryStore) -> Iterator[Viewer]:
    store.add(report_of(passed()), NOW)
    with open_viewer(store, 0) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(viewer: Viewer, method: str, address: str, body: bytes | None = None) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", viewer.server_port, timeout=10)
    connection.request(method, address, body)
    response = connection.getresponse()
    data = response.read()
    connection.close()
    return response, data


def talk(viewer: Viewer, request: bytes) -> bytes:
    """What comes back for these very bytes."""
    with socket.create_connection(("127.0.0.1", viewer.server_port), timeout=10) as client:
        client.sendall(request)
        client.shutdown(socket.SHUT_WR)
        return client.makefile("rb").read()


@pytest.mark.parametrize(("method", "address", "status"), [("GET", "/", 200), ("GET", "/x", 404), ("POST", "/", 405)])
def test_every_answer_has_the_headers_that_keep_it_harmless(
    viewer: Viewer, method: str, address: str, status: int
) -> None:
    response, data = ask(viewer, method, address)
    assert response.status == status
    assert {name: response.headers[name] for name in HEADERS} == dict(HEADERS)
    assert response.headers["Content-Length"] == str(len(data))
    assert response.headers["Server"].strip() == "evalci"


def test_head_answers_as_get_without_the_page(viewer: Viewer) -> None:
    head, nothing = ask(viewer, "HEAD", "/run/1")
    get, page = ask(viewer, "GET", "/run/1")
    assert (head.status, nothing) == (200, b"")
    assert head.headers["Content-Length"] == get.headers["Content-Length"] == str(len(page))


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "BREW"])
def test_a_body_that_nobody_reads_does_not_take_the_answer_back(viewer: Viewer, method: str) -> None:
    response, _ = ask(viewer, method, "/", b"x" * 20_000)
    assert response.status == 405
    assert response.headers["Allow"] == "GET, HEAD"


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", b"403"),
        (b"GET / HTTP/1.1\r\n\r\n", b"403"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", b"403"),
        (b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n", b"200"),
        (b"GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n", b"400"),
        (b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", b"414"),
        (b"GET / HTTP/1.1 extra\r\n\r\n", b"400"),
        (b"GET /\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n", b"404"),
        (b"\x16\x03\x01\x02\x00\x01\r\n\r\n", b"400"),
    ],
)
def test_odd_requests_get_an_answer_with_the_same_headers(viewer: Viewer, request_: bytes, status: bytes) -> None:
    head, _, _ = talk(viewer, request_).partition(b"\r\n\r\n")
    assert head.split(b" ")[1] == status
    assert b"Content-Security-Policy: default-src 'none'" in head


def test_it_listens_on_this_machine_only(viewer: Viewer) -> None:
    assert viewer.server_address[0] == "127.0.0.1"
    assert viewer.url == f"http://127.0.0.1:{viewer.server_port}/"


def test_whoever_hangs_up_early_stops_nothing(viewer: Viewer) -> None:
    socket.create_connection(("127.0.0.1", viewer.server_port), timeout=10).close()
    assert ask(viewer, "GET", "/")[0].status == 200


def test_looking_writes_nothing(viewer: Viewer, store: HistoryStore) -> None:
    before = store.file.read_bytes()
    for address in ("/", "/run/1", "/diff?a=1&b=1", "/run/2"):
        ask(viewer, "GET", address)
    assert store.file.read_bytes() == before
    assert [path.name for path in store.file.parent.iterdir()] == ["history.db"]


def test_a_port_in_use_is_told_with_a_way_out(store: HistoryStore) -> None:
    with open_viewer(store, 0) as first, pytest.raises(UsageError) as told:
        open_viewer(store, first.server_port)
    assert told.value.lines() == (
        f"cannot listen on 127.0.0.1:{first.server_port}: Address already in use",
        "  --port 0 takes a free port, --port N another one",
    )


# --- the command ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("port", ["-1", "65536", "x", "1.5", "٣", ""])
def test_a_port_that_is_none_is_a_usage_error(port: str) -> None:
    run = Run("serve", f"--port={port}")
    assert run.code == 2
    assert "evalci serve --help" in run.err


def test_a_suite_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    run = Run("serve", str(tmp_path / "evals.yaml"), "--port", "0")
    assert run.code == 2
    assert "no such file" in run.err


def test_ctrl_c_is_how_it_ends(tmp_path: Path) -> None:
    (tmp_path / "evals.yaml").write_text("")
    command = [sys.executable, "-m", "evalci", "serve", "--port", "0"]
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[3])}
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hearing(signal.SIGINT),
    )
    assert isinstance(process.stdout, io.TextIOWrapper)
    found = re.match(r"http://127\.0\.0\.1:(\d+)/ shows the runs beside evals\.yaml", process.stdout.readline())
    assert found is not None
    connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=10)
    connection.request("GET", "/")
    assert connection.getresponse().status == 200
    connection.close()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=10)
    assert (process.returncode, out, err) == (0, "", "stopped\n")
