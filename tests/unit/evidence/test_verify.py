import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from evalci.evidence.verify import verify
from tests.evidence_suites import AGREED, DISPUTED, evalci, reseal, run, suite_in

SEALS = ("manifest.json", "statement.json")


@pytest.fixture(scope="module", params=[None, [*AGREED, DISPUTED]], ids=["uncalibrated", "calibrated"])
def evidence(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("evidence")
    assert run(place, suite_in(place, answers=request.param))[0] == 0
    return place / "out"


@pytest.fixture(scope="module")
def calibrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("calibrated")
    assert run(place, suite_in(place, answers=[*AGREED, DISPUTED]))[0] == 0
    return place / "out"


@pytest.fixture
def copy(evidence: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(evidence, tmp_path / "copy"))


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


@pytest.fixture
def forged(calibrated: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(calibrated, tmp_path / "forged"))


def replace_in(path: Path, before: str, after: str) -> None:
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after), "utf-8")


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


# --- forgeries whose digests all agree -------------------------------------------------------------------------------


def test_a_folder_that_is_sealed_again_unchanged_holds(forged: Path) -> None:
    reseal(forged)
    assert verify(forged).problems == ()


def test_a_forged_answer_of_the_judge_is_named_by_its_record(forged: Path) -> None:
    replace_in(forged / "calibration/0005.stdout", '"passed"', '"failed"')
    reseal(forged)
    problems = verify(forged).problems
    assert problems[0].startswith("calibration/0005.record.json: is not what comes of the raw answers")
    assert any("its calibration is not what comes of the artifacts" in problem for problem in problems)


def test_a_forged_record_of_the_calibration_is_named(forged: Path) -> None:
    replace_in(forged / "calibration/0005.record.json", '"human_verdict": "failed"', '"human_verdict": "passed"')
    reseal(forged)
    (problem,) = verify(forged).problems
    assert problem.startswith("calibration/0005.record.json: is not what comes of the raw answers")


def test_other_words_of_people_are_named_by_the_file_and_by_the_record(forged: Path) -> None:
    rows = [json.loads(line) for line in (forged / "calibration/answers.jsonl").read_text().splitlines()]
    rows[4]["passed"] = True
    (forged / "calibration/answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    reseal(forged)
    problems = verify(forged).problems
    assert problems[0] == "calibration/answers.jsonl: is not the file whose digest the manifest gives"
    assert any(problem.startswith("calibration/0005.record.json") for problem in problems)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("judge", {"grades": 2, "calibrated": False, "standing": "diagnostic"}),
        ("calibration", {"kappa": 1.0}),
        ("calibration", {"met": False}),
        ("calibration", {"table": {"both": 3, "judge_only": 0, "people_only": 0, "neither": 2}}),
        ("verdict", {"passed": False, "exit_code": 1, "reasons": []}),
        ("accounting", {"calibration": {}}),
    ],
)
def test_a_manifest_that_says_more_than_the_records_is_seen(forged: Path, key: str, value: dict[str, Any]) -> None:
    manifest = json.loads((forged / "manifest.json").read_bytes())
    reseal(forged, **{key: {**manifest[key], **value}})
    (problem,) = verify(forged).problems
    assert problem == f"manifest.json: its {key} is not what comes of the artifacts"


def test_a_higher_bar_in_the_manifest_takes_the_verdict_with_it(forged: Path) -> None:
    manifest = json.loads((forged / "manifest.json").read_bytes())
    reseal(forged, calibration={**manifest["calibration"], "min_kappa": 0.9})
    wrong = {problem.split(" its ")[1].split()[0] for problem in verify(forged).problems}
    assert wrong == {"verdict", "judge", "calibration"}


def test_a_calibration_cannot_be_left_out_of_the_manifest_alone(forged: Path) -> None:
    reseal(forged, calibration=None)
    problems = verify(forged).problems
    assert "calibration/0001.record.json: is listed, but no part of the run that the manifest describes" in problems
    assert "calibration/answers.jsonl: is not the file whose digest the manifest gives" in problems


def test_a_forged_page_is_not_what_comes_of_the_records(copy: Path) -> None:
    replace_in(copy / "report.md", "**PASSED**", "**PASSED, says everybody**")
    reseal(copy)
    assert verify(copy).problems == ("report.md: is not what comes of the records and the manifest",)


def test_the_page_that_a_forged_name_leads_to_is_told_from_the_one_that_was_kept(copy: Path) -> None:
    manifest = json.loads((copy / "manifest.json").read_bytes())
    reseal(copy, warnings=["the sky falls"], suite={**manifest["suite"], "name": "another"})
    assert verify(copy).problems == ("report.md: is not what comes of the records and the manifest",)


@pytest.mark.parametrize(
    ("key", "value"),
    [("certified", True), ("summary", {"passed": 9}), ("digests", {"extra": "0" * 64})],
)
def test_a_manifest_says_nothing_that_nothing_backs(copy: Path, key: str, value: Any) -> None:
    manifest = json.loads((copy / "manifest.json").read_bytes())
    changed = {**manifest[key], **value} if isinstance(manifest.get(key), dict) else value
    reseal(copy, **{key: changed})
    problems = verify(copy).problems
    assert any(problem.startswith("manifest.json: ") and key in problem for problem in problems), problems


@pytest.mark.parametrize(
    ("key", "value", "what"),
    [
        ("calibration", {"min_kappa": -7}, "min_kappa"),
        ("suite", {"runs_per_condition": 10**12}, "runs_per_condition"),
        ("suite", {"runs_per_condition": True}, "runs_per_condition"),
        ("suite", {"runs_per_condition": "2"}, "/suite/runs_per_condition"),
    ],
)
def test_a_manifest_that_is_none_is_named_before_anything_is_made_of_it(
    forged: Path, key: str, value: dict[str, Any], what: str
) -> None:
    manifest = json.loads((forged / "manifest.json").read_bytes())
    reseal(forged, **{key: {**manifest[key], **value}})
    problems = verify(forged).problems
    assert problems and all(problem.startswith("manifest.json: ") for problem in problems)
    assert what in problems[0]


def test_an_artifact_that_no_record_rests_on_is_named_though_it_is_listed(copy: Path) -> None:
    (copy / "attempts/0001/better.stdout").write_text("{}")
    reseal(copy)
    problem = "attempts/0001/better.stdout: is listed, but no part of the run that the manifest describes"
    assert verify(copy).problems == (problem,)


def test_an_artifact_that_is_gone_from_folder_and_index_is_missed(copy: Path) -> None:
    (copy / "attempts/0001/executor.stdout").unlink()
    reseal(copy)
    (problem,) = verify(copy).problems
    assert "executor.stdout" in problem


# --- what is no evidence at all, and must be said so -----------------------------------------------------------------


@pytest.mark.parametrize("seal", SEALS)
def test_a_pipe_in_the_place_of_a_seal_is_named_and_not_waited_for(copy: Path, seal: str) -> None:
    (copy / seal).unlink()
    os.mkfifo(copy / seal)
    code, _, err = evalci("manifest", "verify", str(copy), environ={})
    assert code == 1
    assert err.startswith(f"{seal}: ")
    assert "it is a link, a folder, a pipe or a device, and no file" in err


@pytest.mark.parametrize("seal", SEALS)
def test_a_seal_that_lies_elsewhere_and_is_only_linked_is_named(copy: Path, tmp_path: Path, seal: str) -> None:
    (copy / seal).rename(tmp_path / seal)
    (copy / seal).symlink_to(tmp_path / seal)
    problems = verify(copy).problems
    assert any(problem.startswith(f"{seal}: ") and "is a link" in problem for problem in problems)


@pytest.mark.parametrize("name", [*SEALS, "cases.jsonl", "attempts/0001/executor.stdout"])
def test_a_file_that_was_blown_up_is_named_without_being_read(copy: Path, name: str) -> None:
    os.truncate(copy / name, 1 << 40)  # sparse: it takes no room, and no memory could hold it
    problems = verify(copy).problems
    assert any(problem.startswith(f"{name}: ") and "1099511627776 bytes" in problem for problem in problems)


@pytest.mark.parametrize(
    ("key", "value", "where"),
    [
        ("kind", "evidenze", "/kind"),
        ("tool", {"name": "somebody", "version": 1}, "/tool/name"),
        ("models", {}, "/models"),
        ("models", {"environment_id": 7, "executor_model": "", "judge_model": ""}, "/models/environment_id"),
        ("warnings", "none", "/warnings"),
        ("suite", [], "/suite"),
    ],
)
def test_what_no_artifact_confirms_must_still_fit_the_published_schema(
    copy: Path, key: str, value: object, where: str
) -> None:
    reseal(copy, **{key: value})
    problems = verify(copy).problems
    assert any(problem.startswith(f"manifest.json: does not fit its schema: {where}: ") for problem in problems)


def test_a_number_of_runs_that_nobody_can_have_made_is_named_and_not_planned(copy: Path) -> None:
    suite = json.loads((copy / "manifest.json").read_bytes())["suite"]
    reseal(copy, suite={**suite, "runs_per_condition": 10**30})
    (problem,) = verify(copy).problems
    assert problem.startswith("manifest.json: its runs_per_condition makes 2")
    assert problem.endswith("attempts, and each would have left artifacts")
