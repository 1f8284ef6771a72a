import json
import sys
from pathlib import Path

import pytest

from tests.evidence_suites import PROGRAMS, evalci, suite_in


def suite(place: Path, more: str = "") -> dict[str, str]:
    environ = suite_in(place)
    (place / "q.jsonl").write_text('{"id": "hidden-id", "input": "Say it.", "expected": "an answer"}\n{"input": "b"}\n')
    command = json.dumps([sys.executable, str(PROGRAMS / "adapter_executor.py")])
    (place / "evals.yaml").write_text(
        f"targets:\n  bot: {{ type: adapter, command: {command}, archive: plugin.tar.gz, pass_env: [BEHAVE]{more} }}\n"
        "datasets: [{ file: q.jsonl }]\n"
        "scorers: [{ type: contains, value: an answer }]\n"
        "run: { history: false, concurrency: 1 }\n"
    )
    return environ


def test_an_adapter_answers_an_ordinary_suite(tmp_path: Path) -> None:
    environ = suite(tmp_path)
    code, out, err = evalci("run", str(tmp_path / "evals.yaml"), "--cache", "off", environ=environ)
    assert code == 0, out + err


def test_a_replay_is_refused_and_the_flag_is_named(tmp_path: Path) -> None:
    environ = suite(tmp_path)
    code, _, err = evalci("run", str(tmp_path / "evals.yaml"), environ=environ)
    assert code == 2
    assert "never recorded, so there is nothing to replay" in err
    assert "--cache off" in err


def test_validate_checks_an_adapter_suite_without_starting_anything(tmp_path: Path) -> None:
    environ = suite(tmp_path)
    assert evalci("validate", str(tmp_path / "evals.yaml"), environ=environ)[0] == 0


@pytest.mark.parametrize(
    ("how", "why"), [("same-id", "given before"), ("cached", "cache_hit"), ("exits-3", "non-zero")]
)
def test_a_refused_answer_makes_the_run_incomplete(tmp_path: Path, how: str, why: str) -> None:
    environ = {**suite(tmp_path), "BEHAVE": how}
    code, out, err = evalci("run", str(tmp_path / "evals.yaml"), "--cache", "off", environ=environ)
    assert code == 3
    assert why in out + err


def test_a_control_is_given_no_archive(tmp_path: Path) -> None:
    environ = {**suite(tmp_path, ", condition: control"), "BEHAVE": "well"}
    assert evalci("run", str(tmp_path / "evals.yaml"), "--cache", "off", environ=environ)[0] == 0


def test_mode_trigger_runs_the_treatment_only(tmp_path: Path) -> None:
    environ = suite(tmp_path, ", condition: control, mode: trigger")
    code, _, err = evalci("validate", str(tmp_path / "evals.yaml"), environ=environ)
    assert code == 2
    assert "mode trigger runs the treatment only" in err


def test_a_relative_executable_is_a_mistake_at_its_place(tmp_path: Path) -> None:
    environ = suite(tmp_path)
    config = tmp_path / "evals.yaml"
    config.write_text(config.read_text().replace(json.dumps(sys.executable), '"python3"'))
    code, _, err = evalci("validate", str(config), environ=environ)
    assert code == 2
    assert "evals.yaml:2:" in err
    assert "must be an absolute path" in err
