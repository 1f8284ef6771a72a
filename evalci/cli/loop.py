"""Runs the asynchronous part of a command to its end."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """What the coroutine returns.

    The task itself returns nothing: when `asyncio.run` puts back the signal handler, Python prints the task, and a
    report of 10,000 cases takes longer to print than to make.
    """
    results: list[T] = []

    async def kept() -> None:
        results.append(await work)

    asyncio.run(kept())
    return results[0]
