"""Doubles of what lies outside: a sleep that only notes, networks, a chat server, a caller, and tools made of them."""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeVar

import httpx

from evalci.calls import Call, CallError, Endpoint, Reply
from evalci.calls.chat import ChatCaller
from evalci.calls.endpoint import chat_endpoint
from evalci.calls.transport import Transport
from evalci.cassette import Cassette, Mode, Redactor
from evalci.files import ProjectFiles
from evalci.model import Tokens
from evalci.tools import Clock, Tools

T = TypeVar("T")
Answer = httpx.Response | Exception


def as_it_is(text: str) -> str:
    """A scrub that finds nothing."""
    return text


def completion(content: Any = "pong", **more: Any) -> dict[str, Any]:
    """A chat completion as servers send it."""
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return {"choices": [{"message": {"role": "assistant", "content": content}, **more}], "usage": usage}


# --- the network ----------------------------------------------------------------------------------------------------


@dataclass
class Sleeps:
    """Waits for nothing and remembers for how long."""

    seconds: list[float] = field(default_factory=list)

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


@dataclass
class Network:
    """Gives the prepared answers in turn, the last one again and again, and keeps what was asked."""

    answers: list[Answer]
    requests: list[httpx.Request] = field(default_factory=list)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers[min(len(self.requests), len(self.answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=httpx.MockTransport(self), timeout=None)


def using(transport: Transport, work: Callable[[Transport], Coroutine[Any, Any, T]]) -> T:
    """What comes of work with a transport, in an event loop of its own; the transport is closed afterwards."""

    async def run() -> T:
        try:
            return await work(transport)
        finally:
            await transport.close()

    return asyncio.run(run())


def chat_caller(transport: Transport, sleep: Callable[[float], Awaitable[None]], **more: Any) -> ChatCaller:
    return ChatCaller(transport, **{"api_key": None, "scrub": as_it_is, "sleep": sleep, **more})


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """A real server on loopback for as long as the block lasts; its base URL."""

    class Server(ThreadingHTTPServer):
        request_queue_size = 128
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """Clients that hang up are part of what is tested."""

    with Server(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


class Handler(BaseHTTPRequestHandler):
    """A quiet handler that can read a body and send one."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *args: Any) -> None:
        """Nothing on stderr."""

    def body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("content-length", 0)))

    def reply(self, data: bytes, *, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"content_type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def chat_server(
    answer: Callable[[str], str] = lambda text: f"ok {text} done", *, key: str | None = None
) -> Iterator[tuple[str, list[str]]]:
    """A chat endpoint that answers each question by `answer`; its URL, and the questions it was asked.

    With a `key` it answers nobody who has another one, or none.
    """
    asked: list[str] = []

    class Chat(Handler):
        def do_POST(self) -> None:
            text = json.loads(self.body())["messages"][-1]["content"]
            if key is not None and self.headers.get("authorization") != f"Bearer {key}":
                self.reply(b'{"error": {"message": "no such key"}}', status=401)
                return
            asked.append(text)
            self.reply(json.dumps(completion(answer(text))).encode())

    with serving(Chat) as url:
        yield f"{url}/v1", asked


# --- calls and cassettes --------------------------------------------------------------------------------------------

CHAT = chat_endpoint("http://x/v1", "m")


def a_call(text: str = "hi", *, endpoint: Endpoint = CHAT, trial: int = 0, case_id: str = "case-1") -> Call:
    return Call(endpoint=endpoint, input=text, label=case_id, case_id=case_id, trial=trial)


@dataclass
class Model:
    """A live caller that answers from a table or a function and remembers what it was asked."""

    answer: Callable[[Call], Reply | CallError] = lambda call: Reply(
        text=f"ok {call.input}", latency_ms=7, tokens=Tokens(3, 4)
    )
    asked: list[Call] = field(default_factory=list)

    async def __call__(self, call: Call) -> Reply:
        self.asked.append(call)
        await asyncio.sleep(0)
        reply = self.answer(call)
        if isinstance(reply, CallError):
            raise reply
        return reply


@contextmanager
def opened(folder: Path, mode: Mode, redactor: Redactor | None = None) -> Iterator[Cassette]:
    """A cassette for as long as the block lasts."""
    cassette = Cassette(folder, mode, redactor or Redactor())
    cassette.open()
    try:
        yield cassette
    finally:
        cassette.close()


def record_all(folder: Path, model: Model, *calls: Call, mode: Mode = "auto", redactor: Redactor | None = None) -> None:
    """Put the calls through a recording cassette, all at once."""

    async def ask(cassette: Cassette) -> None:
        caller = cassette.record(model)
        await asyncio.gather(*(caller(call) for call in calls))

    with opened(folder, mode, redactor) as cassette:
        asyncio.run(ask(cassette))


def tools_in(
    folder: Path,
    *,
    cassette: Cassette | None = None,
    redactor: Redactor | None = None,
    environ: Mapping[str, str] | None = None,
    client: Callable[[], httpx.AsyncClient] | None = None,
    live: bool = False,
    allow_outside: bool = False,
    sleep: Callable[[float], Awaitable[None]] | None = None,
) -> Tools:
    """Tools as a run over a suite in `folder` has them."""
    redactor = redactor or Redactor()
    cassette = cassette or Cassette(folder / ".evalci", "off" if live else "replay", redactor)
    return Tools(
        folder=folder,
        files=ProjectFiles.around(folder, allow_outside=allow_outside),
        environ=environ or {},
        record=cassette.record,
        scrub=redactor.scrub,
        known_secrets=redactor.known,
        transport=Transport(redactor.scrub, client=client),
        live=live,
        clock=Clock(sleep=sleep or Sleeps()),
    )
