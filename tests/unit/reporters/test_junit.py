"""The JUnit report, as a strict parser reads it."""

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.model import CaseResult, GateOutcome, Report
from evalci.reporters import PLAIN
from evalci.reporters.junit import escaped, render
from tests.factories import (
    broken,
    errored,
    failed,
    matrix_of,
    missed,
    passed,
    report_of,
    reports,
    skipped,
    suite,
    unjudged,
)


def parsed(*results: CaseResult, **more: object) -> ET.Element:
    return ET.fromstring(render(report_of(*results, **more), PLAIN).encode())


def message(result: CaseResult) -> str:
    [found] = parsed(result).iter("failure")
    return found.attrib["message"]


@given(reports())
def test_any_report_is_well_formed_and_its_counts_agree(report: Report) -> None:
    root = ET.fromstring(render(report, PLAIN).encode())
    for part in (root, *root.iter("testsuite")):
        assert int(part.attrib["tests"]) == len(list(part.iter("testcase")))
        assert int(part.attrib["failures"]) == len(list(part.iter("failure")))


@given(reports())
def test_every_testcase_of_a_suite_has_a_name_of_its_own(report: Report) -> None:
    for found in ET.fromstring(render(report, PLAIN).encode()).iter("testsuite"):
        names = [case.get("name") for case in found.iter("testcase")]
        assert len(set(names)) == len(names)


@given(st.text(st.characters(codec=None)))
def test_no_control_character_is_written_not_even_as_a_reference(text: str) -> None:
    raw = escaped(text).encode()
    assert not re.search(rb"&#(x?0*([0-8bBcCeEfF]|1[0-9a-fA-F]));|[\x00-\x1f\x7f]", raw)
    ET.fromstring(b'<a b="' + raw + b'"/>')


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff")))
def test_text_that_xml_can_hold_comes_back_as_it_was(text: str) -> None:
    assert ET.fromstring(f'<a b="{escaped(text)}"/>'.encode()).get("b") == text


@pytest.mark.parametrize("text", ["a\nb", "a\r\nb", "a\tb", "a\"b<c>&d'e", "]]> <![CDATA["])
def test_white_space_and_markup_come_back_as_they_were(text: str) -> None:
    assert message(errored(error=text)) == f"target error: {text}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [("\x1b[31mred", "\\x1b[31mred"), ("\x00", "\\x00"), ("\x85", "\\x85"), ("\ufffe\uffff", "\\u{fffe}\\u{ffff}")],
)
def test_what_xml_cannot_hold_is_spelled_out(text: str, shown: str) -> None:
    assert message(errored(error=text)) == f"target error: {shown}"


def test_a_half_character_becomes_a_replacement_character() -> None:
    assert message(errored(error="\ud800")) == "target error: \ufffd"


def test_ids_that_look_the_same_once_escaped_stay_apart() -> None:
    names = [
        case.get("name") for case in parsed(passed("a\x00"), passed("a\\x00"), passed("a\\x00 (2)")).iter("testcase")
    ]
    assert names == ["a\\x00", "a\\x00 (2)", "a\\x00 (2) (2)"]


def test_all_reasons_stand_in_one_failure() -> None:
    assert (
        message(failed(scores=(missed(reason="no"), broken())))
        == "contains: no; judge: scorer error: judge call failed"
    )


def test_a_failure_always_has_a_message() -> None:
    assert message(failed(scores=())) == "failed, and no scorer gave a reason"


def test_errored_and_skipped_cases_are_failures_and_unjudged_ones_are_not() -> None:
    root = parsed(errored(), skipped(), unjudged())
    assert (root.get("tests"), root.get("failures")) == ("3", "2")
    assert [case.get("message") for case in root.iter("skipped")] == ["no scorer gave a verdict"]
    assert root.find("testsuite").get("skipped") == "1"


def test_gates_are_no_tests() -> None:
    gate = GateOutcome(gate="pass_rate >= 0.9", type="pass_rate", passed=False)
    assert "pass_rate" not in render(report_of(passed(), gates=(gate,)), PLAIN)


def test_a_matrix_has_a_suite_per_target() -> None:
    arms = [report_of(passed(), failed(), suite=suite(target=name)) for name in ("gpt", "a<b")]
    root = ET.fromstring(render(matrix_of(*arms), PLAIN))
    assert [found.get("name") for found in root.iter("testsuite")] == ["evalci/gpt", "evalci/a<b"]
    assert (root.get("tests"), root.get("failures")) == ("4", "2")


def test_an_endless_message_is_cut() -> None:
    assert len(message(errored(error="x" * 100_000))) < 5000
