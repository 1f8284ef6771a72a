"""Rows on the JUnit report: its layout, and that every XML parser reads it."""

import xml.etree.ElementTree as ET
from typing import Any

from evalci.model import CaseResult, GateOutcome, Report, Score
from evalci.reporters import PLAIN
from evalci.reporters.junit import render
from tests.factories import errored, failed, matrix_of, passed, report_of, suite


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    suite_name = given.get("suite_name", "evalcore")
    text = render(_report(given), PLAIN, suite_name)
    root = ET.fromstring(text.encode())
    if "xml" in want:
        assert text == want["xml"]
    if "structure" in want:
        assert {name: int(root.attrib[name]) for name in want["structure"]} == want["structure"]
    if "suite_names" in want:
        assert [found.get("name") for found in root.iter("testsuite")] == want["suite_names"]
        assert int(root.attrib["tests"]) == sum(int(found.attrib["tests"]) for found in root.iter("testsuite"))
        assert int(root.attrib["failures"]) == sum(int(found.attrib["failures"]) for found in root.iter("testsuite"))
    if "gate_in_xml" in want:
        assert ("gate" in text or given["gates"][0]["gate"].split()[0] in text) == want["gate_in_xml"]
    if "parsed_message_contains" in want:
        message = _message(root)
        assert all(part in message for part in want["parsed_message_contains"])
    if "newline_kept_as" in want:
        # `&#10;` and `&#xA;` are one reference; `cases/check.py` takes the decimal form for a control character.
        reference = want["newline_kept_as"].replace("&#10;", "&#xA;")
        assert reference in text
        assert given["reason"] in _message(root)


def _message(root: ET.Element) -> str:
    return "".join(found.attrib["message"] for found in root.iter("failure"))


def _report(given: dict[str, Any]) -> Report:
    if "arms" in given:
        return matrix_of(*(report_of(passed(), failed(), suite=suite(target=name)) for name in given["arms"]))
    if "reason" in given:
        return report_of(_case({"id": "a", "reasons": [f"contains: {given['reason']}"]}))
    gates = tuple(
        GateOutcome(gate=gate["gate"], type="pass_rate", passed=gate["passed"]) for gate in given.get("gates", ())
    )
    return report_of(*map(_case, given.get("cases", ({"id": "a", "reasons": []},))), gates=gates)


def _case(case: dict[str, Any]) -> CaseResult:
    latency = case.get("latency_ms", 0)
    if not case["reasons"]:
        return passed(case["id"], latency_ms=latency)
    if case["reasons"][0].startswith("target error: "):
        return errored(case["id"], case["reasons"][0].removeprefix("target error: "))
    named = [reason.split(": ", 1) for reason in case["reasons"]]
    scores = tuple(Score(scorer=name, type=name, value=0.0, passed=False, reason=reason) for name, reason in named)
    return failed(case["id"], latency_ms=latency, scores=scores)
