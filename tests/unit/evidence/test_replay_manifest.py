import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalci.evidence.folder import as_bytes
from evalci.evidence.records import sha256
from evalci.evidence.statement import statement_of
from evalci.evidence.verify import verify
from tests.evidence_suites import evalci, reseal


def suite(place: Path, wanted: str = "a") -> str:
    (place / "q.jsonl").write_text('{"input": "a"}\n')
    (place / "evals.yaml").write_text(
        "targets: { bot: { type: shell, cmd: cat } }\ndatasets: [{ file: q.jsonl }]\n"
        f"scorers: [{{ type: exact, value: {wanted} }}]\nrun: {{ history: false }}\n"
    )
    return str(place / "evals.yaml")


def test_an_ordinary_run_leaves_a_manifest_that_verifies(tmp_path: Path) -> None:
    out = tmp_path / "kept"
    code, _, err = evalci("run", suite(tmp_path), "--manifest", str(out), environ={"PATH": "/usr/bin:/bin"})
    assert code == 0
    found = verify(out)
    assert found.problems == ()
    assert f"manifest.json sha256:{found.digest}" in err
    assert evalci("manifest", "verify", str(out), environ={})[0] == 0


def test_the_same_run_gives_the_same_digest(tmp_path: Path) -> None:
    config = suite(tmp_path)
    for name in ("one", "two"):
        evalci("run", config, "--manifest", str(tmp_path / name), environ={"PATH": "/usr/bin:/bin"})
    first, second = (json.loads((tmp_path / name / "manifest.json").read_bytes()) for name in ("one", "two"))
    assert first["digests"] == second["digests"]
    assert first["verdict"] == second["verdict"]


def test_a_failing_run_keeps_its_exit_code_and_says_so(tmp_path: Path) -> None:
    out = tmp_path / "kept"
    assert evalci("run", suite(tmp_path, "b"), "--manifest", str(out), environ={"PATH": "/usr/bin:/bin"})[0] == 1
    _, text, _ = evalci("manifest", "verify", str(out), environ={})
    assert "did not pass" in text


def test_a_verdict_that_the_report_does_not_have_is_seen(tmp_path: Path) -> None:
    out = tmp_path / "kept"
    evalci("run", suite(tmp_path, "b"), "--manifest", str(out), environ={"PATH": "/usr/bin:/bin"})
    manifest = json.loads((out / "manifest.json").read_bytes())
    manifest["verdict"] = {"passed": True, "exit_code": 0}
    (out / "manifest.json").write_text(json.dumps(manifest))
    problems = verify(out).problems
    assert any("its verdict is not what comes of the artifacts" in problem for problem in problems)
    assert any("statement.json carries" in problem for problem in problems)


def test_a_folder_of_an_ordinary_run_holds_its_report_and_nothing_else(tmp_path: Path) -> None:
    out = tmp_path / "kept"
    evalci("run", suite(tmp_path), "--manifest", str(out), environ={"PATH": "/usr/bin:/bin"})
    (out / "report.md").write_text("# All of it passed")
    reseal(out)
    assert verify(out).problems == ("report.md: is listed, but no part of the run that the manifest describes",)


def test_an_ordinary_run_cannot_say_what_a_judges_word_is_worth(tmp_path: Path) -> None:
    out = tmp_path / "kept"
    evalci("run", suite(tmp_path), "--manifest", str(out), environ={"PATH": "/usr/bin:/bin"})
    reseal(out, judge={"grades": 9, "calibrated": True, "standing": "release"})
    assert verify(out).problems == ("manifest.json: its judge is not what comes of the artifacts",)


def test_a_report_that_is_nested_without_end_is_a_problem_like_any_other(tmp_path: Path) -> None:
    out = tmp_path / "kept"
    evalci("run", suite(tmp_path), "--manifest", str(out), environ={"PATH": "/usr/bin:/bin"})
    (out / "report.json").write_text("[" * 200_000)
    reseal(out)
    assert verify(out).problems


def _sealed_again(out: Path, change: Callable[[dict[str, Any]], object]) -> tuple[str, ...]:
    """What is found when a report was changed and every digest made to agree."""
    report = json.loads((out / "report.json").read_bytes())
    change(report)
    data = as_bytes(report)
    (out / "report.json").write_bytes(data)
    manifest = json.loads((out / "manifest.json").read_bytes())
    manifest["artifacts"] = [{"path": "report.json", "sha256": sha256(data), "bytes": len(data)}]
    (out / "manifest.json").write_bytes(as_bytes(manifest))
    (out / "statement.json").write_bytes(as_bytes(statement_of(manifest, sha256(as_bytes(manifest)))))
    return verify(out).problems


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda report: None, None),
        (lambda report: report["results"].clear(), "report.json: its summary says total: 1, its results come to 0"),
        (
            lambda report: report["results"][0].update(status="passed"),
            "report.json: its summary says passed: 0, its results come to 1",
        ),
        (lambda report: report.update(results="none"), "manifest.json: does not describe such a run: ReportError"),
    ],
)
def test_a_summary_that_its_own_results_do_not_bear_out_is_seen(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], problem: str | None
) -> None:
    out = tmp_path / "kept"
    evalci("run", suite(tmp_path, "b"), "--manifest", str(out), environ={"PATH": "/usr/bin:/bin"})
    problems = _sealed_again(out, change)
    assert problems == () if problem is None else problems[0].startswith(problem)


def test_a_file_beside_the_report_is_no_part_of_the_run_though_it_is_listed(tmp_path: Path) -> None:
    out = tmp_path / "kept"
    evalci("run", suite(tmp_path), "--manifest", str(out), environ={"PATH": "/usr/bin:/bin"})
    (out / "approval.txt").write_text("approved")
    manifest = json.loads((out / "manifest.json").read_bytes())
    manifest["artifacts"].insert(0, {"path": "approval.txt", "sha256": sha256(b"approved"), "bytes": 8})
    (out / "manifest.json").write_bytes(as_bytes(manifest))
    (out / "statement.json").write_bytes(as_bytes(statement_of(manifest, sha256(as_bytes(manifest)))))
    (problem,) = verify(out).problems
    assert problem == "approval.txt: is listed, but no part of the run that the manifest describes"
