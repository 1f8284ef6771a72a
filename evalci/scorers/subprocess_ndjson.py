"""Protocol ndjson: one long-lived process judges many outputs, with a line of JSON each way for each of them.

Answers come in any order. When the process ends, hangs or says something else than an answer, it is not known which of
the requests in flight was to blame. So it is started anew, and each of them is sent again, alone. The one that fails as
the first and only request of a process is to blame; which ones those are does not depend on what happened to be in
flight together.
"""

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from evalci.model import Case, Output, Score
from evalci.process import Finished, Job, LineProcess, LineTooLong, NotStarted, inherited, shell, text_of
from evalci.scorers import ScorerError
from evalci.scorers.ndjson_lines import read_answer, request_line, score_from
from evalci.scorers.texts import both_ends
from evalci.tools import Tools
from evalci.unicode import utf8_text
from evalci.wording import plain_number, quoted, seen

if TYPE_CHECKING:
    from evalci.scorers.subprocess import Subprocess

WINDOW: Final = 16  # requests in flight; more would only lie in its pipe
SHOWN: Final = 3  # remarks on lines that answer nothing; a scorer may print another one after every case
PATIENCE_SECONDS: Final = 2.0  # for a process that was told there is no more, or that closed its stdout


@dataclass(kw_only=True, slots=True, eq=False)
class Request:
    """One output to be judged. `alone` is set once it was in flight when a process failed."""

    number: int
    line: bytes
    score: "asyncio.Future[Score]"
    alone: bool = False


class _NoAnswer(Exception):
    """A line of the process answers no request; the text shows it."""


class NdjsonScorer:
    """Starts the command with the first output, and again when it fails. `close` it."""

    def __init__(self, settings: "Subprocess", tools: Tools) -> None:
        self._cmd = settings.cmd
        self._job = Job(argv=shell(settings.cmd), environment=inherited(tools.environ), limits=settings.limits)
        self._waiting: deque[Request] = deque()
        self._flying: dict[int, Request] = {}
        self._asked = 0
        self._loop: asyncio.AbstractEventLoop
        self._news: asyncio.Event
        self._closing = False
        self._is_to_send = False
        self._process: LineProcess | None = None  # while it takes requests
        self._sent = 0  # requests that this process has had
        self._worker: asyncio.Task[None] | None = None
        self._remarks: dict[str, None] = {}
        self._survived: dict[str, None] = {}  # what went wrong with a process, in the order it happened
        self._broken: set[str] = set()

    @property
    def remarks(self) -> tuple[str, ...]:
        """What its user should know of a process that went wrong although every output was judged.

        What broke a score is said there, and not here again: how often it was seen before depends on what was in
        flight together, and a report does not.
        """
        survived = [message for message in self._survived if message not in self._broken]
        shown = [f"its process was started anew, because {message}" for message in survived[:SHOWN]]
        more = len(survived) - len(shown)
        return (*self._remarks, *shown, *([f"its process was started anew for {more} more such lines"] if more else ()))

    async def score(self, case: Case, output: Output) -> Score:
        self._asked += 1
        future = asyncio.get_running_loop().create_future()
        request = Request(number=self._asked, line=request_line(self._asked, case, output), score=future)
        if self._worker is None or self._worker.done():
            self._begin()
        elif self._closing:
            raise ScorerError("the scorer is being closed")
        self._waiting.append(request)
        if self._process is None:
            self._news.set()
        elif not self._flying:
            self._send()
        elif not self._is_to_send:  # those who are answered together mostly ask again together: one write for all
            self._is_to_send = True
            self._loop.call_soon(self._send)
        return await request.score

    async def close(self) -> None:
        """Let the process end by itself, or end it; nothing of it is left."""
        if self._worker is None or self._worker.done():
            return
        self._closing = True
        self._news.set()
        if self._process is not None:
            self._process.hang_up()
        if self._waiting or self._flying:
            self._worker.cancel()
            self._give_up(asyncio.CancelledError())  # a worker that has not begun could tell nobody
        await asyncio.wait((self._worker,))

    def _begin(self) -> None:
        self._closing = False
        self._is_to_send = False
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._waiting.clear()
        self._flying.clear()
        self._worker = asyncio.create_task(self._work())

    async def _work(self) -> None:
        """One process after another, each as long as it keeps to the protocol."""
        try:
            while not self._closing:
                if self._waiting:
                    await self._use_a_process()
                else:
                    await self._hear()
        except BaseException as exc:
            self._give_up(exc)
            if not isinstance(exc, Exception):
                raise

    async def _use_a_process(self) -> None:
        process = LineProcess(self._job, max_line_bytes=self._job.limits.output_bytes)
        try:
            async with process:
                self._process, self._sent = process, 0
                wrong = await self._talk(process)
                self._process = None
                finished = await process.stop(0.0 if wrong else PATIENCE_SECONDS)
        except NotStarted:
            self._give_up(ScorerError(f"failed to spawn subprocess scorer: {self._cmd}"))
            return
        finally:
            self._process = None
        self._remarks.update(dict.fromkeys(finished.notes))
        if self._flying:
            self._blame(wrong or _last_words(finished, process.was_ended), survivable=bool(wrong))

    async def _talk(self, process: LineProcess) -> str:
        """What the process printed that is wrong; nothing when it ended, was late, or is needed no more."""
        self._send()
        try:
            await process.over()
        except LineTooLong:
            limit = plain_number(self._job.limits.output_mb)
            return f"scorer {quoted(self._cmd)} printed a line longer than output_mb: {limit}"
        except _NoAnswer as exc:
            return f"scorer {quoted(self._cmd)} printed a line that answers no request: {exc}"
        except TimeoutError:
            return ""
        return ""

    async def _hear(self) -> None:
        """Wait until there is something to do."""
        self._news.clear()
        await self._news.wait()

    def _send(self) -> None:
        """Send what may be sent, in one go: up to so many at once, or one that goes alone."""
        self._is_to_send = False
        if self._process is None:
            return
        was_idle, lines = not self._flying, []
        while self._waiting and self._may_send(self._waiting[0]):
            request = self._waiting.popleft()
            if not request.score.done():  # whoever asked has gone
                self._flying[request.number] = request
                lines.append(request.line)
        if lines:
            self._sent += len(lines)
            self._process.send(lines)
            if was_idle:
                self._process.expect(self._take)

    def _may_send(self, request: Request) -> bool:
        if not self._flying:
            return True
        first = next(iter(self._flying.values()))  # one that goes alone is the only one
        return len(self._flying) < WINDOW and not (request.alone or first.alone)

    def _take(self, line: bytes) -> bool:
        """Pass on the answer that a line holds; are there more to come? Raises `_NoAnswer`."""
        if not line.strip():
            return True
        answer = read_answer(line)
        request = self._flying.get(answer.number) if answer else None
        if answer is None or request is None:
            raise _NoAnswer(seen(utf8_text(text_of(line).strip())))
        if not request.score.done():
            try:
                request.score.set_result(score_from(self._cmd, answer))
            except ScorerError as exc:
                request.score.set_exception(exc)
        del self._flying[request.number]  # only now: whatever goes wrong before, it is told
        if self._waiting:
            self._send()
        if self._flying and self._process is not None:
            self._process.expect(self._take)
        return bool(self._flying)

    def _blame(self, message: str, *, survivable: bool) -> None:
        """Break the request that was a process's first and only one; send others again, each alone."""
        flying = list(self._flying.values())
        self._flying.clear()
        if self._sent == 1:
            self._broken.add(message)
            _fail(flying, ScorerError(message))
            return
        if survivable:
            self._survived.setdefault(message)
        for request in reversed(flying):
            request.alone = True
            self._waiting.appendleft(request)

    def _give_up(self, exc: BaseException) -> None:
        """Nothing that was asked is left without an answer."""
        requests = [*self._flying.values(), *self._waiting]
        self._flying.clear()
        self._waiting.clear()
        _fail(requests, exc)


def _fail(requests: list[Request], exc: BaseException) -> None:
    for request in requests:
        if request.score.done():
            continue
        if isinstance(exc, asyncio.CancelledError):
            request.score.cancel()
        else:
            request.score.set_exception(exc)


def _last_words(finished: Finished, was_ended: bool) -> str:
    """How the command ended, with what it said on stderr. One that only closed its stdout died of us, not of itself."""
    ending = f"scorer command {finished.ending_text}"
    if was_ended:
        ending = "scorer command closed its stdout before it answered"
    elif finished.succeeded:
        ending += " before it answered"
    complaint = both_ends(text_of(finished.stderr).strip())
    return utf8_text(f"{ending}: {complaint}" if complaint else ending)
