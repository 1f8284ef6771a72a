"""The shell target: the input on stdin, the output as it was written."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from evalci.cassette import Redactor
from evalci.model import Case, Output, TargetError
from evalci.process import Limits
from evalci.targets.shell import Shell
from tests.doubles import tools_in


def ask(folder: Path, cmd: str, text: str = "hi", **more: Any) -> Output:
    environ = {"PATH": os.environ["PATH"], **more.pop("environ", {})}
    tools = tools_in(folder, environ=environ, redactor=more.pop("redactor", None))
    return asyncio.run(Shell(cmd=cmd, **more).build(tools).ask(Case(id="a", input=text), 1))


def error_of(folder: Path, cmd: str, **more: Any) -> str:
    with pytest.raises(TargetError) as caught:
        ask(folder, cmd, **more)
    return str(caught.value)


@pytest.mark.parametrize("text", ["", "plain", "café 👩‍👩‍👧\n\n", "a\r\nb", "$HOME `ls` '\"", "x" * 200_000])
def test_the_input_goes_in_and_comes_out_untouched(tmp_path: Path, text: str) -> None:
    output = ask(tmp_path, "cat", text)
    assert (output.text, output.trial, output.tokens, output.cost_usd) == (text, 1, None, None)


def test_half_a_surrogate_pair_and_bytes_that_are_no_text_are_replaced(tmp_path: Path) -> None:
    assert ask(tmp_path, "cat", "a\ud800").text == "a?"
    assert ask(tmp_path, r"printf '\377ok'").text == "\ufffdok"


def test_a_command_that_does_not_read_its_input_is_no_failure(tmp_path: Path) -> None:
    assert ask(tmp_path, "echo yes", "x" * 1_000_000).text == "yes\n"


@pytest.mark.parametrize(("cmd", "said"), [
    ("echo no 1>&2; exit 3", "shell target exited with exit status: 3: no"),
    ("exit 1", "shell target exited with exit status: 1"),
    ("kill -9 $$", "shell target exited with signal: 9 (SIGKILL)"),
    ("echo out; exit 2", "shell target exited with exit status: 2"),
])  # fmt: skip
def test_a_command_that_fails_says_how_and_what_it_complained_of(tmp_path: Path, cmd: str, said: str) -> None:
    assert error_of(tmp_path, cmd) == said


def test_a_missing_command_fails_its_case(tmp_path: Path) -> None:
    assert "exit status: 127" in error_of(tmp_path, "no-such-command-anywhere")


def test_without_a_shell_its_case_fails(tmp_path: Path) -> None:
    assert error_of(tmp_path, "cat", environ={"PATH": "/nowhere"}).startswith("failed to spawn shell target: ")


def test_a_command_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    said = error_of(tmp_path, "sleep 30", limits=Limits(timeout_seconds=0.2))
    assert said == "shell target timed out after 0.2s"


def test_secrets_are_taken_out_of_output_and_complaint(tmp_path: Path) -> None:
    redactor = Redactor(["s3cret-value"])
    assert ask(tmp_path, "echo s3cret-value", redactor=redactor).text == "[redacted]\n"
    assert error_of(tmp_path, "echo s3cret-value 1>&2; exit 1", redactor=redactor).endswith(": [redacted]")


def test_the_command_sees_the_environment_it_is_handed(tmp_path: Path) -> None:
    assert ask(tmp_path, 'printf %s "$MINE"', environ={"MINE": "yes"}).text == "yes"


def test_output_past_the_limit_is_said_to_be_dropped(tmp_path: Path) -> None:
    output = ask(tmp_path, "head -c 3000 /dev/zero | tr '\\0' x", limits=Limits(output_mb=0.001))
    assert len(output.text) == 1049
    assert output.notes == ("1951 bytes of output past output_mb were dropped",)
