"""Protocol v0: what the command reads byte for byte, and what is a verdict. Commands are real ones."""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.model import Case, Output, Score
from evalci.process import Finished, Limits
from evalci.scorers import ScorerError
from evalci.scorers.subprocess import score_of as judged
from evalci.scorers.verdicts import payload, read_verdict
from tests.doubles import tools_in
from tests.factories import json_values, texts
from tests.scoring import built, score_of


def run(folder: Path, cmd: str, output: str = "hello", **case: Any) -> Score:
    tools = tools_in(folder, environ={"PATH": os.environ["PATH"], "SHADE": "blue"})
    return score_of(built({"type": "subprocess", "cmd": cmd}, tools), output, case)


def verdict(stdout: str) -> Score:
    try:
        return read_verdict("cmd", stdout)
    except ScorerError as exc:
        return Score.broken(str(exc))


# --- what the command reads -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("case", "stdin"),
    [
        ({}, '{"expected":null,"input":"","output":"o"}'),
        ({"context": ("a", "b")}, '{"context":["a","b"],"expected":null,"input":"","output":"o"}'),
        ({"context": ()}, '{"expected":null,"input":"","output":"o"}'),
        ({"expected": {"b": 1.0, "a": [None, True]}}, '{"expected":{"a":[null,true],"b":1.0},"input":"","output":"o"}'),
        ({"input": 'é\n\u2028"\x01'}, '{"expected":null,"input":"é\\n\u2028\\"\\u0001","output":"o"}'),
        ({"input": {"q": 1}}, '{"expected":null,"input":{"q":1},"output":"o"}'),
        ({"input": "\ud800"}, '{"expected":null,"input":"\ufffd","output":"o"}'),
    ],
)
def test_the_case_goes_in_as_compact_json_with_its_keys_sorted(case: dict[str, Any], stdin: str) -> None:
    assert payload(Case(id="c1", **case), Output(text="o")).decode() == stdin


@given(texts(), texts(), json_values(), st.lists(texts(), max_size=2))
def test_what_goes_in_is_the_case(text: str, asked: str, expected: Any, context: list[str]) -> None:
    case = Case(id="c1", input=asked, expected=expected, context=tuple(context) or None)
    read = json.loads(payload(case, Output(text=text)))
    with_context = {"context": context} if context else {}
    assert read == {"input": asked, "output": text, "expected": expected, **with_context} or _holds_big_integer(
        expected
    )


def _holds_big_integer(value: Any) -> bool:
    """Past 64 bits integers are written as floats, as EvalCore writes them."""
    if isinstance(value, int):
        return not -(2**63) <= value < 2**64
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(map(_holds_big_integer, items))


def test_a_case_that_json_cannot_hold_breaks_the_score() -> None:
    with pytest.raises(ScorerError, match="cannot be written as JSON"):
        payload(Case(id="c1", input=object()), Output(text="o"))


# --- what is a verdict ------------------------------------------------------------------------------------------------


@given(st.floats(0, 1), st.sampled_from([None, True, False]), st.none() | texts())
def test_every_verdict_is_read_as_it_was_printed(score: float, passed: bool | None, reason: str | None) -> None:
    found = verdict(json.dumps({"score": score, "passed": passed, "reason": reason, "other": [1]}) + "\n\n")
    assert found == Score(value=score, passed=score >= 0.5 if passed is None else passed, reason=reason or "")


@given(json_values())
def test_only_an_object_with_a_score_from_0_to_1_is_a_verdict(printed: Any) -> None:
    found = verdict(json.dumps(printed))
    assert found.error is not None


@pytest.mark.parametrize("score", [2, -1, 1.0000001, -1e-9, 10**30, 1e300, 10**400])
def test_a_score_out_of_range_is_told_in_plain_digits_and_not_at_any_length(score: float) -> None:
    error = verdict(f'{{"score": {score}}}').error or ""
    assert error.startswith('scorer "cmd" returned score ')
    assert error.endswith(" outside 0.0..=1.0")
    assert "e" not in error.removeprefix('scorer "cmd" returned score ').split(" ")[0]
    assert len(error) < 300


@pytest.mark.parametrize(
    "stdout",
    ["", "1", "null", "[0.9]", "0.9 ok", '{"score": null}', '{"score": "1"}', '{"score": true}', '{"score": 1e999}']
    + ['{"score": 1, "passed": 1}', '{"score": 1, "passed": "true"}', '{"score": 1, "reason": ["x"]}']
    + ['{"score": 1, "score": 1}', '{"score": 1} {"score": 1}', "```json\n{\"score\": 1}\n```", '{"SCORE": 1}'],
)  # fmt: skip
def test_anything_else_is_shown_as_it_was_printed(stdout: str) -> None:
    error = verdict(stdout).error or ""
    shown = stdout.replace('"', '\\"').replace("\n", "\\n")
    assert error == f'scorer "cmd" printed invalid verdict JSON: "{shown}"'


def test_a_flood_of_noise_is_cut_in_the_message() -> None:
    error = verdict("x" * 100_000).error or ""
    assert error.endswith('x…"')
    assert len(error) < 300


def test_minus_zero_is_zero() -> None:
    assert str(verdict('{"score": -0.0}').value) == "0.0"


def test_half_a_surrogate_pair_in_a_reason_can_be_written_down() -> None:
    assert verdict('{"score": 0, "reason": "\\ud800"}').reason == "\ufffd"


# --- how a command may end --------------------------------------------------------------------------------------------


def finished(**more: Any) -> Finished:
    return Finished(
        **{"exit_code": 0, "stdout": b'{"score": 1}', "duration": 0.1, "cwd": "/", "limits": Limits(), **more}
    )


@pytest.mark.parametrize(
    ("how", "error"),
    [
        ({"exit_code": 2, "stderr": b"  bad config\n"}, "scorer command exited with exit status: 2: bad config"),
        ({"exit_code": 1}, "scorer command exited with exit status: 1"),
        ({"exit_code": None, "signal": 9}, "scorer command exited with signal: 9 (SIGKILL)"),
        ({"exit_code": None, "signal": 9, "stopped_by": "timeout_seconds"}, "scorer command timed out after 120s"),
        ({"stdout_dropped": 7}, "scorer command printed more than output_mb allows (7 bytes over)"),
        ({"exit_code": 1, "stderr": b"\xff"}, "scorer command exited with exit status: 1: \ufffd"),
    ],
)
def test_a_command_that_did_not_end_well_has_no_verdict(how: dict[str, Any], error: str) -> None:
    with pytest.raises(ScorerError) as raised:
        judged("cmd", finished(**how))
    assert str(raised.value) == error


def test_the_last_line_of_a_long_traceback_is_kept() -> None:
    with pytest.raises(ScorerError) as raised:
        judged("cmd", finished(exit_code=1, stderr=b"File\n" * 2000 + b"KeyError: 'expected'"))
    assert str(raised.value).endswith("KeyError: 'expected'")
    assert len(str(raised.value)) < 1100


# --- real commands ----------------------------------------------------------------------------------------------------


def test_a_command_that_never_reads_its_input_is_judged_by_what_it_prints(tmp_path: Path) -> None:
    big = "x" * 300_000
    assert run(tmp_path, """printf '{"score": 1.0}'""", big).passed
    assert "cannot find model" in (run(tmp_path, "echo 'cannot find model' >&2; exit 3", big).error or "")


def test_a_command_that_prints_before_it_reads_does_not_block(tmp_path: Path) -> None:
    code = "import sys; sys.stdout.write(' ' * 300_000); sys.stdin.read(); print('{\"score\": 1}')"
    (tmp_path / "early.py").write_text(code)
    assert run(tmp_path, f"{sys.executable} {tmp_path}/early.py", "x" * 300_000).passed


def test_what_a_command_leaves_running_is_not_waited_for(tmp_path: Path) -> None:
    began = time.monotonic()
    assert run(tmp_path, """cat >/dev/null; sleep 45 & echo '{"score": 1.0}'""").passed
    assert time.monotonic() - began < 10


def test_the_input_is_data_and_never_part_of_the_command(tmp_path: Path) -> None:
    hostile = "$(touch pwned); `touch pwned`; ' ; touch pwned #"
    score = run(
        tmp_path,
        """python3 -c 'import json,sys; print(json.dumps({"score": 1, "reason": json.load(sys.stdin)["output"]}))'""",
        hostile,
    )
    assert score.reason == hostile


def test_a_command_runs_where_evalci_runs_and_sees_its_environment(tmp_path: Path) -> None:
    cmd = """printf '{"score": 1, "reason": "%s %s"}' "$SHADE" "$(basename "$PWD")" """
    assert run(tmp_path, cmd).reason == f"blue {Path.cwd().name}"


def test_without_a_shell_the_command_is_named(tmp_path: Path) -> None:
    scorer = built({"type": "subprocess", "cmd": "python3 s.py"}, tools_in(tmp_path, environ={"PATH": str(tmp_path)}))
    assert score_of(scorer, "x").error == "failed to spawn subprocess scorer: python3 s.py"
