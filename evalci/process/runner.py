"""Running one program from start to end: its answer, or the limit that stopped it."""

import asyncio
import concurrent.futures
import contextlib
import signal
from collections.abc import Callable, Iterator
from typing import Final, Literal

from evalci.process.child import Child, Exit
from evalci.process.finished import Finished
from evalci.process.job import Job
from evalci.process.limits import Limits
from evalci.process.pump import Inflow, Outflow
from evalci.process.start import start

GRACE_SECONDS: Final = 0.1  # for output in flight, when something the program left behind holds its pipes open
_SHELL: Final = 128  # a shell exits with this plus the signal its command died of

End = Literal["exit", "timeout_seconds", "output_mb"]


async def run(job: Job) -> Finished:
    """How the program ended and what it wrote. When this returns or raises, nothing that it started is alive.

    The answer is complete when the program's own process exits: what it left running, pipes in hand or not, is not
    waited for but ended. Raises NotStarted.
    """
    loop = asyncio.get_running_loop()
    child = start(job)
    began = loop.time()
    ending = child.end()
    with contextlib.ExitStack() as undo:
        undo.callback(child.end_now, ending)
        over: asyncio.Future[End] = loop.create_future()
        out, err = _listen(loop, child, job.limits, over)
        sent = Outflow(loop, child.pipes)
        for part in (out, err, sent):
            undo.callback(part.stop)
        undo.callback(child.on_exit(loop, lambda: _settle(over, "exit")))
        undo.callback(loop.call_at(began + job.limits.timeout_seconds, _settle, over, "timeout_seconds").cancel)
        sent.send(job.stdin, last=True)

        how = await over
        duration = loop.time() - began
        if how == "exit" and not (out.ended.done() and err.ended.done()):
            await asyncio.wait((out.ended, err.ended), timeout=GRACE_SECONDS)
        await finish(child, ending)
        stdout, stderr = out.take(), err.take()
    exit_ = child.exit or Exit()
    return Finished(
        exit_code=exit_.code,
        signal=exit_.signal,
        stopped_by=how if how != "exit" else cpu_ran_out(exit_, job.limits),
        stdout=stdout,
        stderr=stderr,
        stdout_dropped=out.dropped,
        stderr_dropped=err.dropped,
        duration=duration,
        cwd=child.workplace.cwd,
        limits=job.limits,
        notes=tuple(child.notes),
    )


def run_sync(job: Job) -> Finished:
    """The same for code that is not async, whether a loop runs in this thread or not."""
    if not _is_in_a_loop():
        return asyncio.run(run(job))
    running: concurrent.futures.Future[Callable[[], object]] = concurrent.futures.Future()

    async def elsewhere() -> Finished:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        running.set_result(lambda: task and loop.call_soon_threadsafe(task.cancel))
        return await run(job)

    with concurrent.futures.ThreadPoolExecutor(max_workers=1) as thread:
        answer = thread.submit(lambda: asyncio.run(elsewhere()))
        try:
            return answer.result()
        except KeyboardInterrupt:
            running.result()()
            raise


async def finish(child: Child, ending: Iterator[float]) -> None:
    """Nothing is left of the program, nor of its temporary folder."""
    for pause in ending:
        await asyncio.sleep(pause)
    if child.workplace.temporary is not None:
        note = await asyncio.to_thread(child.workplace.remove)
        child.notes += [note] if note else []


def cpu_ran_out(exit_: Exit, limits: Limits) -> Literal["cpu_seconds"] | None:
    """Did the program, or the command of a shell that it was, die for using up its CPU time?"""
    if exit_.signal == signal.SIGXCPU:
        return "cpu_seconds"
    killed = exit_.signal == signal.SIGKILL or exit_.code in (_SHELL + signal.SIGXCPU, _SHELL + signal.SIGKILL)
    if killed and limits.cpu_seconds is not None and exit_.cpu_seconds >= limits.cpu_seconds:
        return "cpu_seconds"
    return None


def _is_in_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _listen(
    loop: asyncio.AbstractEventLoop, child: Child, limits: Limits, over: "asyncio.Future[End]"
) -> tuple[Inflow, Inflow]:
    def flooded() -> None:
        _settle(over, "output_mb")

    keep = limits.output_bytes
    return Inflow(loop, child.pipes.stdout, keep, flooded), Inflow(loop, child.pipes.stderr, keep, flooded)


def _settle(over: "asyncio.Future[End]", how: End) -> None:
    if not over.done():
        over.set_result(how)
