"""A suite in Python, run by `evalci run` and by `pytest`, with the same results."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evalci.config.suite import Suite
from evalci.errors import ConfigError
from evalci.pipeline import load_suite
from tests.doubles import chat_server

SUITE = Path(__file__).parents[2] / "python_suites" / "qa_eval.py"
QUIET = {key: value for key, value in os.environ.items() if not key.startswith(("OPENAI_", "PYTEST_"))}


def run(folder: Path, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env={**QUIET, **environ}, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The suite in a folder of its own, with its calls recorded from a server that is gone afterwards."""
    folder = tmp_path_factory.mktemp("suite")
    shutil.copy(SUITE, folder)
    with chat_server(lambda text: "A" if "Choice:" in text else f"ok {text}") as (url, asked):
        ran = run(
            folder, "-m", "evalci", "record", "qa_eval.py", "--no-history", OPENAI_BASE_URL=url, OPENAI_API_KEY="sk-1"
        )
        assert ran.returncode == 1, ran.stderr
        assert len(asked) == 6
    yield folder


@pytest.fixture(scope="module")
def report(recorded: Path) -> dict[str, Any]:
    ran = run(recorded, "-m", "evalci", "run", "qa_eval.py", "--no-history", "--reporter", "json")
    assert ran.returncode == 1, ran.stderr
    told: dict[str, Any] = json.loads(ran.stdout)
    return told


@pytest.mark.slow
def test_both_commands_give_the_same_results(recorded: Path, report: dict[str, Any]) -> None:
    ran = run(recorded, "-m", "pytest", "qa_eval.py", "-v", "-p", "no:cacheprovider", "-p", "no:randomly")
    assert ran.returncode == 1
    seen = dict(re.findall(r"^qa_eval\.py::(\w+\[\w+\]) (\w+)", ran.stdout, re.MULTILINE))
    words = {"passed": "PASSED", "failed": "FAILED", "errored": "FAILED", "unjudged": "SKIPPED"}
    assert seen == {
        f"{arm['suite']['target']}[{result['case_id']}]": words[result["status"]]
        for arm in report["arms"]
        for result in arm["results"]
    }
    verdicts = dict(re.findall(r"^qa_eval\.py::(\w+): verdict (\w+)", ran.stdout, re.MULTILINE))
    assert verdicts == {
        arm["suite"]["target"]: "PASSED" if arm["verdict"]["passed"] else "FAILED" for arm in report["arms"]
    }
    shown = run(recorded, "-m", "evalci", "run", "qa_eval.py", "--no-history")
    assert shown.stdout.strip() in ran.stdout


@pytest.mark.slow
def test_a_threshold_judges_each_eval_on_its_own_mean_in_both(recorded: Path) -> None:
    by_run = run(
        recorded, "-m", "evalci", "run", "qa_eval.py", "--no-history", "--threshold", "0.5", "--target", "unjudged"
    )
    assert by_run.returncode == 1
    assert "the mean score 0.00 is below the threshold 0.5" in by_run.stdout
    words = ("-m", "pytest", "qa_eval.py", "-p", "no:cacheprovider", "-k", "unjudged")
    by_pytest = run(recorded, *words, "--threshold", "0.5")
    assert by_pytest.returncode == 1
    assert "the mean score 0.00 is below the threshold 0.5" in by_pytest.stdout
    assert run(recorded, *words).returncode == 0


def test_the_statuses_mean_what_they_say(report: dict[str, Any]) -> None:
    told = {arm["suite"]["target"]: [result["status"] for result in arm["results"]] for arm in report["arms"]}
    assert told == {"biography": ["passed", "failed"], "unmeasured": ["errored"], "unjudged": ["unjudged"]}
    assert "comparison" not in report


def test_calls_of_task_and_scorers_are_counted_costed_and_listed(report: dict[str, Any]) -> None:
    result = report["arms"][0]["results"][0]
    scores = {score["scorer"]: score for score in result["scores"]}
    assert [step["tool"] for step in result["output"]["trajectory"]["steps"]] == ["llm"]
    assert [call["model"] for call in scores["graded"]["metadata"]["calls"]] == ["m"]
    assert scores["judge"]["metadata"]["unvalidated"] is True
    assert len(scores["judge"]["metadata"]["calls"]) == 1
    assert report["arms"][0]["summary"]["tokens"] == 6 * 15
    assert result["cost_usd"] == pytest.approx(3 * (10 * 1.0 + 5 * 2.0) / 1e6)


def test_a_score_keeps_the_name_it_brought_and_a_broken_one_leaves_the_mean(report: dict[str, Any]) -> None:
    summary = report["arms"][0]["summary"]
    assert summary["mean_score"]["coverage"] == 0.5
    assert "breaks" not in summary["mean_score"]
    assert summary["left_out"] == {"breaks": 2}


def test_a_baseline_and_a_filter_work_as_for_any_suite(recorded: Path) -> None:
    words = ("-m", "evalci", "run", "qa_eval.py", "--no-history")
    run(recorded, *words, "--save-baseline", "main")
    assert (recorded / ".evalci" / "baselines" / "qa_eval" / "main.json").exists()
    assert run(recorded, *words, "--baseline", "main").returncode == 0
    only = run(recorded, *words, "--filter", "q1")
    assert (only.returncode, "target" in only.stdout.splitlines()[0]) == (0, False)


@pytest.mark.slow
def test_other_test_runs_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "from evalci import evaluate\n\ndef test_a():\n    assert True or evaluate()\n"
    )
    ran = run(tmp_path, "-m", "pytest", "test_it.py", "-q", "-p", "no:cacheprovider")
    assert ran.returncode == 0
    assert "1 passed" in ran.stdout


# --- what cannot be run ---------------------------------------------------------------------------------------------

GOOD = "from evalci import Case, evaluate\nfrom evalci.scorers import exact\n"
CALL = "evaluate(name='a', cases=[Case(input=1)], task=str, scorers=[exact]"


def refused(folder: Path, text: str) -> str:
    file = folder / "qa_eval.py"
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_suite(file)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "the file registers no eval"),
        ("import nothing_like_this", "ModuleNotFoundError: No module named 'nothing_like_this' (line 1)"),
        ("def f(:", "SyntaxError"),
        ("raise SystemExit(3)", "it ends the program (3)"),
        (f"{GOOD}{CALL})\n{CALL})", 'qa_eval.py:4: two evals are named "a"'),
        (f"{GOOD}{CALL}, gates=[{{'type': 'pass_rates'}}])", 'did you mean "pass_rate"?'),
        (f"{GOOD}{CALL}, gates=[{{'type': 'pass_rate', 'min': 'x'}}])", "must be a number"),
        (f"{GOOD}{CALL}, gates=[{{'type': 'mean_score', 'min': 1, 'scorer': 'x'}}])", '"x" is not among'),
        (f"{GOOD}{CALL}, concurrency=0)", "concurrency is a whole number"),
        (f"{GOOD}{CALL}, scorer_errors='no')", "scorer_errors is"),
        (f"{GOOD}evaluate(name='', cases=[1], task=str, scorers=[exact])", "an eval needs a name"),
        (f"{GOOD}evaluate(name='a', cases=[1], task=str, scorers=[exact])", "case 1 is a int"),
        (f"{GOOD}evaluate(name='a', cases=[Case(id=1)], task=str, scorers=[exact])", "an id is text, got 1"),
        (f"{GOOD}evaluate(name='a', cases=[Case()], task=1, scorers=[exact])", "the task is a function, got int"),
        (f"{GOOD}evaluate(name='a', cases=[Case()], task=str, scorers=[])", "has no scorers"),
        (f"{GOOD}evaluate(name='a', cases=[Case()], task=str, scorers=[1])", "a scorer is a function, got int"),
        (f"{GOOD}evaluate(name='a', cases=[Case()], task=str, scorers=[lambda a, b, c, d: 1])", "at most three"),
        (
            f"{GOOD}{CALL})\n{CALL.replace(chr(39) + 'a' + chr(39), chr(39) + 'b' + chr(39))}, scorer_errors='fail')",
            "must be the same for all evals",
        ),
    ],
)
def test_a_file_that_cannot_be_run_says_why(tmp_path: Path, text: str, says: str) -> None:
    assert says in refused(tmp_path, text)


def test_a_missing_file_is_a_config_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read the config"):
        load_suite(tmp_path / "qa_eval.py")


def test_gates_are_those_of_yaml_suites(tmp_path: Path) -> None:
    file = tmp_path / "qa_eval.py"
    file.write_text(f"{GOOD}{CALL}, gates=[{{'type': 'pass_rate', 'min': 0.5}}])")
    suite: Suite = load_suite(file)
    assert [gate.type for gate in suite.gates_of("a")] == ["pass_rate"]
    ran = run(tmp_path, "-m", "evalci", "run", "qa_eval.py", "--no-history")
    assert "GATE FAIL pass_rate >= 0.5" in ran.stdout or "pass_rate >= 0.5" in ran.stdout
