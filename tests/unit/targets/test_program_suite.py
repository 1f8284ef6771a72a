"""A suite with a program target, from its text to the report: the score of its own, gates on it, the aggregate."""

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from evalci.cli import main
from evalci.config.suite import read_suite
from evalci.errors import ConfigError
from evalci.pipeline import KINDS

PROGRAM = """\
import sys
asked = sys.stdin.read()
if asked == "die": sys.exit("oh no")
print(asked.upper())
"""
CASES = [
    {"id": "good", "input": "hi", "expected": "HI"},
    {"id": "other", "input": "hi", "expected": "HO"},
    {"id": "dies", "input": "die"},
]
SUITE = """\
targets:
  shout: {type: program, path: prog.py, limits: {timeout_seconds: 20}}
datasets: [{file: cases.jsonl}]
scorers: [{type: regex, pattern: "^H"}]
run:
  gates:
    - {type: mean_score, scorer: program, min: 0.7}
"""


def run(folder: Path, suite: str = SUITE, *words: str) -> tuple[int, dict[str, Any], str]:
    (folder / "evals.yaml").write_text(suite)
    (folder / "prog.py").write_text(PROGRAM)
    (folder / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in CASES))
    out, err = io.StringIO(), io.StringIO()
    argv = ["run", str(folder / "evals.yaml"), "--no-history", "--reporter", "json", *words]
    code = main(argv, stdin=io.StringIO(), stdout=out, stderr=err, environ={"PATH": os.environ["PATH"]})
    return code, json.loads(out.getvalue() or "{}"), err.getvalue()


def test_its_own_score_stands_first_and_passes_at_one_alone(tmp_path: Path) -> None:
    code, report, _ = run(tmp_path)
    scores = {result["case_id"]: result["scores"] for result in report["results"]}
    assert code == 1
    assert [(score["scorer"], score["type"]) for score in scores["good"]] == [
        ("program", "program"),
        ("regex", "regex"),
    ]
    assert [(case[0]["value"], case[0]["passed"], case[0]["reason"]) for case in scores.values()] == [
        (1.0, True, "success"),
        (0.7, False, "output_mismatch"),
        (0.5, False, "exit_code_1"),
    ]
    assert [result["status"] for result in report["results"]] == ["passed", "failed", "failed"]


def test_the_report_has_the_aggregate(tmp_path: Path) -> None:
    _, report, _ = run(tmp_path)
    assert report["programs"] == {
        "reason_counts": {"exit_code_1": 1, "output_mismatch": 1, "success": 1},
        "timeout_rate": 0.0,
        "success_rate": pytest.approx(2 / 3),
        "total_executions": 3,
    }
    assert report["summary"]["mean_score"]["program"] == pytest.approx(2.2 / 3)


def test_a_gate_may_name_it(tmp_path: Path) -> None:
    _, report, _ = run(tmp_path)
    (gate,) = report["gates"]
    assert (gate["gate"], gate["passed"]) == ("mean_score(program) >= 0.7", True)


def test_only_where_there_is_a_program(tmp_path: Path) -> None:
    suite = SUITE.replace("{type: program, path: prog.py, limits: {timeout_seconds: 20}}", "{type: shell, cmd: cat}")
    with pytest.raises(ConfigError, match='scorer "program" is not among the configured scorers'):
        read_suite(suite.encode(), file="evals.yaml", folder=tmp_path, kinds=KINDS)


def test_no_other_scorer_may_have_its_name(tmp_path: Path) -> None:
    suite = SUITE.replace("type: regex", "type: regex, name: program")
    with pytest.raises(ConfigError, match='name cannot be "program": that is the score of the program target'):
        read_suite(suite.encode(), file="evals.yaml", folder=tmp_path, kinds=KINDS)


def test_a_change_of_how_it_is_scored_makes_a_baseline_unlike(tmp_path: Path) -> None:
    def digests(suite: str) -> Any:
        return run(tmp_path, suite)[1]["suite"]["digests"]["scorers"]

    before = digests(SUITE)
    assert digests(SUITE.replace("timeout_seconds: 20", "timeout_seconds: 21")) == before
    assert digests(SUITE.replace("path: prog.py", "path: prog.py, success_exit_codes: [0, 1]")) != before
    assert digests(SUITE.replace("path: prog.py", "path: prog.py, expected_output: HI")) != before


def test_a_missing_program_is_an_error_of_its_cases_and_the_run_goes_on(tmp_path: Path) -> None:
    code, report, _ = run(tmp_path, SUITE.replace("path: prog.py", "path: gone.py"))
    assert code == 1
    assert {result["error"] for result in report["results"]} == {"Program file not found: gone.py"}
    assert "programs" not in report


def test_a_matrix_may_have_a_program_beside_another_target(tmp_path: Path) -> None:
    suite = SUITE.replace("datasets:", "  same: {type: shell, cmd: cat}\ndatasets:")
    _, report, _ = run(tmp_path, suite, "--matrix", "shout,same")
    scorers = [[score["scorer"] for score in arm["results"][0]["scores"]] for arm in report["arms"]]
    assert scorers == [["program", "regex"], ["regex"]]
