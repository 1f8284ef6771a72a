"""Programs that behave, more or less: streams, folders, variables, endings."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from evalci.process import Job, Limits, NotStarted, Place, minimal, run, run_sync, shell

Jobs = Callable[..., Job]
A_LIMIT = Limits(cpu_seconds=20)
EVERY_START = [Limits(), A_LIMIT]  # directly, and through the gate


@pytest.mark.parametrize("limits", EVERY_START)
def test_the_exit_code_and_both_streams_come_back(job: Jobs, limits: Limits) -> None:
    done = run_sync(job(argv=shell("cat; echo oops >&2; exit 3"), stdin="grüße".encode(), limits=limits))
    assert (done.exit_code, done.signal, done.stdout.decode(), done.stderr) == (3, None, "grüße", b"oops\n")
    assert not done.succeeded
    assert done.stopped_by is None
    assert done.duration < 10


@pytest.mark.parametrize("limits", EVERY_START)
def test_without_input_stdin_is_empty(job: Jobs, limits: Limits) -> None:
    assert run_sync(job(argv=shell("wc -c"), limits=limits)).stdout.strip() == b"0"


def test_death_by_signal_is_no_exit_code(job: Jobs) -> None:
    done = run_sync(job(argv=shell("kill -9 $$")))
    assert (done.exit_code, done.signal, done.stopped_by) == (None, signal.SIGKILL, None)


@pytest.mark.parametrize("limits", EVERY_START)
def test_a_program_that_writes_before_it_reads_does_not_block(job: Jobs, limits: Limits) -> None:
    done = run_sync(job("writes_before_reading", stdin=b"i" * 3_000_000, limits=limits))
    assert done.stdout == b"x" * 1024 * 1024 + b"3000000\n"
    assert len(done.stderr) == 1024 * 1024


@pytest.mark.parametrize("command", ["echo did not look", "exec <&-; sleep 0.05; echo did not look"])
def test_a_program_that_does_not_read_its_input_is_left_alone(job: Jobs, command: str) -> None:
    done = run_sync(job(argv=shell(command), stdin=b"i" * 3_000_000))
    assert (done.exit_code, done.stdout) == (0, b"did not look\n")


def test_what_is_said_before_a_failure_is_kept_when_nothing_was_read(job: Jobs) -> None:
    done = run_sync(job(argv=shell("echo cannot find model >&2; exit 3"), stdin=b"i" * 3_000_000))
    assert (done.exit_code, done.stderr) == (3, b"cannot find model\n")


def test_bytes_come_back_as_they_are(job: Jobs) -> None:
    assert run_sync(job("binary_output")).stdout == bytes(range(256))


def test_a_closed_pipe_ends_a_writer_as_in_a_shell(job: Jobs) -> None:
    assert run_sync(job(argv=shell("yes | head -n 1"))).stdout == b"y\n"


@pytest.mark.parametrize("limits", EVERY_START)
@pytest.mark.parametrize(
    ("content", "mode", "why"),
    [
        (None, 0, "there is no such program"),
        ("#!/bin/sh\n", 0o644, "it may not be executed"),
        ("echo no first line\n", 0o755, "it is neither a program of this system nor a script with a #! line"),
    ],
)
def test_a_program_that_cannot_be_started_says_why(
    tmp_path: Path, limits: Limits, content: str | None, mode: int, why: str
) -> None:
    program = tmp_path / "program"
    if content is not None:
        program.write_text(content)
        program.chmod(mode)
    with pytest.raises(NotStarted) as error:
        run_sync(Job(argv=(str(program),), environment={}, limits=limits))
    assert str(error.value) == f'cannot start "{program}": {why}'


@pytest.mark.parametrize("limits", EVERY_START)
@pytest.mark.parametrize("argv", [("no-such-program-here",), ("/",), ("true", "a\0b"), ("true", "x" * 3_000_000)])
def test_what_cannot_be_executed_is_not_started(argv: tuple[str, ...], limits: Limits) -> None:
    with pytest.raises(NotStarted, match=r"^cannot start"):
        run_sync(Job(argv=argv, environment=minimal(os.environ), limits=limits))


def test_a_script_whose_interpreter_is_missing_is_told_from_a_missing_script(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    with pytest.raises(NotStarted, match="interpreter"):
        run_sync(Job(argv=(str(script),), environment={}, limits=A_LIMIT))


@pytest.mark.parametrize("limits", EVERY_START)
def test_a_folder_that_is_not_there_is_named(tmp_path: Path, limits: Limits) -> None:
    with pytest.raises(NotStarted, match=r"folder .* cannot be entered"):
        run_sync(Job(argv=("/bin/sh",), environment={}, cwd=str(tmp_path / "gone"), limits=limits))


def test_a_missing_command_in_a_shell_is_an_exit_code(job: Jobs) -> None:
    assert run_sync(job(argv=shell("no-such-program-here"))).exit_code == 127


def test_a_program_runs_where_it_is_told_to(job: Jobs, tmp_path: Path) -> None:
    (tmp_path / "here.sh").write_text("#!/bin/sh\npwd -P\n")
    (tmp_path / "here.sh").chmod(0o755)
    for limits in EVERY_START:
        done = run_sync(job(argv=("./here.sh",), cwd=str(tmp_path), limits=limits))
        assert done.stdout.decode().strip() == str(tmp_path.resolve())
        assert done.cwd == str(tmp_path)


def test_a_fresh_folder_is_empty_and_removed_afterwards(job: Jobs) -> None:
    done = run_sync(job(argv=shell("ls -A; pwd; touch left-over"), place=Place.FRESH))
    assert done.stdout.decode() == f"{done.cwd}\n"
    assert not Path(done.cwd).exists()


def test_a_fresh_home_gives_every_call_folders_of_its_own() -> None:
    names = ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "TMPDIR")
    script = "pwd; for f in " + " ".join(f'"${name}"' for name in names) + '; do echo "$f"; ls -A "$f"; done'
    job = Job(argv=shell(script), environment=minimal(os.environ), place=Place.FRESH_HOME)
    first, second = (run_sync(job).stdout.decode().split() for _ in range(2))
    assert len({*first, *second}) == 10
    assert not any(Path(folder).exists() for folder in first + second)


def test_a_minimal_environment_is_all_a_program_sees() -> None:
    job = Job(
        argv=(sys.executable, "-I", "-S", "-c", "import os; print(sorted(os.environ))"),
        environment=minimal({"PATH": os.environ["PATH"], "SECRET": "hush", "KEY": "1"}, names=["KEY"]),
        place=Place.FRESH_HOME,
    )
    seen = ["HOME", "KEY", "LANG", "LC_ALL", "PATH", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"]
    assert run_sync(job).stdout.decode().strip() == str(seen)


def test_locked_folders_are_removed_and_links_not_followed(job: Jobs) -> None:
    done = run_sync(job("locks_its_folder", place=Place.FRESH))
    assert (done.exit_code, done.notes) == (0, ())
    assert not Path(done.cwd).exists()


def test_a_link_in_the_place_of_the_folder_goes_and_what_it_leads_to_stays_as_it_is(job: Jobs, tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir(mode=0o755)
    script = 'top=$(dirname "$PWD"); cd /; rm -r "$top"; ln -s "$0" "$top"'
    done = run_sync(job(argv=("sh", "-c", script, str(tmp_path / "kept")), place=Place.FRESH))
    assert (done.exit_code, done.notes) == (0, ())
    assert not os.path.lexists(Path(done.cwd).parent)
    assert (tmp_path / "kept").stat().st_mode & 0o777 == 0o755


def test_the_sync_door_opens_inside_a_running_loop(job: Jobs) -> None:
    async def inside() -> bytes:
        return run_sync(job(argv=shell("echo in"))).stdout

    assert asyncio.run(inside()) == b"in\n"


def test_two_loops_in_two_threads_do_not_end_each_other(job: Jobs) -> None:
    async def both() -> list[bytes]:
        answers = await asyncio.gather(
            *(asyncio.to_thread(run_sync, job(argv=shell(f"sleep 0.{i}; echo {i}"))) for i in range(4))
        )
        return [answer.stdout for answer in answers]

    assert asyncio.run(both()) == [b"0\n", b"1\n", b"2\n", b"3\n"]


def test_no_handle_is_left_open(job: Jobs) -> None:
    async def some() -> tuple[int, int]:
        await run(job(argv=shell("true"), limits=A_LIMIT))
        before = len(os.listdir("/proc/self/fd"))
        for limits in EVERY_START:
            await run(job(argv=shell("sleep 5"), limits=Limits(timeout_seconds=0.05, cpu_seconds=limits.cpu_seconds)))
            with pytest.raises(NotStarted):
                await run(job(argv=("/nowhere",), limits=limits))
        return before, len(os.listdir("/proc/self/fd"))

    before, after = asyncio.run(some())
    assert before == after
