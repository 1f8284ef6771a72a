import shutil
from pathlib import Path

import pytest

from evalci.evidence.verify import verify
from tests.evidence_suites import evalci, run, suite_in


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("evidence")
    assert run(place, suite_in(place))[0] == 0
    return place / "out"


@pytest.fixture
def copy(evidence: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(evidence, tmp_path / "copy"))


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def test_one_flipped_byte_in_any_artifact_is_named(copy: Path) -> None:
    files = sorted(path for path in copy.rglob("*") if path.is_file() and path.parent != copy) + [
        copy / "cases.jsonl",
        copy / "report.md",
    ]
    flipped = 0
    for path in files:
        whole = path.read_bytes()
        name = path.relative_to(copy).as_posix()
        for at in sorted({0, len(whole) // 2, len(whole) - 1}) if whole else ():
            flip(path, at)
            problems = verify(copy).problems
            assert any(problem.startswith(f"{name}: differs") for problem in problems), (name, problems)
            path.write_bytes(whole)
            flipped += 1
    assert flipped > 20
    assert verify(copy).problems == ()


def test_one_flipped_byte_in_the_manifest_no_longer_agrees_with_the_digest(copy: Path) -> None:
    printed = verify(copy).digest
    path = copy / "manifest.json"
    whole = path.read_bytes()
    for at in range(0, len(whole), 97):
        flip(path, at)
        problems = verify(copy, printed).problems
        assert any("the run printed" in problem for problem in problems)
        assert any("statement.json carries" in problem for problem in problems)
        path.write_bytes(whole)


def test_one_flipped_byte_in_the_statement_is_seen(copy: Path) -> None:
    path = copy / "statement.json"
    whole = path.read_bytes()
    for at in range(0, len(whole), 31):
        flip(path, at)
        assert verify(copy).problems
        path.write_bytes(whole)


def test_missing_and_extra_files_are_named(copy: Path) -> None:
    (copy / "attempts/0001/executor.stdout").unlink()
    (copy / "attempts/9999.json").write_text("{}")
    code, _, err = evalci("manifest", "verify", str(copy), environ={})
    assert code == 1
    assert "attempts/0001/executor.stdout: is missing" in err
    assert "attempts/9999.json: is extra" in err


def test_a_folder_without_a_manifest_is_no_evidence(tmp_path: Path) -> None:
    assert verify(tmp_path).problems[0].startswith("manifest.json: cannot be read")
