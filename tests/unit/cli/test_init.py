"""`evalci init`: what it writes runs at once, and what was there stays."""

import io
import os
from pathlib import Path

import pytest
import yaml

from evalci.cli import main


def evalci(*words: str) -> tuple[int, str]:
    out = io.StringIO()
    environ = {"PATH": os.environ["PATH"]}
    return main(words, stdin=io.StringIO(), stdout=out, stderr=out, environ=environ), out.getvalue()


def test_the_suite_that_it_writes_passes_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, said = evalci("init")
    assert code == 0
    assert "wrote .github/workflows/evals.yml" in said
    code, said = evalci("run", "--no-history")
    assert code == 0, said
    assert "3 passed" in said


def test_what_is_there_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "evals.yaml").write_text("mine")
    (tmp_path / ".gitattributes").write_text("*.png binary\n")
    code, said = evalci("init", str(tmp_path))
    assert code == 0
    assert "left evals.yaml as it is" in said
    assert "left .gitattributes as it is; add to it:\n  .evalci/cassette.jsonl merge=union" in said
    assert (tmp_path / "evals.yaml").read_text() == "mine"
    assert (tmp_path / ".gitattributes").read_text() == "*.png binary\n"


def test_once_more_changes_nothing(tmp_path: Path) -> None:
    evalci("init", str(tmp_path), "--recording-guide")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    code, said = evalci("init", str(tmp_path), "--recording-guide")
    assert code == 0
    assert "wrote" not in said
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_the_recording_guide_is_written_when_asked_for(tmp_path: Path) -> None:
    evalci("init", str(tmp_path))
    assert not (tmp_path / "RECORDING.md").exists()
    evalci("init", str(tmp_path), "--recording-guide")
    assert "evalci record" in (tmp_path / "RECORDING.md").read_text()


def test_the_workflow_has_no_more_rights_than_it_needs(tmp_path: Path) -> None:
    evalci("init", str(tmp_path))
    workflow = yaml.safe_load((tmp_path / ".github/workflows/evals.yml").read_text())
    assert workflow["permissions"] == {}
    rights = {"contents": "read", "actions": "read", "pull-requests": "write"}
    assert workflow["jobs"]["evals"]["permissions"] == rights


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    code, said = evalci("init", str(tmp_path))
    assert code == 2
    assert "cannot write" in said
