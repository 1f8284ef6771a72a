import json
from pathlib import Path

from evalci.evidence.verify import verify

PLACE = Path(__file__).parents[3] / "examples" / "evidence"


def test_the_committed_evidence_is_complete_and_holds() -> None:
    found = verify(PLACE / "evidence")
    assert found.problems == ()
    assert found.manifest is not None
    assert found.manifest["complete"]


def test_the_committed_evidence_is_of_the_cases_beside_it_and_names_no_machine() -> None:
    assert (PLACE / "evidence/cases.jsonl").read_bytes() == (PLACE / "cases.jsonl").read_bytes()
    for path in (path for path in (PLACE / "evidence").rglob("*") if path.is_file() and path.suffix != ".gz"):
        text = path.read_text("utf-8")
        assert not any(part in text for part in ("/work/", "/home/", "/tmp/", "/root")), path
    manifest = json.loads((PLACE / "evidence/manifest.json").read_bytes())
    assert manifest["suite"]["conditions"] == ["control", "treatment"]
