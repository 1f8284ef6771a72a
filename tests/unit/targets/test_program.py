"""The program target: what is started, where and with what; what the report gets. Real programs."""

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from evalci.cassette import Redactor
from evalci.model import Output, Score, TargetError
from evalci.targets.program import ProgramTarget
from tests.doubles import tools_in
from tests.factories import case
from tests.programs import PROGRAMS
from tests.unit.targets.program_settings import settings

ALWAYS = {"stdout", "stderr", "exit_code", "timed_out", "reason", "command", "args", "working_dir", "execution_time"}


def target(folder: Path, secrets: tuple[str, ...] = (), environ: Mapping[str, str] | None = None, **given: Any) -> Any:
    tools = tools_in(folder, redactor=Redactor(secrets), environ={"PATH": os.environ["PATH"], **(environ or {})})
    return settings({"path": "prog.py", **given}).build(tools)


def ask(target: ProgramTarget, stdin: str = "", **about: Any) -> Output:
    return asyncio.run(target.ask(case("c1", input=stdin, **about), 0))


def own_score(target: ProgramTarget, output: Output) -> Score:
    return asyncio.run(target.own_scorer.score(case("c1"), output))


@pytest.fixture
def program(tmp_path: Path) -> Any:
    def write(text: str, name: str = "prog.py", mode: int = 0o644) -> None:
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(mode)

    return write


def test_the_input_is_on_stdin_and_stdout_is_the_output_untrimmed(program: Any, tmp_path: Path) -> None:
    program("import sys; print(sys.stdin.read().upper())")
    bot = target(tmp_path, args=["x"])
    output = ask(bot, "grüß")
    assert output.text == "GRÜSS\n"
    score = own_score(bot, output)
    assert (score.value, score.passed, score.reason) == (1.0, True, "success")
    assert set(score.metadata or {}) - {"notes"} == ALWAYS


def test_a_report_names_files_of_the_project_from_its_root(program: Any, tmp_path: Path) -> None:
    (tmp_path / "bots").mkdir()
    program("print(1)", "bots/prog.py")
    metadata = ask(target(tmp_path, path="bots/prog.py", args=["-v"], working_dir="bots")).program or {}
    assert metadata["command"] == [sys.executable, "bots/prog.py", "-v"]
    assert (metadata["args"], metadata["working_dir"]) == (["-v"], "bots")


def test_paths_are_the_configs_whatever_the_folder_it_is_run_from(program: Any, tmp_path: Path) -> None:
    program("import os; print(os.getcwd())")
    (tmp_path / "below").mkdir()
    assert ask(target(tmp_path, working_dir="below")).text == f"{tmp_path / 'below'}\n"
    assert ask(target(tmp_path, path=str(tmp_path / "prog.py"), working_dir=".")).text == f"{tmp_path}\n"


@pytest.mark.parametrize(
    ("given", "expected", "score"),
    [
        ({}, None, 1.0),
        ({}, "no", 0.7),
        ({}, "5", 1.0),
        ({}, 5, 1.0),
        ({}, {"a": 5}, 0.7),
        ({"expected_output": "5"}, "no", 1.0),
        ({"expected_output": "no"}, "5", 0.7),
        ({"expected_output": False}, "no", 1.0),
    ],
)
def test_stdout_is_compared_with_the_setting_else_with_the_case(
    program: Any, tmp_path: Path, given: dict[str, Any], expected: Any, score: float
) -> None:
    program("print(5)")
    bot = target(tmp_path, **given)
    assert own_score(bot, ask(bot, expected=expected)).value == score


def test_a_mismatch_is_told_with_both_texts(program: Any, tmp_path: Path) -> None:
    program("print(5)")
    assert ask(target(tmp_path), expected="6").notes == ('expected "6", got "5"',)


def test_a_failure_is_told_with_its_last_words(program: Any, tmp_path: Path) -> None:
    program("1 / 0")
    bot = target(tmp_path)
    output = ask(bot)
    assert output.notes == ('the last line on stderr: "ZeroDivisionError: division by zero"',)
    score = own_score(bot, output)
    assert (score.value, score.passed, score.reason) == (0.5, False, "exit_code_1")


@pytest.mark.parametrize("how", [[], ["deaf"]])
def test_a_busy_loop_is_a_time_out(tmp_path: Path, how: list[str]) -> None:
    limits = {"timeout_seconds": 0.4}
    bot = target(tmp_path, path=str(PROGRAMS / "busy_loop.py"), args=how, limits=limits, score_on_timeout=0.3)
    output = ask(bot)
    assert output.notes == ("the program timed out after 0.4s",)
    score = own_score(bot, output)
    assert (score.value, score.passed, score.reason) == (0.3, False, "timeout")
    assert (output.program or {})["exit_code"] == -1


def test_endless_output_is_an_error_and_says_which_limit_it_was(tmp_path: Path) -> None:
    bot = target(tmp_path, path=str(PROGRAMS / "endless_output.py"), args=["stdout"], limits={"output_mb": 0.1})
    output = ask(bot)
    assert "output_mb: 0.1" in output.notes[0]
    assert "dropped" in output.notes[1]
    score = own_score(bot, output)
    assert (score.value, score.reason, (output.program or {})["exit_ok"]) == (0.0, "error", False)


def test_limits_are_the_seeds_unless_said_and_one_that_is_said_leaves_the_others() -> None:
    def in_force(**limits: Any) -> tuple[Any, ...]:
        found = settings({"path": "p", "limits": limits}).limits.in_force()
        names = ("timeout_seconds", "cpu_seconds", "memory_mb", "processes", "file_size_mb")
        return tuple(getattr(found, name) for name in names)

    assert in_force() == (30, 30, 512, 64, 10)
    assert in_force(timeout_seconds=5, memory_mb=None) == (5, 5, None, 64, 10)
    assert in_force(cpu_seconds=60, processes=2) == (30, 60, 512, 2, 10)


def test_a_program_that_is_not_there_is_a_target_error_that_shows_no_path_of_the_machine(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match=r"^Program file not found: gone.py$"):
        ask(target(tmp_path, path="gone.py"))


def test_what_cannot_be_started_is_an_exit_code_of_its_own(program: Any, tmp_path: Path) -> None:
    program("no program", "x.txt")
    bot = target(tmp_path, path="x.txt")
    output = ask(bot)
    assert own_score(bot, output).reason == "exit_code_-2"
    assert "may not be executed" in output.notes[0]


def test_an_executable_with_a_first_line_is_run_by_it_and_one_without_by_its_ending(
    program: Any, tmp_path: Path
) -> None:
    program("#!/bin/sh\necho by sh", "a.py", 0o755)
    program("print('by python')", "b.py", 0o755)
    program("#!/bin/sh\necho by python would fail", "c", 0o644)
    assert ask(target(tmp_path, path="a.py")).text == "by sh\n"
    assert ask(target(tmp_path, path="b.py")).text == "by python\n"
    assert ask(target(tmp_path, path="c")).text == "by python would fail\n"


def test_variables_are_added_to_the_environment(program: Any, tmp_path: Path) -> None:
    program("import os; print(os.environ['A'], os.environ['B'])")
    assert ask(target(tmp_path, environ={"A": "1", "B": "1"}, env_vars={"B": "2"})).text == "1 2\n"


def test_secrets_are_in_neither_stream_nor_command(program: Any, tmp_path: Path) -> None:
    program("import sys; print('hunter22'); sys.exit('hunter22')")
    output = ask(target(tmp_path, secrets=("hunter22",), args=["hunter22"]))
    assert "hunter22" not in repr(output)
    assert output.text == "[redacted]\n"


def test_a_limit_that_does_not_bind_is_remarked_once(program: Any, tmp_path: Path) -> None:
    program("print(1)")
    bot = target(tmp_path)
    outputs = [ask(bot), ask(bot)]
    told = [set((output.program or {}).get("notes", ())) for output in outputs]
    assert set(bot.remarks) == told[0] == told[1]
    assert all(output.notes == () for output in outputs)


def test_without_a_network_a_program_reaches_no_port_or_it_is_said(tmp_path: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        bot = target(tmp_path, path=str(PROGRAMS / "tries_network.py"), args=[port], isolate="network")
        said = ask(bot).text
    assert said == "cut off\n" or any("network" in remark for remark in bot.remarks)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, 'lacks the key "path"'),
        ({"path": ""}, "path must be non-empty"),
        ({"path": "p", "success_exit_codes": []}, "success_exit_codes must hold an exit code"),
        ({"path": "p", "success_exit_codes": [True]}, "must be a whole number"),
        ({"path": "p", "env_vars": {"A=B": "x"}}, 'cannot name a variable "A=B"'),
        ({"path": "p", "env_vars": {"A": 1}}, "must be text"),
        ({"path": "p", "score_on_timeout": 2}, "score_on_timeout must be within [0, 1]"),
        ({"path": "p", "isolate": "disk"}, "isolate cannot be disk"),
        ({"path": "p", "expected_output": 5}, 'write it in quotes: "5"'),
        ({"path": "p", "expected_output": True}, "expected_output"),
        ({"path": "p", "limits": {"memory": 1}}, 'did you mean "memory_mb"?'),
    ],
)
def test_mistakes_in_its_settings_are_named(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        settings(given)
    assert message in str(caught.value)
