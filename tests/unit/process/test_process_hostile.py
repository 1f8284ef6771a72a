"""Programs that do harm: each is stopped by a limit, none of them leaves anything running."""

import asyncio
import contextlib
import os
import resource
import socket
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from evalci.process import Job, Limits, Place, run, run_sync, shell
from tests.programs import PROGRAMS, alive

Jobs = Callable[..., Job]
SOON = Limits(timeout_seconds=0.4)
SOON_THROUGH_THE_GATE = Limits(timeout_seconds=0.4, cpu_seconds=30)
EVERY_START = [SOON, SOON_THROUGH_THE_GATE]


@pytest.mark.parametrize("limits", EVERY_START)
def test_a_program_that_does_nothing_for_ever_is_timed_out(job: Jobs, limits: Limits) -> None:
    done = run_sync(job(argv=shell("echo before; sleep 60"), limits=limits))
    assert (done.stopped_by, done.stdout, done.exit_code) == ("timeout_seconds", b"before\n", None)
    assert 0.4 <= done.duration < 5


def test_a_program_deaf_to_signals_is_timed_out(job: Jobs) -> None:
    done = run_sync(job("ignores_sigterm", limits=SOON))
    assert (done.timed_out, done.stdout) == (True, b"deaf\n")


@pytest.mark.slow
def test_a_busy_loop_that_uses_up_its_cpu_time_is_a_time_out_and_no_exit_code(job: Jobs) -> None:
    limits = Limits(timeout_seconds=60, cpu_seconds=0.2)
    in_a_shell = f"{sys.executable} -I -S {PROGRAMS / 'busy_loop.py'}; exit $?"
    jobs = [
        job("busy_loop", limits=limits),
        job("busy_loop", "deaf", limits=limits),
        job(argv=shell(in_a_shell), limits=limits),
    ]

    async def all_of_them() -> list[str | None]:
        return [done.stopped_by for done in await asyncio.gather(*map(run, jobs))]

    assert asyncio.run(all_of_them()) == ["cpu_seconds"] * 3


def test_cpu_time_asked_for_in_fractions_never_ends_a_program_early(job: Jobs) -> None:
    script = "import time\nwhile time.process_time() < 0.3: pass\nprint('done')"
    argv = (sys.executable, "-I", "-S", "-c", script)
    assert run_sync(job(argv=argv, limits=Limits(cpu_seconds=0.1))).stdout == b"done\n"


def test_memory_is_limited_before_the_program_begins(job: Jobs) -> None:
    done = run_sync(job("memory_hog", limits=Limits(memory_mb=256)))
    assert (done.exit_code, done.stdout) == (1, b"")
    assert b"MemoryError" in done.stderr


def test_a_file_grows_no_larger_than_allowed(job: Jobs) -> None:
    done = run_sync(job("disk_filler", limits=Limits(file_size_mb=1), place=Place.FRESH))
    assert (done.exit_code, done.stdout) == (1, b"")
    assert b"File too large" in done.stderr


def test_a_fork_bomb_stops_at_its_limit_or_a_note_says_that_it_does_not(job: Jobs) -> None:
    done = run_sync(job("fork_bomb", "leave", limits=Limits(processes=20)))
    unbound = [note for note in done.notes if note.startswith("processes")]
    assert done.exit_code == 0
    assert int(done.stdout) == 19 or unbound


def test_a_fork_bomb_without_a_limit_is_ended_to_the_last_process(job: Jobs) -> None:
    assert run_sync(job("fork_bomb", "leave")).stdout == b"200\n"


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_endless_output_ends_the_program_and_costs_little_memory(job: Jobs, stream: str) -> None:
    tracemalloc.start()
    done = run_sync(job("endless_output", stream, limits=Limits(timeout_seconds=60, output_mb=0.5)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert done.stopped_by == "output_mb"
    kept = len(getattr(done, stream))
    assert kept == 512 * 1024
    assert kept * 15 < getattr(done, f"{stream}_dropped") < kept * 20
    assert peak < 4 * 1024 * 1024


def test_more_output_than_is_kept_is_counted_and_no_failure(job: Jobs) -> None:
    done = run_sync(job(argv=shell("head -c 100000 /dev/zero"), limits=Limits(output_mb=0.03125)))
    assert (done.exit_code, done.stopped_by) == (0, None)
    assert (len(done.stdout), done.stdout_dropped) == (32768, 100000 - 32768)


def test_a_grandchild_on_the_pipes_delays_nothing(job: Jobs) -> None:
    done = run_sync(job("leaves_grandchild_on_pipe"))
    assert (done.exit_code, done.stdout) == (0, b"the answer\n")
    assert done.duration < 5


def test_what_a_process_substitution_still_writes_is_heard(job: Jobs) -> None:
    done = run_sync(job(argv=shell("(sleep 0.02; echo late) & echo early")))
    assert done.stdout == b"early\nlate\n"


@pytest.mark.parametrize("how", [(), ("washed",), ("tampered",)])
@pytest.mark.parametrize("limits", EVERY_START)
@pytest.mark.parametrize("then", ["exit", "stay"])
def test_a_daemon_does_not_escape(job: Jobs, marker: str, how: tuple[str, ...], limits: Limits, then: str) -> None:
    more = (*how, marker) if how else ()
    done = run_sync(job("double_fork", then, *more, limits=limits))
    assert done.stdout == b"left one\n"
    assert done.timed_out is (then == "stay")
    assert alive(marker) == []


def test_one_job_ending_spares_the_daemons_of_another(job: Jobs, marker: str) -> None:
    async def both() -> tuple[list[int], list[int]]:
        slow = asyncio.create_task(run(job("double_fork", "stay", "washed", marker + "-slow")))
        while not alive(marker + "-slow"):
            await asyncio.sleep(0.01)
        await run(job("double_fork", "exit", "washed", marker + "-quick"))
        during = alive(marker + "-slow"), alive(marker + "-quick")
        slow.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await slow
        return during

    slow, quick = asyncio.run(both())
    assert slow
    assert quick == []


@pytest.mark.parametrize("own_session", [False, True])
def test_what_someone_else_in_this_process_started_is_spared(job: Jobs, own_session: bool) -> None:
    async def beside() -> int | None:
        running = asyncio.create_task(run(job(argv=shell("sleep 60"), limits=SOON)))
        await asyncio.sleep(0.05)
        with subprocess.Popen(["sleep", "30"], start_new_session=own_session) as other:
            await running
            ended = other.poll()
            other.kill()
        return ended

    assert asyncio.run(beside()) is None


def test_a_cancelled_run_leaves_nothing(job: Jobs, marker: str) -> None:
    async def cancel(limits: Limits) -> None:
        running = asyncio.create_task(run(job("double_fork", "stay", limits=limits, place=Place.FRESH)))
        while len(alive(marker)) < 2:
            await asyncio.sleep(0.01)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert alive(marker) == []

    for limits in (Limits(), Limits(memory_mb=4000)):
        asyncio.run(cancel(limits))


@pytest.mark.slow
def test_many_hostile_programs_at_once_do_not_disturb_each_other(job: Jobs) -> None:
    short = Limits(timeout_seconds=1.2)
    jobs = [
        job("double_fork", "exit"),
        job("endless_output", "stdout", limits=Limits(output_mb=0.1)),
        job("fork_bomb", "stay", limits=short),
        job("leaves_grandchild_on_pipe"),
        job("writes_before_reading", stdin=b"i" * 500_000),
        job("memory_hog", limits=Limits(memory_mb=256)),
        job("ignores_sigterm", limits=short),
        job("double_fork", "stay", "tampered", limits=short),
    ]

    async def all_of_them() -> list[object]:
        done = await asyncio.gather(*map(run, jobs))
        return [one.stopped_by or one.exit_code for one in done]

    timed_out = "timeout_seconds"
    assert asyncio.run(all_of_them()) == [0, "output_mb", timed_out, 0, 0, 1, timed_out, timed_out]


def test_an_isolated_program_reaches_no_port_or_a_note_says_that_it_can(job: Jobs) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        assert run_sync(job("tries_network", port)).stdout == b"connected\n"
        done = run_sync(job("tries_network", port, isolate_network=True))
    assert done.stdout == (b"connected\n" if done.notes else b"cut off\n")


def test_our_own_limits_are_as_they_were(job: Jobs) -> None:
    names = [name for name in dir(resource) if name.startswith("RLIMIT_")]
    before = [resource.getrlimit(getattr(resource, name)) for name in names]
    run_sync(job(argv=shell("true"), limits=Limits(cpu_seconds=1, memory_mb=100, file_size_mb=1, processes=5)))
    assert [resource.getrlimit(getattr(resource, name)) for name in names] == before


def test_orphans_are_adopted_only_while_a_program_runs(job: Jobs) -> None:
    run_sync(job(argv=shell("true")))
    script = "sleep 0.2 & echo $!"
    orphan = int(subprocess.run(["sh", "-c", script], stdout=subprocess.PIPE, check=True).stdout)
    parent = Path(f"/proc/{orphan}/stat").read_text().rpartition(")")[2].split()[1]
    assert int(parent) != os.getpid()
