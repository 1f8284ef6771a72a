"""`evalci ci` as it is started: three processes, of which the one that runs the suite has no token."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .fake_github import JOB_TOKEN, FakeGitHub
from .runner_oracle import Step as RunnerStep
from .scene import DROP, SUITE, Scene, run_main

SECRETS = {
    "GH_TOKEN": "gh-token-that-must-never-show",
    "GITLAB_TOKEN": "gitlab-token-that-must-never-show",
    "CI_JOB_TOKEN": "job-token-that-must-never-show",
    "ACTIONS_RUNTIME_TOKEN": "runtime-token-that-must-never-show",
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "identity-token-that-must-never-show",
}


@pytest.fixture
def scene(fake: FakeGitHub, tmp_path: Path) -> Scene:
    found = Scene(fake, tmp_path)
    found.environ |= {"HOME": str(tmp_path), "PYTHONWARNINGS": "error", **SECRETS}
    return found


def evalci(scene: Scene, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "evalci", *words]
    done = subprocess.run(command, cwd=scene.root, env=scene.environ, capture_output=True, text=True, timeout=60)
    assert "Traceback" not in done.stderr
    return done


@pytest.mark.parametrize(("command", "code"), [("cat", 0), pytest.param(DROP, 1, marks=pytest.mark.slow), (None, 2)])
def test_the_exit_code_is_the_suites_and_people_are_told(scene: Scene, command: str | None, code: int):
    scene.main_was_green()
    if command is None:
        scene.config.write_text("targetz: {}\n")
    else:
        scene.suite(command)
    done = evalci(scene, "ci", "--parts", "1")
    assert done.returncode == code, done.stderr
    assert scene.outputs["exit-code"] == str(code)
    assert scene.comments[0].splitlines()[3].startswith("### ❌" if code else "### ✅")
    assert scene.summary.is_file()


@pytest.mark.slow
def test_publishing_that_fails_leaves_the_exit_code_alone(scene: Scene):
    scene.fake.break_call("*", 404, times=99)
    scene.suite(cases=[{"id": "a", "input": "bad"}])
    assert evalci(scene, "ci", "--parts", "1", "--require-baseline").returncode == 1


@pytest.mark.parametrize("words", [("ci", "--parts", "1"), ("ci", "evaluate")])
def test_no_token_reaches_the_suite_or_a_program_of_it(scene: Scene, words: tuple[str, ...]):
    (scene.root / "seen.py").write_text(
        "import os\n"
        "def seen(output):\n"
        "    with open('/proc/self/environ') as own:\n"
        "        text = own.read() + repr(dict(os.environ))\n"
        "    with open(os.path.join(os.path.dirname(__file__), 'seen.txt'), 'w') as file:\n"
        "        file.write(text)\n"
        "    return True\n"
    )
    scorers = "scorers:\n  - {type: python, function: 'seen.py:seen'}\n"
    scene.config.write_text(SUITE.replace("COMMAND", "env").partition("scorers:")[0] + scorers)
    done = evalci(scene, *words)
    assert done.returncode == 0, done.stderr
    program = json.dumps(scene.report())
    assert "GITHUB_REPOSITORY" in program
    for told in (program, (scene.root / "seen.txt").read_text(), done.stdout + done.stderr):
        assert "must-never-show" not in told
        assert JOB_TOKEN not in told
        assert "GITHUB_ENV" not in told
        assert str(scene.output) not in told


@pytest.mark.slow
def test_modules_that_a_pull_request_puts_into_the_workspace_are_not_imported(scene: Scene):
    for name in ("httpx", "orjson", "evalci", "random", "yaml"):
        (scene.root / f"{name}.py").write_text(f"open({str(scene.root / 'ran')!r}, 'w')\n")
    assert evalci(scene, "ci", "--parts", "1").returncode == 0
    assert not (scene.root / "ran").exists()
    assert len(scene.comments) == 1


@pytest.mark.slow
def test_options_reach_the_steps_they_belong_to(scene: Scene):
    state = scene.main_was_green()
    scene.fake.artifacts.clear()
    for name, data in state.items():
        (scene.root / "cache" / name).parent.mkdir(parents=True, exist_ok=True)
        (scene.root / "cache" / name).write_bytes(data)
    done = evalci(
        scene,
        *("ci", "evals.yaml", "--dir", "out", "--cache-dir", "cache", "--target", "echo", "--shard", "1/2"),
        *("--require-baseline", "--texts", "hidden", "--leg=--odd", "--parts", "1"),
    )
    assert done.returncode == 0, done.stderr
    report = json.loads((scene.root / "out/evals/report.json").read_text())
    assert report["baseline"]["source"] == "the Actions cache of the default branch"
    assert report["suite"]["shard"]
    assert "key=%2D%2Dodd" in scene.comments[0]
    assert "Texts are hidden here" in scene.comments[0]


@pytest.mark.slow
def test_the_log_of_all_three_steps_holds_no_command_but_ours(scene: Scene):
    scene.suite("cat", [{"id": "x", "input": "::set-env name=A::b\nx ##[error]no\n::stop-commands::t"}])
    done = evalci(scene, "ci", "--parts", "1")
    runner = RunnerStep().prints(done.stdout)
    assert not runner.failed
    assert [issue.level for issue in runner.issues] == ["error"]
    assert not runner.paused


def test_help_is_there_for_each_step():
    for words in (("ci",), ("ci", "restore"), ("ci", "evaluate"), ("ci", "publish"), ("comment",)):
        done = run_main(*words, "--help", environ={})
        assert done.code == 0
        assert done.out.startswith(f"usage: evalci {' '.join(words)}")


@pytest.mark.slow
def test_a_run_that_is_killed_is_no_pass(scene: Scene):
    """The evaluating process dies in the middle: the report says so, and nothing is green."""
    scene.suite("kill -9 $PPID; sleep 1")
    done = evalci(scene, "ci", "--parts", "1")
    assert done.returncode == 1, done.stderr
    assert "the suite's run did not finish" in scene.comments[0]
    assert scene.outputs["verdict"] == "failed"
