import json
from pathlib import Path
from typing import Any

from evalci.evidence.verify import verify

EXAMPLES = Path(__file__).parents[3] / "examples"
PLACE = EXAMPLES / "evidence"


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_the_committed_evidence_is_complete_and_holds() -> None:
    found = verify(PLACE / "evidence")
    assert found.problems == ()
    assert found.manifest is not None
    assert found.manifest["complete"]


def test_the_committed_evidence_is_of_the_files_beside_it_and_names_no_machine() -> None:
    for kept, own in (("cases.jsonl", "cases.jsonl"), ("calibration/answers.jsonl", "judged.jsonl")):
        assert (PLACE / "evidence" / kept).read_bytes() == (PLACE / own).read_bytes()
    for path in (path for path in (PLACE / "evidence").rglob("*") if path.is_file() and path.suffix != ".gz"):
        text = path.read_text("utf-8")
        assert not any(part in text for part in ("/work/", "/home/", "/tmp/", "/root")), path
    manifest = json.loads((PLACE / "evidence/manifest.json").read_bytes())
    assert manifest["suite"]["conditions"] == ["control", "treatment"]


def test_the_judge_of_the_committed_evidence_missed_its_bar_and_decides_nothing() -> None:
    manifest = json.loads((PLACE / "evidence/manifest.json").read_bytes())
    found = manifest["calibration"]
    assert (found["answers"], found["unmeasured"], found["min_kappa"], found["met"]) == (60, 0, 0.6, False)
    assert manifest["judge"]["standing"] == "diagnostic"
    assert "did not meet its calibration" in manifest["verdict"]["reasons"][0]
    assert f"kappa is {found['kappa']:.2f}" in (PLACE / "README.md").read_text("utf-8")


def test_the_judged_answers_are_those_of_the_calibration_example_with_its_labels() -> None:
    labels = {row["case_id"]: row["passed"] for row in rows(EXAMPLES / "calibrate/labels.jsonl")}
    recorded = {
        row["request"]["input"]: row["response"]["text"]
        for row in rows(EXAMPLES / "calibrate/.evalci/cassette.jsonl")
        if "system" in row["request"]["identity"]
    }
    assert rows(PLACE / "judged.jsonl") == [
        {
            "case_id": case["id"],
            "prompt": case["input"],
            "output": recorded[case["input"]],
            "assertion": {
                "id": "right",
                "description": f'The answer gives "{case["expected"]}", or the same in other words.',
            },
            "passed": labels[case["id"]],
        }
        for case in rows(EXAMPLES / "calibrate/cases.jsonl")
    ]
