"""Reading a report that somebody else sent: whatever is wrong is refused, by its path."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.errors import ReportError
from evalci.model import Report
from evalci.reporters.json_reader import read_report
from evalci.reporters.json_report import write_report
from tests.factories import (
    broken,
    change,
    diff,
    errored,
    failed,
    json_values,
    matrix_of,
    passed,
    plain_reports,
    report_of,
    suite,
    tried,
)

MATRIX = matrix_of(
    report_of(passed("a"), suite=suite(target="gpt")), report_of(failed("a"), suite=suite(target="claude"))
)
FULL = report_of(
    passed("a"),
    failed("b", scores=(broken(),)),
    errored(),
    tried("c", True, False),
    baseline=diff(regressed=(change("b"),)),
)


def refusal(data: bytes, **options: Any) -> str:
    with pytest.raises(ReportError) as caught:
        read_report(data, **options)
    return caught.value.message


def refusal_of(edit: Callable[[Any], Any], report: Report = FULL) -> str:
    data = json.loads(write_report(report))
    edit(data)
    return refusal(json.dumps(data).encode())


def setting(*path: Any, value: Any) -> Callable[[Any], None]:
    def edit(data: Any) -> None:
        for step in path[:-1]:
            data = data[step]
        data[path[-1]] = value

    return edit


def dropping(*path: Any) -> Callable[[Any], None]:
    def edit(data: Any) -> None:
        for step in path[:-1]:
            data = data[step]
        del data[path[-1]]

    return edit


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (
            setting("results", 0, "scores", 0, "value", value="1"),
            'results[0].scores[0].value: wanted a number, saw "1"',
        ),
        (
            setting("results", 0, "scores", 0, "value", value=True),
            "results[0].scores[0].value: wanted a number, saw true",
        ),
        (setting("results", 0, "scores", 0, "value", value=10**30), "value: wanted a number"),
        (
            setting("results", 0, "scores", 0, "passed", value=1),
            "results[0].scores[0].passed: wanted true or false, saw 1",
        ),
        (setting("results", 0, "scores", 0, "metadata", value=[]), "scores[0].metadata: wanted an object, saw a list"),
        (setting("results", 0, "scores", 0, "error", value="x"), "results[0].scores[0]: a Score has either"),
        (setting("results", 1, "scores", 0, "passed", value=True), "results[1].scores[0]: a broken Score"),
        (setting("results", 0, "status", value="fine"), "results[0].status: wanted one of passed, failed, errored"),
        (setting("results", 0, "status", value=["passed"]), "results[0].status: wanted one of"),
        (setting("results", 0, "case_id", value=3), "results[0].case_id: wanted text, saw 3"),
        (setting("results", 0, "output", value="text"), 'results[0].output: wanted an object, saw "text"'),
        (
            setting("results", 0, "output", "latency_ms", value=-1),
            "latency_ms: wanted a whole number, zero or more, saw -1",
        ),
        (
            setting("results", 0, "output", "latency_ms", value=1.5),
            "latency_ms: wanted a whole number, zero or more, saw 1.5",
        ),
        (setting("results", 0, "output", "latency_ms", value=10**40), "latency_ms: wanted a whole number"),
        (setting("results", 0, "context", value="chunk"), "results[0].context: wanted a list"),
        (setting("results", 0, "context", value=[1]), "results[0].context[0]: wanted text, saw 1"),
        (
            setting("results", 3, "trial_stats", "pass_fraction", value=1.5),
            "pass_fraction: wanted a number from 0 to 1",
        ),
        (setting("results", value={}), "results: wanted a list, saw an object"),
        (setting("results", 0, value=None), "results[0]: wanted an object, saw null"),
        (dropping("results", 0, "case_id"), "results[0].case_id is missing: wanted text"),
        (dropping("results", 0, "status"), "results[0].status is missing"),
        (dropping("verdict"), "verdict is missing: wanted an object"),
        (dropping("verdict", "passed"), "verdict.passed is missing: wanted true or false"),
        (dropping("summary", "total"), "summary.total is missing: wanted a whole number"),
        (setting("verdict", "exit_code", value=7), "verdict.exit_code: wanted one of 0, 1, 2, 3, 130, saw 7"),
        (setting("verdict", "passed", value=True), "verdict.passed: wanted what exit_code 1 says, saw true"),
        (setting("verdict", "reasons", value=[{}]), "verdict.reasons[0]: wanted text, saw an object"),
        (
            setting("summary", "mean_score", "contains", value=None),
            "summary.mean_score.contains: wanted a number, saw null",
        ),
        (
            setting("suite", "shard", value={"index": 5, "count": 4}),
            "suite.shard.index: wanted a number from 1 to count",
        ),
        (setting("baseline", "regressed", 0, "before", "status", value=""), "baseline.regressed[0].before.status"),
        (setting("schema", value="evalci.report/2"), '"evalci.report/2", this version of evalci reads evalci.report/1'),
    ],
)
def test_a_wrong_field_is_refused_by_its_path(edit: Callable[[Any], None], said: str) -> None:
    assert said in refusal_of(edit)


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (setting("arms", 0, "arms", value=[]), "arms[0].arms: wanted nothing, since an arm has no arms"),
        (setting("comparison", "rows", 0, "means", value=[1.0]), "comparison.rows[0]: wanted 2 means and 2 statuses"),
        (setting("comparison", "rows", 0, "statuses", 0, value="won"), "comparison.rows[0].statuses[0]: wanted one of"),
        (setting("comparison", "arms", 0, "wins", value="many"), "comparison.arms[0].wins: wanted a whole number"),
        (setting("arms", value=[{}] * 101), "arms: 101 items, at most 100"),
    ],
)
def test_a_wrong_matrix_is_refused_by_its_path(edit: Callable[[Any], None], said: str) -> None:
    assert said in refusal_of(edit, MATRIX)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "not valid JSON"),
        (b"\xff", "not valid JSON"),
        (b"{", "not valid JSON"),
        (b'{"a": NaN}', "NaN is no JSON number"),
        (b'{"a": -Infinity}', "-Infinity is no JSON number"),
        (b'{"a": 1e999}', "1e999 is no finite number"),
        (b'{"a": ' + b"9" * 5000 + b"}", "not valid JSON"),
        (b"[]", "the top level: wanted an object, saw a list"),
        (b"{}", 'schema ""'),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_report_at_all_is_refused(data: bytes, said: str) -> None:
    assert said in refusal(data)


def test_a_report_past_the_size_cap_is_not_even_parsed() -> None:
    assert refusal(b"\xff" * 11, max_bytes=10) == "the report has 11 bytes, at most 10 are read"


def test_metadata_nested_without_end_is_refused() -> None:
    deep = "[" * 400 + "]" * 400
    data = write_report(FULL).replace(b'"value": 1.0', b'"metadata": {"deep": ' + deep.encode() + b'}, "value": 1.0')
    assert "results[0].scores[0].metadata is nested too deeply" in refusal(data)


def test_half_characters_in_a_foreign_report_become_replacement_characters() -> None:
    data = write_report(report_of(passed("a"))).replace(b'"within 30 days"', b'"\\uD800!"')
    assert read_report(data).results[0].output.text == "\ufffd!"


def test_unknown_keys_are_ignored() -> None:
    data = json.loads(write_report(FULL))
    data["more"] = data["suite"]["more"] = data["results"][0]["scores"][0]["more"] = {"x": [1]}
    assert read_report(json.dumps(data).encode()) == FULL


def test_null_is_the_same_as_left_out() -> None:
    data = json.loads(write_report(FULL))
    data.update(notes=None, gates=None, classification=None, arms=None)
    data["results"][0]["scores"][0]["reason"] = None
    assert read_report(json.dumps(data).encode()) == FULL


def test_a_refusal_says_what_to_do_next() -> None:
    with pytest.raises(ReportError) as caught:
        read_report(b"{")
    assert caught.value.hint


PLACES = [
    ("suite",),
    ("verdict",),
    ("summary",),
    ("results",),
    ("results", 0),
    ("results", 0, "scores"),
    ("results", 0, "scores", 0),
    ("results", 0, "output"),
    ("results", 0, "source"),
    ("results", 3, "trials", 0),
    ("baseline", "regressed", 0, "before"),
    ("gates",),
    ("recordings",),
    ("comparison",),
    ("classification",),
    ("programs",),
    ("changed_recordings",),
]


@given(st.sampled_from(PLACES), json_values())
def test_any_json_anywhere_is_read_or_refused_never_a_crash(place: tuple[Any, ...], value: Any) -> None:
    data = json.loads(write_report(FULL))
    setting(*place, value=value)(data)
    try:
        read_report(json.dumps(data).encode())
    except ReportError as exc:
        assert place[0] in exc.message


@given(plain_reports(), st.data())
def test_a_report_without_one_of_its_fields_is_read_or_refused(report: Report, data: st.DataObject) -> None:
    plain = json.loads(write_report(report))
    del plain[data.draw(st.sampled_from(sorted(plain)))]
    try:
        read_report(json.dumps(plain).encode())
    except ReportError as exc:
        assert exc.message
