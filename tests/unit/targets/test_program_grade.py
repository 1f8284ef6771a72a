"""How a run of a program is scored: the table, row by row, and what always holds."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.process import Finished, Job, Limits, NotStarted
from evalci.targets.programs import Execution, Rules, ended, grade, never_started

RULES = Rules(success_exit_codes=(0, 3), score_on_timeout=0.1, score_on_error=0.2)
JOB = Job(argv=("/p", "a"), environment={}, cwd="/w")


def execution(**fields: Any) -> Execution:
    return Execution(**{"exit_code": 0, "command": ("/p",), **fields})


@pytest.mark.parametrize(
    ("fields", "expected", "score", "reason", "match"),
    [
        ({}, None, 1.0, "success", None),
        ({"exit_code": 3}, None, 1.0, "success", None),
        ({"exit_code": 1}, None, 0.5, "exit_code_1", None),
        ({"exit_code": -2}, None, 0.5, "exit_code_-2", None),
        ({"exit_code": -11}, "x", 0.5, "exit_code_-11", None),
        ({"timed_out": True, "exit_code": -1}, "x", 0.1, "timeout", None),
        ({"error": "it flooded", "exit_code": 0}, "x", 0.2, "error", None),
        ({"stdout": " x\n"}, "x \n", 1.0, "success", True),
        ({"stdout": "x y"}, "x  y", 0.7, "output_mismatch", False),
        ({"stdout": "X"}, "x", 0.7, "output_mismatch", False),
        ({"stdout": "x"}, "", 0.7, "output_mismatch", False),
        ({"stdout": "\n"}, "", 1.0, "success", True),
        ({"stdout": "x", "dropped": 1}, "x", 0.7, "output_mismatch", False),
        ({"stdout": "5"}, 5, 0.2, "error", None),
    ],
)
def test_the_first_thing_that_holds_decides(
    fields: dict[str, Any], expected: Any, score: float, reason: str, match: bool | None
) -> None:
    given = grade(execution(**fields), RULES, expected)
    assert (given.score, given.reason, given.output_match) == (score, reason, match)


RUNS = st.builds(
    execution,
    stdout=st.text(max_size=5),
    exit_code=st.integers(-64, 255),
    timed_out=st.booleans(),
    error=st.none() | st.just("it flooded"),
    dropped=st.integers(0, 2),
)


@given(RUNS, st.none() | st.text(max_size=5))
def test_a_full_score_is_a_success_and_nothing_else_is(run: Execution, expected: str | None) -> None:
    given = grade(run, RULES, expected)
    assert (given.score == 1.0) is (given.reason == "success")
    assert (given.output_match is None) or expected is not None
    told = given.metadata(run)
    assert told["reason"] == given.reason
    assert set(run.facts()) <= set(told)


@given(RUNS, st.sampled_from(["", " ", "\n\t"]))
def test_blanks_around_an_expectation_change_nothing(run: Execution, blanks: str) -> None:
    assert grade(run, RULES, f"{blanks}x{blanks}").score == grade(run, RULES, "x").score


def finished(**fields: Any) -> Finished:
    return Finished(**{"exit_code": None, "duration": 1.0, "cwd": "/w", "limits": Limits(), **fields})


@pytest.mark.parametrize(
    ("fields", "code", "timed_out"),
    [
        ({"exit_code": 7}, 7, False),
        ({"signal": 9}, -9, False),
        ({"signal": 9, "stopped_by": "timeout_seconds"}, -1, True),
        ({"signal": 24, "stopped_by": "cpu_seconds"}, -1, True),
        ({"signal": 9, "stopped_by": "output_mb"}, -1, False),
        ({}, -1, False),
    ],
)
def test_an_exit_code_says_who_ended_it(fields: dict[str, Any], code: int, timed_out: bool) -> None:
    seen = ended(finished(**fields), JOB, ("a",))
    assert (seen.exit_code, seen.timed_out) == (code, timed_out)
    assert (seen.error is not None) is (fields.get("stopped_by") == "output_mb")


def test_what_a_program_wrote_is_text_without_secrets() -> None:
    seen = ended(finished(exit_code=0, stdout=b"\xff key", stderr=b"key"), JOB, ("a",), lambda t: t.replace("key", "*"))
    assert (seen.stdout, seen.stderr) == ("\ufffd *", "*")


def test_a_program_that_never_started_says_so_on_stderr() -> None:
    seen = never_started(NotStarted("cannot start it"), JOB, ("a",))
    assert (seen.exit_code, seen.stderr, seen.working_dir) == (-2, "Execution error: cannot start it", "/w")
