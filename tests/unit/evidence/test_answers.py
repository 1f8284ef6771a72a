"""The file of judged answers: what is refused, where, and what to do about it."""

import json
from pathlib import Path
from typing import Any

import pytest

from evalci.errors import DatasetError
from evalci.evidence.answers import read_answers
from tests.evidence_suites import AGREED, judged, run, suite_in


def lines(*rows: dict[str, Any]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def without(row: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != key}


GOOD = judged("x with care", True)
ABOUT = GOOD["assertion"]
MISTAKES: list[tuple[bytes, str]] = [
    (lines(AGREED[0], without(GOOD, "passed")), 'j.jsonl:2: the answer lacks "passed"'),
    (lines(AGREED[0], without(GOOD, "assertion")), 'j.jsonl:2: the answer lacks "assertion"'),
    (lines({**GOOD, "pased": True}), 'j.jsonl:1: the answer has the unknown key "pased"'),
    (lines({**GOOD, "passed": 1}), 'j.jsonl:1: the answer: "passed" must be true or false, got a number'),
    (lines({**GOOD, "passed": "yes"}), '"passed" must be true or false, got text'),
    (lines({**GOOD, "output": None}), '"output" must be text, got null'),
    (lines({**GOOD, "case_id": " "}), '"case_id" must not be blank'),
    (lines({**GOOD, "assertion": []}), '"assertion" must be an object, got a list'),
    (lines({**GOOD, "assertion": without(ABOUT, "description")}), 'its assertion lacks "description"'),
    (lines({**GOOD, "assertion": {**ABOUT, "description": ""}}), '"description" must not be blank'),
    (lines({**GOOD, "assertion": {**ABOUT, "oracle": "llm_judge"}}), 'its assertion has the unknown key "oracle"'),
    (lines({**GOOD, "assertion": {**ABOUT, "severity": ""}}), '"severity" must not be blank'),
    (lines(AGREED[0]) + b'\n{"case_id": \n', "j.jsonl:3: this line cannot be read: it is not one JSON object"),
    (lines(AGREED[0]) + b'\n{"case_id": \n', "it goes wrong at line 3, column 13"),
    (b'{"passed": true, "passed": false}\n', 'its JSON holds the key "passed" twice'),
    (b'{"passed": NaN}\n', "NaN is no JSON number"),
    (b"[]\n", "it is JSON, but not an object"),
    (b"\xff\n", "not UTF-8"),
    (lines(GOOD, *AGREED, GOOD), 'j.jsonl:6: case "of x with care" and assertion "careful" are on line 1 too'),
    (b"", "j.jsonl: there are no answers to calibrate the judge with"),
    (b"\n \n", "there are no answers"),
    (lines(AGREED[0], AGREED[2]), "j.jsonl: people say passed of all 2 answers, so Cohen's kappa cannot be told"),
    (lines(AGREED[1]), "people say failed of the only answer"),
]


@pytest.mark.parametrize(("data", "message"), MISTAKES, ids=[str(number) for number in range(len(MISTAKES))])
def test_a_mistake_says_where_what_and_what_to_do(data: bytes, message: str) -> None:
    with pytest.raises(DatasetError) as caught:
        read_answers(data, "j.jsonl")
    assert message in str(caught.value)
    assert all(problem.hint for problem in caught.value.problems)


def test_every_mistake_of_the_file_is_shown_at_once() -> None:
    row = {**GOOD, "passed": 1, "extra": 1, "assertion": {}}
    with pytest.raises(DatasetError) as caught:
        read_answers(lines(row, GOOD, {}), "j.jsonl")
    assert [problem.line for problem in caught.value.problems] == [1] * 4 + [3] * 5


def test_one_case_may_be_held_to_several_assertions_and_an_answer_may_be_empty() -> None:
    other = {**ABOUT, "id": "short", "severity": "minor"}
    rows = ({**GOOD, "output": "", "prompt": ""}, {**GOOD, "assertion": other, "passed": False})
    first, second = read_answers(b"\xef\xbb\xbf" + lines(*rows), "j.jsonl")
    assert (first.number, first.output, first.assertion.severity) == (1, "", "blocker")
    assert (second.number, second.assertion.severity, second.passed) == (2, "minor", False)


def test_the_line_that_the_docs_show_is_read() -> None:
    page = (Path(__file__).parents[3] / "docs/evidence.md").read_text("utf-8")
    (shown,) = [line for line in page.splitlines() if line.startswith('{"case_id"')]
    first, _ = read_answers(f"{shown}\n".encode() + lines(judged("no", False)), "j.jsonl")
    assert (first.case_id, first.assertion.severity, first.passed) == ("q1", "blocker", True)


@pytest.mark.parametrize(
    ("answers", "more", "why"),
    [
        ([AGREED[0]], "", "judged.jsonl: people say passed of the only answer"),
        ([{}], "", "judged.jsonl:1: the answer lacks"),
        (None, "calibration: { answers: no.jsonl, min_kappa: 0.6 }\n", "failed to read judged answers no.jsonl"),
        (None, "calibration: { answers: ../../../../../etc/hosts, min_kappa: 0.6 }\n", "it lies outside the project"),
        (None, "calibration: { answers: cases.jsonl, min_kappa: 60 }\n", "min_kappa"),
        (None, "calibration: { answers: cases.jsonl }\n", "min_kappa"),
        (None, "calibration: { answers: cases.jsonl, min_kapa: 0.6 }\n", 'did you mean "min_kappa"?'),
    ],
    ids=["one-verdict", "no-keys", "no-file", "outside", "bar-too-high", "no-bar", "misspelt"],
)
def test_a_calibration_that_cannot_be_used_is_exit_2_and_calls_nobody(
    tmp_path: Path, answers: list[dict[str, Any]] | None, more: str, why: str
) -> None:
    environ = suite_in(tmp_path, answers=answers)
    config = tmp_path / "evidence.yaml"
    config.write_text(config.read_text() + more)
    code, manifest, text = run(tmp_path, environ)
    assert (code, manifest) == (2, {}), text
    assert why in text
    assert not (tmp_path / "out").exists()
