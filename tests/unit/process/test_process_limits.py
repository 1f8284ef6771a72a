"""Limits, jobs, environments and endings as values."""

import math
import signal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.process import Finished, Job, Limits, Place, inherited, minimal, shell, text_of
from evalci.process.child import Exit
from evalci.process.runner import cpu_ran_out


@pytest.mark.parametrize(
    "field", ["timeout_seconds", "cpu_seconds", "memory_mb", "file_size_mb", "processes", "output_mb"]
)
@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf])
def test_a_limit_is_positive_and_finite(field: str, value: Any) -> None:
    with pytest.raises(ValueError, match=field):
        Limits(**{field: value})


def test_there_is_always_a_time_limit() -> None:
    assert Limits().timeout_seconds == 120


def test_a_job_needs_a_program() -> None:
    for argv in ((), ("",)):
        with pytest.raises(ValueError, match="program"):
            Job(argv=argv, environment={})


def test_a_job_does_not_run_in_two_folders() -> None:
    with pytest.raises(ValueError, match="not both"):
        Job(argv=("true",), environment={}, cwd="/", place=Place.FRESH)


def test_what_a_job_holds_is_not_in_its_repr() -> None:
    assert "hush" not in repr(Job(argv=("true",), environment={"KEY": "hush"}, stdin=b"hush"))


@given(st.dictionaries(st.text(), st.text()), st.sets(st.text()), st.dictionaries(st.text(), st.text()))
def test_an_inherited_environment_lacks_what_is_withheld(
    environ: dict[str, str], without: set[str], extra: dict[str, str]
) -> None:
    seen = inherited(environ, without=without, extra=extra)
    assert seen == {**{k: v for k, v in environ.items() if k not in without}, **extra}


def test_a_minimal_environment_is_path_locale_and_what_was_named() -> None:
    environ = {"PATH": "/bin", "LANG": "de_DE", "SECRET": "hush", "NAMED": "yes", "HOME": "/root"}
    seen = minimal(environ, names=["NAMED", "ABSENT"], extra={"EXTRA": "1"})
    assert seen == {"PATH": "/bin", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "NAMED": "yes", "EXTRA": "1"}


def test_a_minimal_environment_has_a_path_even_when_there_was_none() -> None:
    assert minimal({})["PATH"]


def test_a_shell_command_runs_through_sh() -> None:
    assert shell("a | b") == ("sh", "-c", "a | b")


def finished(**fields: object) -> Finished:
    return Finished(**{"exit_code": None, "duration": 0.1, "cwd": "/", "limits": Limits(), **fields})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "status", "ending"),
    [
        ({"exit_code": 3}, "exit status: 3", "exited with exit status: 3"),
        ({"signal": 9}, "signal: 9 (SIGKILL)", "exited with signal: 9 (SIGKILL)"),
        ({"signal": 6}, "signal: 6 (SIGABRT)", "exited with signal: 6 (SIGABRT)"),
        ({"signal": 99}, "signal: 99", "exited with signal: 99"),
        ({}, "exit status: unknown", "exited with exit status: unknown"),
        (
            {"signal": 9, "stopped_by": "timeout_seconds", "limits": Limits(timeout_seconds=2.5)},
            "signal: 9 (SIGKILL)",
            "timed out after 2.5s",
        ),
        (
            {"signal": 24, "stopped_by": "cpu_seconds", "limits": Limits(cpu_seconds=2)},
            "signal: 24 (SIGXCPU)",
            "timed out after 2s of CPU time",
        ),
        (
            {"signal": 24, "stopped_by": "cpu_seconds"},
            "signal: 24 (SIGXCPU)",
            "timed out: its CPU time ran out",
        ),
        (
            {"signal": 9, "stopped_by": "output_mb"},
            "signal: 9 (SIGKILL)",
            "was ended: it wrote far more than output_mb: 8",
        ),
    ],
)
def test_an_ending_is_told_in_words(fields: dict[str, object], status: str, ending: str) -> None:
    assert finished(**fields).status_text == status
    assert finished(**fields).ending_text == ending


def test_only_an_exit_with_zero_is_success() -> None:
    assert finished(exit_code=0).succeeded
    assert not finished(exit_code=1).succeeded
    assert not finished(exit_code=0, stopped_by="output_mb").succeeded


def test_time_on_the_wall_and_cpu_time_are_both_time_outs() -> None:
    assert finished(stopped_by="timeout_seconds").timed_out
    assert finished(stopped_by="cpu_seconds").timed_out
    assert not finished(stopped_by="output_mb").timed_out


@pytest.mark.parametrize(
    ("exit_", "limit", "ran_out"),
    [
        (Exit(signal=signal.SIGXCPU), None, True),
        (Exit(signal=signal.SIGKILL, cpu_seconds=2.0), 2, True),
        (Exit(code=128 + signal.SIGXCPU, cpu_seconds=2.0), 2, True),
        (Exit(code=128 + signal.SIGKILL, cpu_seconds=3.0), 2, True),
        (Exit(signal=signal.SIGKILL, cpu_seconds=0.1), 2, False),
        (Exit(signal=signal.SIGKILL, cpu_seconds=2.0), None, False),
        (Exit(code=1, cpu_seconds=9.0), 2, False),
    ],
)
def test_death_by_cpu_time_is_told_from_other_deaths(exit_: Exit, limit: float | None, ran_out: bool) -> None:
    assert (cpu_ran_out(exit_, Limits(cpu_seconds=limit)) == "cpu_seconds") is ran_out


@given(st.binary())
def test_any_output_is_text(output: bytes) -> None:
    text_of(output).encode()


def test_what_is_not_utf_8_is_replaced() -> None:
    assert text_of(b"caf\xe9 \xc3\xa9") == "caf\N{REPLACEMENT CHARACTER} é"
