"""A long-lived program that answers lines."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from evalci.process import Job, Limits, LineProcess, LineTooLong, NotStarted, shell
from tests.programs import alive

Jobs = Callable[..., Job]
Talk = Callable[[LineProcess], Awaitable[object]]


def talk(process: LineProcess, conversation: Talk) -> object:
    async def whole() -> object:
        async with process:
            return await conversation(process)

    return asyncio.run(whole())


async def next_line(process: LineProcess) -> bytes | None:
    """The next line, None when there will be no more."""
    found: list[bytes] = []
    some = asyncio.Event()

    def take(line: bytes) -> bool:
        found.append(line)
        some.set()
        return False

    process.expect(take)
    waits = [asyncio.create_task(some.wait()), asyncio.create_task(process.over())]
    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    for task in waits:
        task.cancel()
    if not found:
        await process.over()
    return found[0] if found else None


async def all_lines(process: LineProcess) -> list[bytes]:
    """What comes until there is no more."""
    found: list[bytes] = []
    process.expect(lambda line: found.append(line) is None)
    await process.over()
    return found


@pytest.mark.parametrize("limits", [Limits(), Limits(memory_mb=2000)])
def test_each_line_gets_its_answer_and_the_end_is_told(job: Jobs, limits: Limits) -> None:
    async def conversation(process: LineProcess) -> None:
        for word in (b"one", b"two"):
            process.send([word])
            assert await next_line(process) == word.upper()
        done = await process.stop()
        assert (done.exit_code, done.succeeded) == (0, True)
        assert await next_line(process) is None

    talk(LineProcess(job("echo_lines", limits=limits)), conversation)


def test_lines_can_be_sent_ahead_and_read_in_a_loop(job: Jobs) -> None:
    async def conversation(process: LineProcess) -> list[bytes]:
        for number in range(2000):
            process.send([b"x" * 500 + str(number).encode()])
        process.send([b"exit 0"])
        return [line[500:] for line in await all_lines(process)]

    assert talk(LineProcess(job("echo_lines")), conversation) == [str(n).encode() for n in range(2000)]


def test_a_last_line_without_its_end_is_a_line(job: Jobs) -> None:
    async def conversation(process: LineProcess) -> list[bytes]:
        return await all_lines(process)

    assert talk(LineProcess(job(argv=shell(r"printf 'a\n\nb'"))), conversation) == [b"a", b"", b"b"]


def test_a_program_that_leaves_tells_its_exit_code_and_its_errors(job: Jobs) -> None:
    async def conversation(process: LineProcess) -> None:
        process.send([b"exit 4"])
        assert await next_line(process) is None
        process.send([b"nobody hears this"])
        done = await process.stop()
        assert (done.exit_code, done.stderr) == (4, b"bye\n")

    talk(LineProcess(job("echo_lines")), conversation)


def test_an_answer_that_does_not_come_is_a_time_out(job: Jobs) -> None:
    async def conversation(process: LineProcess) -> None:
        process.send([b"sleep"])
        with pytest.raises(TimeoutError):
            await next_line(process)
        assert (await process.stop()).timed_out

    talk(LineProcess(job("echo_lines", limits=Limits(timeout_seconds=0.3))), conversation)


def test_a_line_without_end_is_refused(job: Jobs) -> None:
    async def conversation(process: LineProcess) -> None:
        process.send([b"long"])
        with pytest.raises(LineTooLong, match="100000"):
            await next_line(process)

    talk(LineProcess(job("echo_lines"), max_line_bytes=100_000), conversation)


def test_how_long_a_line_may_be_does_not_depend_on_how_it_is_cut_up(job: Jobs) -> None:
    """A pipe holds 65,536 bytes, so the rest of each line comes together with its end."""

    def answered(length: int) -> object:
        async def conversation(process: LineProcess) -> bytes | None:
            process.send([b"x" * length])
            return await next_line(process)

        return talk(LineProcess(job("echo_lines"), max_line_bytes=100_000), conversation)

    assert answered(100_000) == b"X" * 100_000
    with pytest.raises(LineTooLong, match="100000"):
        answered(100_001)


def test_a_flood_of_lines_waits_in_the_pipe(job: Jobs) -> None:
    async def conversation(process: LineProcess) -> None:
        for _ in range(1000):
            assert await next_line(process) == b"y"

    talk(LineProcess(job("endless_output", "stdout"), max_line_bytes=1000), conversation)


def test_errors_beside_the_lines_are_kept_up_to_the_limit(job: Jobs) -> None:
    async def conversation(process: LineProcess) -> None:
        process.send([b"flood"])
        assert await next_line(process) == b"flooded"
        done = await process.stop()
        assert (len(done.stderr), done.stderr_dropped) == (102400, 300_000 - 102400)

    talk(LineProcess(job("echo_lines", limits=Limits(output_mb=102400 / 1024 / 1024))), conversation)


def test_a_program_deaf_to_the_end_of_its_input_is_killed(job: Jobs) -> None:
    async def conversation(process: LineProcess) -> None:
        assert await next_line(process) == b"deaf"
        done = await process.stop(patience_seconds=0.1)
        assert done.signal == 9

    talk(LineProcess(job("ignores_sigterm")), conversation)


def test_a_grandchild_on_the_pipe_does_not_keep_a_reader_waiting(job: Jobs) -> None:
    async def conversation(process: LineProcess) -> list[bytes]:
        return await all_lines(process)

    assert talk(LineProcess(job("leaves_grandchild_on_pipe")), conversation) == [b"the answer"]


def test_a_block_left_by_an_error_leaves_nothing_running(job: Jobs, marker: str) -> None:
    async def conversation(process: LineProcess) -> None:
        assert await next_line(process) == b"left one"
        raise KeyError("something else went wrong")

    with pytest.raises(KeyError):
        talk(LineProcess(job("double_fork", "stay")), conversation)
    assert alive(marker) == []


def test_a_line_process_that_cannot_start_says_why(job: Jobs) -> None:
    async def conversation(_: LineProcess) -> None:
        raise AssertionError("never started")

    with pytest.raises(NotStarted, match="no such program"):
        talk(LineProcess(job(argv=("/nowhere",))), conversation)


def test_a_line_holds_no_line_end(job: Jobs) -> None:
    async def conversation(process: LineProcess) -> None:
        with pytest.raises(ValueError, match="line end"):
            process.send([b"a\nb"])

    talk(LineProcess(job("echo_lines")), conversation)
