"""The door: commands, help, exit codes, and how each way to fail is told."""

import io
import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from evalci.cli import main
from tests.programs import alive, hearing


class Run:
    """One call of `main` with streams of its own."""

    def __init__(self, *words: str, environ: dict[str, str] | None = None) -> None:
        self._out, self._err = io.StringIO(), io.StringIO()
        environ = {"PATH": os.environ["PATH"], **(environ or {})}
        self.code = main(words, stdin=io.StringIO(), stdout=self._out, stderr=self._err, environ=environ)
        self.out, self.err = self._out.getvalue(), self._err.getvalue()


SUITE = """\
targets:
  echo: {type: shell, cmd: cat}
datasets: [{file: cases.jsonl}]
scorers: [{type: contains, value: yes}]
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "cases.jsonl").write_text('{"id":"good","input":"yes"}\n{"id":"bad","input":"no"}\n')
    config = tmp_path / "evals.yaml"
    config.write_text(SUITE)
    return config


def test_help_lists_every_command_and_the_exit_codes() -> None:
    run = Run("--help")
    assert run.code == 0
    assert all(word in run.out for word in ("run", "record", "validate", "Exit codes"))


def test_no_command_is_a_usage_error_that_shows_the_page() -> None:
    assert Run().code == 2


def test_every_command_explains_itself() -> None:
    from evalci.cli.main import COMMANDS

    for name in COMMANDS:
        run = Run(name, "--help")
        assert run.code == 0, name
        assert run.out.startswith("usage: evalci"), name


def test_an_unknown_command_offers_the_one_that_was_meant() -> None:
    run = Run("rum")
    assert run.code == 2
    assert 'unknown command "rum"' in run.err
    assert 'did you mean "run"?' in run.err


@pytest.mark.parametrize(
    "words", [("run", "--cach", "x"), ("run", "--cache", "sometimes"), ("run", "--threshold", "nan")]
)
def test_bad_options_are_usage_errors_with_the_way_to_help(words: tuple[str, ...]) -> None:
    run = Run(*words)
    assert run.code == 2
    assert "evalci run --help" in run.err


def test_a_failing_case_ends_in_exit_code_1(suite: Path) -> None:
    run = Run("run", str(suite), "--no-history")
    assert run.code == 1
    assert run.out.endswith("\nFAILED\n")


def test_a_passing_run_ends_in_exit_code_0(suite: Path) -> None:
    run = Run("run", str(suite), "--no-history", "--filter", "good")
    assert run.code == 0
    assert run.out.endswith("\nPASSED\n")


def test_a_missing_config_says_how_to_get_one(tmp_path: Path) -> None:
    run = Run("run", str(tmp_path / "nope.yaml"))
    assert run.code == 2
    assert "cannot read the config: No such file or directory" in run.err
    assert "evalci init" in run.err


def test_mistakes_of_config_and_dataset_are_told_before_anything_runs(suite: Path) -> None:
    suite.write_text(SUITE.replace("cat", "touch ran").replace("cases.jsonl", "missing.jsonl"))
    run = Run("run", str(suite))
    assert run.code == 2
    assert "failed to read dataset missing.jsonl" in run.err
    assert not (suite.parent / "ran").exists()


def test_a_baseline_accepts_failures_and_a_new_one_fails_it(suite: Path) -> None:
    assert Run("run", str(suite), "--no-history", "--save-baseline", "main").code == 1
    assert Run("run", str(suite), "--no-history", "--baseline", "main").code == 0
    with (suite.parent / "cases.jsonl").open("a") as file:
        file.write('{"id":"worse","input":"no"}\n')
    run = Run("run", str(suite), "--no-history", "--baseline", "main")
    assert run.code == 1
    assert "NEW FAIL  worse" in run.out


def test_an_unknown_baseline_is_told_before_anything_runs(suite: Path) -> None:
    run = Run("run", str(suite), "--baseline", "nope")
    assert run.code == 2
    assert 'no baseline "nope" found — record one with --save-baseline nope' in run.err


def test_a_part_of_a_suite_never_becomes_a_baseline(suite: Path) -> None:
    run = Run("run", str(suite), "--filter", "good", "--save-baseline", "main")
    assert run.code == 2
    assert not (suite.parent / ".evalci").exists()


def test_stdout_holds_the_chosen_report_alone(suite: Path) -> None:
    import json

    run = Run("run", str(suite), "--no-history", "--reporter", "json")
    assert json.loads(run.out)["summary"]["total"] == 2
    assert "FAILED" in run.err


def test_several_reports_come_from_one_run(suite: Path, tmp_path: Path) -> None:
    out = tmp_path / "reports"
    run = Run("run", str(suite), "--no-history", "--json", str(out / "r.json"), "--junit", str(out / "j.xml"))
    assert run.code == 1
    assert sorted(path.name for path in out.iterdir()) == ["j.xml", "r.json"]


def test_two_reports_in_one_file_are_refused(suite: Path) -> None:
    assert Run("run", str(suite), "--json", "x", "--junit", "x").code == 2


def test_validate_counts_what_it_found_and_runs_nothing(suite: Path) -> None:
    run = Run("validate", str(suite))
    assert (run.code, run.out) == (0, f"{suite}: ok (2 cases, 1 target, 1 scorer, 0 gates)\n")


def test_a_threshold_judges_the_measured_mean(suite: Path) -> None:
    assert Run("run", str(suite), "--no-history", "--filter", "good", "--threshold", "1").code == 0
    run = Run("run", str(suite), "--no-history", "--threshold", "0.6")
    assert "the mean score 0.50 is below the threshold 0.6" in run.out + run.err


def test_a_history_that_cannot_be_written_is_a_warning(suite: Path) -> None:
    (suite.parent / ".evalci").write_text("a file where a folder should be")
    run = Run("run", str(suite), "--filter", "good")
    assert run.code == 0
    assert "warning: could not record run history" in run.err


def test_a_reader_that_leaves_early_is_no_failure_of_ours(suite: Path) -> None:
    done = subprocess.run(
        f"{sys.executable} -m evalci run {suite} --no-history | true", shell=True, capture_output=True, text=True
    )
    assert "Traceback" not in done.stderr


def test_the_version_is_said_without_loading_anything() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "evalci", "--version"], capture_output=True, text=True
    )
    assert done.stdout.startswith("evalci ")
    assert "evalci.cli" not in done.stderr


def test_a_replay_of_deterministic_scorers_loads_no_http_client_and_no_schema_library(suite: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "evalci", "run", str(suite), "--no-history"],
        capture_output=True,
        text=True,
    )
    loaded = {line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines()}
    assert "evalci.engine.engine" in loaded
    assert not loaded & {"httpx", "jsonschema", "jinja2", "tenacity", "sqlite3", "rapidfuzz"}


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_to_end_ends_a_run_with_130_and_leaves_nothing_running(suite: Path, name: str) -> None:
    marker = f"marker-{uuid.uuid4().hex}"
    run = _sleeping(suite, f"MARKER={marker} exec sleep 60")
    run.send_signal(getattr(signal, name))
    _, err = run.communicate(timeout=20)
    assert run.returncode == 130, err
    assert "interrupted" in err
    assert alive(marker) == []


def test_a_run_under_nohup_goes_on_without_its_terminal(suite: Path) -> None:
    run = _sleeping(suite, "exec sleep 1.25", "nohup")
    run.send_signal(signal.SIGHUP)
    out, err = run.communicate(timeout=20)
    assert run.returncode == 1, err
    assert "FAILED" in out


def _sleeping(suite: Path, command: str, *before: str) -> "subprocess.Popen[str]":
    """A run whose target sleeps by now. That a hang-up ends it must not depend on how the tests were started."""
    suite.write_text(SUITE.replace("cat", f"touch started; {command}"))
    run = subprocess.Popen(
        [*before, sys.executable, "-m", "evalci", "run", str(suite), "--no-history"],
        cwd=suite.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hearing(signal.SIGHUP),
    )
    for _ in range(400):
        if (suite.parent / "started").exists():
            break
        time.sleep(0.05)
    return run


@pytest.mark.parametrize(("words", "said"), [
    (("--matrix", "echo,nobody"), 'target "nobody" not found; available: echo'),
    (("--matrix", "echo"), '--matrix takes two or more different targets, got "echo"'),
    (("--matrix", "echo,echo"), "--matrix takes two or more different targets"),
    (("--matrix", ","), "--matrix takes two or more different targets"),
    (("--threshold", "nan"), 'argument --threshold: a number is wanted, got "nan"'),
    (("--threshold", "high"), 'argument --threshold: a number is wanted, got "high"'),
])  # fmt: skip
def test_options_that_cannot_be_are_usage_errors(suite: Path, words: tuple[str, ...], said: str) -> None:
    run = Run("run", str(suite), *words)
    assert (run.code, run.out) == (2, "")
    assert said in run.err


def test_several_targets_without_a_choice_are_told_both_ways_to_choose(suite: Path) -> None:
    suite.write_text(suite.read_text().replace("targets:", "targets:\n  other: {type: shell, cmd: cat}", 1))
    run = Run("run", str(suite))
    assert run.code == 2
    assert "pass --target <name>" in run.err
    assert "`matrix: [other, echo]` under `run:`" in run.err


def test_a_config_without_an_end_is_refused(tmp_path: Path) -> None:
    (tmp_path / "evals.yaml").symlink_to("/dev/zero")
    run = Run("validate", str(tmp_path / "evals.yaml"))
    assert run.code == 2
    assert "invalid YAML" in run.err


def test_a_file_that_is_no_report_is_named(suite: Path) -> None:
    run = Run("compare", str(suite), str(suite))
    assert run.code == 2
    assert run.err.startswith(f"error: {suite}: the report is not valid JSON")


def test_a_miss_says_which_command_records(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text('{"id":"a","input":"yes"}\n')
    config = tmp_path / "evals.yaml"
    config.write_text(SUITE.replace("type: shell, cmd: cat", 'type: openai-compatible, url: "http://x/v1", model: m'))
    run = Run("run", str(config))
    assert run.code == 1
    assert "recordings: 1 missing\n     `evalci record` calls what is missing and records it\n" in run.out
