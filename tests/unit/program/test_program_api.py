"""`evalci.program`: the evaluator's interface, with real programs."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalci.program import DiffType, EvaluationError, IProgram, SubprocessEvaluator
from tests.programs import PROGRAMS
from tests.programs.script import ScriptProgram

ALWAYS = {"stdout", "stderr", "exit_code", "timed_out", "reason", "command", "args", "working_dir", "execution_time"}
Write = Callable[..., ScriptProgram]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Makes a program out of its text."""

    def make(text: str, name: str = "prog.py", *, directly: bool = False, mode: int = 0o644) -> ScriptProgram:
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(mode)
        return ScriptProgram(tmp_path / name, directly)

    return make


def test_metadata_is_all_there_whatever_happens(write: Write) -> None:
    quick = SubprocessEvaluator(timeout=0.3)
    ends: list[tuple[IProgram, dict[str, Any], str]] = [
        (write("print(1)", "good.py"), {}, "success"),
        (write("raise SystemExit(3)", "bad.py"), {}, "exit_code_3"),
        (write("print(1)", "other.py"), {"expected_output": "2"}, "output_mismatch"),
        (write("import time; time.sleep(60)", "slow.py"), {}, "timeout"),
        (write("no program", "x.txt"), {}, "exit_code_-2"),
        (write("print(1)", "same.py"), {"expected_output": 1}, "error"),
    ]
    for program, options, reason in ends:
        _, metadata = quick.evaluate(program, **options)
        assert set(metadata) >= ALWAYS, reason
        assert metadata["reason"] == reason


def test_a_run_is_told_with_its_command_arguments_and_folder(write: Write, tmp_path: Path) -> None:
    program = write("import os, sys; print(os.getcwd(), sys.argv[1:])")
    _, metadata = SubprocessEvaluator(working_dir=str(tmp_path)).evaluate(program, args=["a b", "é"])
    path = str(tmp_path / "prog.py")
    assert metadata["command"] == [sys.executable, path, "a b", "é"]
    assert (metadata["args"], metadata["working_dir"]) == (["a b", "é"], str(tmp_path))
    assert metadata["stdout"] == f"{tmp_path} ['a b', 'é']\n"
    assert 0 < metadata["execution_time"] < 30


def test_without_a_folder_of_its_own_a_program_gets_an_empty_one_that_goes_away(write: Write) -> None:
    _, metadata = SubprocessEvaluator().evaluate(write("import os; open('f', 'w'); print(os.listdir())"))
    assert metadata["stdout"] == "['f']\n"
    assert not Path(metadata["working_dir"]).exists()


def test_it_works_inside_a_running_loop(write: Write) -> None:
    program = write("print('in')")

    async def inside() -> float:
        return SubprocessEvaluator().evaluate(program)[0]

    assert asyncio.run(inside()) == 1.0


def test_a_busy_loop_is_a_time_out_and_never_an_exit_code() -> None:
    for how in ([], ["deaf"]):
        score, metadata = SubprocessEvaluator(timeout=0.4, score_on_timeout=0.1).evaluate(
            ScriptProgram(PROGRAMS / "busy_loop.py"), args=how
        )
        assert (score, metadata["reason"], metadata["exit_code"], metadata["timed_out"]) == (0.1, "timeout", -1, True)


def test_what_was_printed_before_time_ran_out_is_kept(write: Write) -> None:
    program = write("import time; print('begun', flush=True); time.sleep(60)")
    assert SubprocessEvaluator(timeout=0.5).evaluate(program)[1]["stdout"] == "begun\n"


def test_a_grandchild_on_the_pipes_delays_nothing() -> None:
    _, metadata = SubprocessEvaluator().evaluate(ScriptProgram(PROGRAMS / "leaves_grandchild_on_pipe.py"))
    assert (metadata["reason"], metadata["stdout"]) == ("success", "the answer\n")
    assert metadata["execution_time"] < 5


def test_a_signal_is_its_negative_number(write: Write) -> None:
    score, metadata = SubprocessEvaluator().evaluate(write("import os; os.kill(os.getpid(), 11)"))
    assert (score, metadata["reason"], metadata["exit_code"]) == (0.5, "exit_code_-11", -11)


def test_endless_output_is_an_error_with_the_beginning_kept() -> None:
    program = ScriptProgram(PROGRAMS / "endless_output.py")
    score, metadata = SubprocessEvaluator(score_on_error=0.2).evaluate(program, args=["stdout"])
    assert (score, metadata["reason"], metadata["exit_code"]) == (0.2, "error", -1)
    assert "output_mb" in metadata["error"]
    assert metadata["stdout"].startswith("y\ny\n")


def test_a_shell_script_is_run_by_bash_whether_or_not_it_may_be_executed(write: Write) -> None:
    score, metadata = SubprocessEvaluator().evaluate(write('[[ -n "$BASH_VERSION" ]] && echo bash', "s.sh"))
    assert (score, metadata["stdout"], metadata["command"][0]) == (1.0, "bash\n", "bash")


def test_a_shell_script_is_run_by_sh_where_there_is_no_bash() -> None:
    from evalci.targets.programs import command_of

    assert command_of("/p/s.sh", directly=False, environ={"PATH": "/nowhere"}) == ("sh", "/p/s.sh")


def test_an_executable_is_run_as_it_is_whatever_its_name(write: Write, tmp_path: Path) -> None:
    program = write("#!/bin/sh\necho directly\n", "s.py", directly=True, mode=0o755)
    _, metadata = SubprocessEvaluator().evaluate(program)
    assert (metadata["stdout"], metadata["command"]) == ("directly\n", [str(tmp_path / "s.py")])


def test_an_executable_without_the_permission_is_run_by_its_first_line_and_stays_as_it_is(
    write: Write, tmp_path: Path
) -> None:
    program = write("#!/bin/sh -e\necho $0\n", "tool", directly=True)
    score, metadata = SubprocessEvaluator().evaluate(program)
    assert (score, metadata["command"][:2]) == (1.0, ["/bin/sh", "-e"])
    assert (tmp_path / "tool").stat().st_mode & 0o777 == 0o644


def test_what_cannot_be_started_says_why_on_stderr(write: Write) -> None:
    score, metadata = SubprocessEvaluator().evaluate(write("\x7fELF", "tool", directly=True))
    assert (score, metadata["exit_code"]) == (0.5, -2)
    assert metadata["stderr"].startswith("Execution error: ")
    assert "may not be executed" in metadata["stderr"]


@pytest.mark.slow
def test_the_time_limit_of_a_call_goes_before_that_of_the_evaluator(write: Write) -> None:
    program = write("import time; time.sleep(0.6)")
    evaluator = SubprocessEvaluator(timeout=0.2)
    assert evaluator.evaluate(program)[1]["reason"] == "timeout"
    assert evaluator.evaluate(program, timeout=20)[1]["reason"] == "success"
    assert evaluator.evaluate(program, timeout=None)[1]["reason"] == "success"


@pytest.mark.parametrize("limit", ["max_memory_mb", "max_processes", "max_file_size_mb"])
def test_a_limit_may_be_lifted(write: Write, limit: str) -> None:
    assert SubprocessEvaluator(**{limit: None}).evaluate(write("print(1)"))[0] == 1.0


@pytest.mark.parametrize("options", [{"args": "ab"}, {"args": [1]}, {"timeout": 0}, {"timeout": -1}])
def test_what_cannot_be_run_is_raised(write: Write, options: dict[str, Any]) -> None:
    with pytest.raises(EvaluationError, match=r"^Evaluation failed: "):
        SubprocessEvaluator().evaluate(write("print(1)"), **options)


def test_variables_are_texts(write: Write) -> None:
    with pytest.raises(EvaluationError, match="env_vars must hold texts"):
        SubprocessEvaluator(env_vars={"A": 1}).evaluate(write("print(1)"))  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("path", "message"),
    [("", "Program path is not available"), ("/no/such.py", "Program file not found: /no/such.py"), ("a\0b", "a\0b")],
)
def test_a_program_that_is_not_there_is_raised(path: str, message: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        SubprocessEvaluator().evaluate(ScriptProgram(path))
    assert str(caught.value).startswith("Evaluation failed: ")
    assert message in str(caught.value)


def test_only_programs_are_run() -> None:
    with pytest.raises(TypeError, match="IProgram"):
        SubprocessEvaluator().evaluate("prog.py")  # type: ignore[arg-type]


def test_a_program_needs_four_methods_and_has_no_path_by_itself() -> None:
    class Bare(IProgram):
        def diff(self, other: IProgram) -> DiffType:
            return {}

        def apply_diff(self, diff: DiffType) -> IProgram:
            return self

        def validate(self) -> bool:
            return True

        def clone(self) -> IProgram:
            return self

    assert not Bare().is_executable()
    with pytest.raises(EvaluationError, match="Program path is not available"):
        SubprocessEvaluator().evaluate(Bare())
    with pytest.raises(TypeError):
        IProgram()  # type: ignore[abstract]


def test_relative_folders_are_those_of_the_caller(write: Write, tmp_path: Path) -> None:
    import contextlib

    (tmp_path / "below").mkdir()
    write("import os; print(os.path.basename(os.getcwd()))")
    with contextlib.chdir(tmp_path):
        _, metadata = SubprocessEvaluator(working_dir="below").evaluate(ScriptProgram("prog.py"))
    assert metadata["stdout"] == "below\n"


def test_a_folder_that_is_not_there_keeps_the_program_from_starting(write: Write, tmp_path: Path) -> None:
    _, metadata = SubprocessEvaluator(working_dir=str(tmp_path / "gone")).evaluate(write("print(1)"))
    assert metadata["exit_code"] == -2
    assert "cannot be entered" in metadata["stderr"]


def test_other_codes_of_success_count_in_the_rates() -> None:
    entries = [{"exit_code": 3}, {"exit_code": 0}, {}]
    _, told = SubprocessEvaluator(success_exit_codes=[3]).aggregate_scores([1.0, 1.0, 0.0], entries)
    assert (told["success_rate"], told["reason_counts"], told["total_executions"]) == (0.5, {"unknown": 3}, 3)


def test_nothing_is_needed_in_the_environment_for_limits_to_hold(write: Write) -> None:
    program = write("import resource as r; print(*(r.getrlimit(k)[0] for k in (r.RLIMIT_CPU, r.RLIMIT_FSIZE)))")
    _, metadata = SubprocessEvaluator(timeout=7, max_file_size_mb=2).evaluate(program)
    if sys.platform == "linux":
        assert metadata["stdout"].split() == ["7", str(2 * 1024 * 1024)]
    assert "EVALCI" not in os.environ
