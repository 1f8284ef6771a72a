"""Runs the asynchronous part of a command to its end."""

import asyncio
import contextlib
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """What the coroutine returns. Ctrl-C, SIGTERM and SIGHUP end it with `KeyboardInterrupt`, after it has cleaned up.

    The task itself returns nothing: when `asyncio.run` puts back the signal handler, Python prints the task, and a
    report of 10,000 cases takes longer to print than to make.
    """
    results: list[T] = []

    async def kept() -> None:
        _end_on_signals()
        results.append(await work)

    try:
        asyncio.run(kept())
    except asyncio.CancelledError as exc:
        raise KeyboardInterrupt from exc
    return results[0]


def _end_on_signals() -> None:
    """CI systems end a job with SIGTERM, a lost terminal with SIGHUP; what was started must not outlive it."""
    task = asyncio.current_task()
    assert task is not None
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is None or signal.getsignal(number) is signal.SIG_IGN:  # `nohup` asks to go on
            continue
        # Only the main thread of a system with signals can listen for one.
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            asyncio.get_running_loop().add_signal_handler(number, task.cancel)
