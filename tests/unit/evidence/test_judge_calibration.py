"""Runs whose judge is measured against people before its word decides."""

import json
from pathlib import Path

import pytest

from tests.evidence_suites import AGREED, CASES, DISPUTED, SECRET, evalci, judged, run, suite_in


def records(place: Path) -> list[dict]:  # type: ignore[type-arg]
    return [json.loads(path.read_bytes()) for path in sorted((place / "out/calibration").glob("*.record.json"))]


def test_a_judge_that_agrees_with_people_decides(tmp_path: Path) -> None:
    code, manifest, text = run(tmp_path, suite_in(tmp_path, answers=[*AGREED, DISPUTED]), runs=2)
    assert code == 0, text
    assert manifest["judge"] == {"grades": 4, "calibrated": True, "standing": "release"}
    found = manifest["calibration"]
    assert found["table"] == {"both": 2, "judge_only": 1, "people_only": 0, "neither": 2}
    assert (found["answers"], found["unmeasured"], found["accuracy"], found["met"]) == (5, 0, 0.8, True)
    assert found["kappa"] == pytest.approx(8 / 13)
    assert found["interval"] == {
        "level": 0.95,
        "low": pytest.approx(0.3755, abs=1e-4),
        "high": pytest.approx(0.9638, abs=1e-4),
    }
    assert "met its calibration (Cohen's kappa 0.62, min_kappa 0.6): its word decides" in text
    assert "- of five with care, careful: people say failed, the judge passed: held against careful" in text


def test_the_calibration_is_in_the_index_the_digests_the_accounts_and_the_statement(tmp_path: Path) -> None:
    _, manifest, _ = run(tmp_path, suite_in(tmp_path, answers=AGREED))
    kept = {entry["path"]: entry["sha256"] for entry in manifest["artifacts"]}
    assert manifest["digests"]["calibration"] == kept["calibration/answers.jsonl"]
    assert {f"calibration/{n:04d}.{end}" for n in range(1, 5) for end in ("stdout", "stderr", "record.json")} < set(
        kept
    )
    assert (tmp_path / "out/calibration/answers.jsonl").read_bytes() == (tmp_path / "judged.jsonl").read_bytes()
    assert manifest["accounting"]["calibration"]["accepted"] == 4
    assert manifest["accounting"]["judge"]["calls"] == 2
    ids = [record["judge_record"]["request_id"] for record in records(tmp_path)]
    assert manifest["request_ids"][:4] == ids
    assert len(set(manifest["request_ids"])) == 8
    predicate = json.loads((tmp_path / "out/statement.json").read_bytes())["predicate"]
    assert (predicate["judge"], predicate["calibration"]) == (manifest["judge"], manifest["calibration"])


def test_a_judge_below_the_bar_fails_the_run_though_every_attempt_passed(tmp_path: Path) -> None:
    code, manifest, text = run(tmp_path, suite_in(tmp_path, answers=[*AGREED, DISPUTED], min_kappa=0.8))
    assert code == 1
    assert manifest["attempts"]["treatment"] == {"passed": 1, "failed": 0, "incomplete": 0}
    assert manifest["complete"] and not manifest["verdict"]["passed"]
    (reason,) = manifest["verdict"]["reasons"]
    assert "Cohen's kappa of 0.62 over 5 answers where at least 0.8 is asked for" in reason
    assert "run again" in reason
    assert manifest["judge"] == {"grades": 2, "calibrated": False, "standing": "diagnostic"}
    assert "did not meet its calibration" in text
    _, out, _ = evalci("manifest", "verify", str(tmp_path / "out"), environ={})
    assert "did not pass" in out


def test_a_judge_that_says_passed_of_everything_agrees_by_chance_alone(tmp_path: Path) -> None:
    code, manifest, _ = run(tmp_path, {**suite_in(tmp_path, answers=AGREED), "JUDGE": "lenient"})
    assert (code, manifest["calibration"]["kappa"]) == (1, 0.0)


def test_a_bar_that_is_met_exactly_is_met(tmp_path: Path) -> None:
    environ = {**suite_in(tmp_path, answers=AGREED, min_kappa=0), "JUDGE": "lenient"}
    code, manifest, text = run(tmp_path, environ)
    assert (code, manifest["judge"]["standing"]) == (0, "release"), text


def test_a_miss_and_failed_attempts_are_both_reasons(tmp_path: Path) -> None:
    answers = [judged("with care", False), judged("without", True)]
    cases = [{**CASES[0], "assertions": [*CASES[0]["assertions"], {"id": "no", "oracle": "contains", "value": "zzz"}]}]  # type: ignore[misc]
    code, manifest, _ = run(tmp_path, suite_in(tmp_path, cases, answers=answers))
    assert code == 1
    assert manifest["calibration"]["kappa"] == -1.0
    assert len(manifest["verdict"]["reasons"]) == 2


BROKEN = [
    ("exits-3", "non-zero exit"),
    ("score", "status must be"),
    ("same-id", "given before"),
    ("cached", "cache_hit is true"),
    ("fenced", "JSON"),
]


@pytest.mark.parametrize(("how", "why"), BROKEN, ids=[how for how, _ in BROKEN])
def test_a_call_that_proves_nothing_makes_the_run_incomplete(tmp_path: Path, how: str, why: str) -> None:
    code, manifest, text = run(tmp_path, {**suite_in(tmp_path, answers=AGREED), "JUDGE": how})
    assert code == 3
    assert "INCOMPLETE" in text
    reasons = [reason for reason in manifest["incomplete_because"] if reason.startswith("calibration ")]
    assert reasons and all(why in reason for reason in reasons)
    assert not manifest["calibration"]["met"] and manifest["judge"]["standing"] == "diagnostic"
    assert evalci("manifest", "verify", str(tmp_path / "out"), environ={})[0] == 3


def test_one_unmeasured_answer_is_enough_to_prove_nothing(tmp_path: Path) -> None:
    code, manifest, text = run(tmp_path, {**suite_in(tmp_path, answers=AGREED), "JUDGE": "cached-on-two"})
    assert code == 3
    assert manifest["incomplete_because"] == [
        'calibration 0002 (case "of two"): judge, assertion "careful": '
        "cache_hit is true: a cached answer is no new measurement"
    ]
    assert (manifest["calibration"]["kappa"], manifest["calibration"]["unmeasured"]) == (1.0, 1)
    assert not manifest["calibration"]["met"]
    assert "Not measured: 1" in text
    assert "2 grades came from a judge that was not measured on every answer of its calibration" in text
    assert "did not meet" not in text


def test_a_request_id_of_the_calibration_cannot_come_again_in_an_attempt(tmp_path: Path) -> None:
    answers = [judged("an answer to Say it. with care", True), judged("no", False)]
    code, manifest, _ = run(tmp_path, {**suite_in(tmp_path, answers=answers), "JUDGE": "id-of-the-output"})
    assert code == 3
    (reason,) = manifest["incomplete_because"]
    assert reason.startswith("attempt ") and "given before" in reason


def test_the_judge_is_asked_as_in_an_attempt_and_never_told_what_people_said(tmp_path: Path) -> None:
    run(tmp_path, {**suite_in(tmp_path, answers=AGREED), "JUDGE": "dumps"})
    folders = set()
    for record in records(tmp_path):
        seen = json.loads(record["reason"])
        asked = seen["stdin"]
        assert set(asked) == {"case_id", "prompt", "output", "assertion"}
        assert asked["assertion"] == {
            "id": "careful",
            "description": "It is careful.",
            "oracle": "llm_judge",
            "severity": "blocker",
        }
        assert seen["files"] == []
        assert not any(
            word in json.dumps(seen) for word in ("judged.jsonl", "human", "people", "passed", str(tmp_path))
        )
        folders.add(seen["cwd"])
    assert len(folders) == 4
    attempt = json.loads(next((tmp_path / "out/attempts").glob("*/judge-02.stdout")).read_bytes())
    assert set(json.loads(attempt["reason"])["stdin"]) == {"case_id", "prompt", "output", "assertion"}


def test_what_people_said_changes_no_request(tmp_path: Path) -> None:
    hashes = []
    for name, flipped in (("one", False), ("two", True)):
        place = tmp_path / name
        place.mkdir()
        run(place, suite_in(place, answers=[{**answer, "passed": answer["passed"] != flipped} for answer in AGREED]))
        hashes.append([record["judge_record"]["request_hash"] for record in records(place)])
    assert hashes[0] == hashes[1]


def test_an_executor_hears_nothing_of_the_calibration(tmp_path: Path) -> None:
    answers = [judged("hidden-output with care", True, "hidden-case"), judged("no", False)]
    run(tmp_path, {**suite_in(tmp_path, answers=answers), "BEHAVE": "dumps"})
    texts = [path.read_text() for path in (tmp_path / "out/attempts").glob("*/executor.stdout")]
    assert len(texts) == 2
    assert not any(word in text for text in texts for word in ("hidden-", "judged.jsonl", "calibration"))


def test_the_calibration_comes_first_and_in_the_order_of_the_file_whatever_the_seed(tmp_path: Path) -> None:
    for seed in (1, 2):
        place = tmp_path / str(seed)
        place.mkdir()
        run(place, suite_in(place, answers=AGREED), seed=seed)
        assert [record["case_id"] for record in records(place)] == [answer["case_id"] for answer in AGREED]
        calls = sorted((place / "out").rglob("*.stdout"), key=lambda path: path.stat().st_mtime_ns)
        assert [path.parent.name for path in calls[:4]] == ["calibration"] * 4


def test_no_file_of_the_calibration_holds_the_value_of_a_passed_variable(tmp_path: Path) -> None:
    run(tmp_path, {**suite_in(tmp_path, answers=AGREED), "JUDGE": "tells-secret"})
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert all(SECRET.encode() not in path.read_bytes() for path in files)
    assert all(b"[redacted]" in path.read_bytes() for path in (tmp_path / "out/calibration").glob("*.stderr"))


def test_a_suite_that_asks_no_judge_is_not_calibrated_and_says_so(tmp_path: Path) -> None:
    cases = [{"id": "t", "input": "?", "assertions": [{"id": "s", "oracle": "selected_skill", "value": "careful"}]}]
    code, manifest, text = run(tmp_path, suite_in(tmp_path, cases, mode="trigger", answers=AGREED))
    assert code == 0, text
    assert "calibration" not in manifest and "calibration" not in manifest["digests"]
    assert manifest["judge"]["standing"] == "not used"
    assert any("the judge is not calibrated: no assertion of suite" in warning for warning in manifest["warnings"])


def test_without_a_calibration_nothing_of_it_is_in_manifest_or_statement(tmp_path: Path) -> None:
    _, manifest, text = run(tmp_path, suite_in(tmp_path))
    predicate = json.loads((tmp_path / "out/statement.json").read_bytes())["predicate"]
    assert "calibration" not in json.dumps([manifest, predicate])
    assert manifest["judge"] == {"grades": 2, "calibrated": False, "standing": "diagnostic"}
    assert "nobody has calibrated" in text
