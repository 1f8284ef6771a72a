"""The JSON report: what is written, and that reading it gives the same report back."""

import json
from dataclasses import fields, replace
from pathlib import Path
from types import MappingProxyType

import jsonschema
import pytest
from hypothesis import given

import evalci.reporters
from evalci.model import CaseResult, Output, Report, Score, Step, Summary, Trajectory, Verdict
from evalci.reporters import PLAIN, REPORTERS
from evalci.reporters.json_reader import read_report
from evalci.reporters.json_report import write_json, write_report
from tests.factories import (
    case,
    change,
    diff,
    errored,
    failed,
    good,
    matrix_of,
    passed,
    report_of,
    reports,
    suite,
    tried,
    unjudged,
)

SCHEMA = json.loads((Path(evalci.reporters.__file__).parent / "report_schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def written(report: Report) -> dict:
    return json.loads(write_report(report))


@given(reports())
def test_reading_what_was_written_gives_the_same_report(report: Report) -> None:
    assert read_report(write_report(report)) == report


@given(reports())
def test_every_report_follows_the_published_schema(report: Report) -> None:
    assert not [error.message for error in VALIDATOR.iter_errors(written(report))]


def test_the_published_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_the_published_schema_names_every_field_of_the_report() -> None:
    assert set(SCHEMA["$defs"]["report"]["properties"]) == {field.name for field in fields(Report)}
    assert set(SCHEMA["$defs"]["summary"]["properties"]) == {field.name for field in fields(Summary)}
    assert set(SCHEMA["$defs"]["score"]["properties"]) == {field.name for field in fields(Score)}


def test_the_schema_refuses_a_score_with_neither_value_nor_error() -> None:
    data = written(report_of(passed()))
    del data["results"][0]["scores"][0]["value"]
    assert list(VALIDATOR.iter_errors(data))


def test_keys_are_sorted_and_the_text_ends_in_one_newline() -> None:
    text = write_report(report_of(passed(), failed())).decode()
    assert text == json.dumps(json.loads(text), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def test_the_reporter_gives_the_bytes_as_text() -> None:
    report = report_of(passed(text="café"))
    assert REPORTERS["json"].render()(report, PLAIN) == write_report(report).decode()


def test_a_passing_case_says_what_the_design_lists_and_no_more() -> None:
    assert written(report_of(passed("a")))["results"] == [
        {
            "case_id": "a",
            "source": {"file": "cases.jsonl", "line": 1},
            "status": "passed",
            "output": {"text": "within 30 days", "latency_ms": 12},
            "scores": [{"scorer": "contains", "type": "contains", "value": 1.0, "passed": True}],
        }
    ]


def test_an_errored_case_keeps_an_empty_list_of_scores() -> None:
    [result] = written(report_of(errored("a", "no answer")))["results"]
    assert (result["error"], result["scores"], result.get("output")) == ("no answer", [], None)


def test_an_unjudged_score_has_no_passed() -> None:
    [result] = written(report_of(unjudged()))["results"]
    assert result["scores"] == [{"scorer": "levenshtein", "type": "levenshtein", "value": 0.62}]


def test_counts_and_reasons_are_there_when_a_run_had_nothing_to_say() -> None:
    data = written(report_of())
    assert data["verdict"] == {"passed": True, "exit_code": 0, "reasons": []}
    assert data["results"] == []
    assert set(data["summary"]) == {"total", "passed", "failed", "errored", "skipped", "unjudged", "flaky"}
    assert set(data) == {"schema", "suite", "summary", "verdict", "results"}


def test_trials_are_listed_with_their_own_verdicts() -> None:
    [result] = written(report_of(tried("coin", True, False, True)))["results"]
    assert [trial["passed"] for trial in result["trials"]] == [True, False, True]
    assert result["trial_stats"]["pass_fraction"] == pytest.approx(2 / 3)


def test_a_trajectory_tells_a_recorded_null_from_no_output() -> None:
    steps = (Step(tool="search", input={"q": 1}, output=None, has_output=True), Step(tool="stop"))
    [result] = written(report_of(passed(output=Output(text="", trajectory=Trajectory(steps=steps)))))["results"]
    assert result["output"]["trajectory"] == {
        "steps": [{"tool": "search", "input": {"q": 1}, "output": None}, {"tool": "stop", "input": None}]
    }


def test_a_matrix_has_arms_and_a_comparison_and_no_results_of_its_own() -> None:
    arms = (
        report_of(passed("a"), suite=suite(target="gpt")),
        report_of(failed("a"), suite=suite(target="claude")),
    )
    data = written(matrix_of(*arms))
    assert [arm["suite"]["target"] for arm in data["arms"]] == ["gpt", "claude"]
    assert data["comparison"] == {
        "rows": [{"case_id": "a", "means": [1.0, 0.0], "statuses": ["passed", "failed"], "winner": "gpt"}],
        "arms": [{"target": "gpt", "wins": 1}, {"target": "claude", "wins": 0}],
        "ties": 0,
    }
    assert "results" not in data


def test_a_baseline_keeps_before_and_after() -> None:
    data = written(report_of(baseline=diff(regressed=(change("a"),), fixed=(change("b", None, "passed"),))))
    [regressed], [fixed] = data["baseline"]["regressed"], data["baseline"]["fixed"]
    assert regressed["before"] == {"status": "passed", "text": "within 30 days", "scores": {"contains": 1.0}}
    assert "before" not in fixed


def test_a_half_character_never_reaches_the_file() -> None:
    report = report_of(passed("a\ud800b", output=Output(text="\udc00 \ud83d\ude00"), scores=(good(reason="\udfff"),)))
    [result] = written(report)["results"]
    assert (result["case_id"], result["output"]["text"], result["scores"][0]["reason"]) == (
        "a\ufffdb",
        "\ufffd 😀",
        "\ufffd",
    )


def test_an_integer_of_any_size_is_kept() -> None:
    report = report_of(passed(scores=(good(metadata={"n": 12345678901234567890123}),)))
    assert read_report(write_report(report)) == report


def test_metadata_of_any_shape_is_written() -> None:
    odd = MappingProxyType({1: (1, 2), "set": {"x"}, "nan": float("nan"), "inner": MappingProxyType({"a": True})})
    [result] = written(report_of(passed(scores=(good(metadata=odd),))))["results"]
    assert result["scores"][0]["metadata"] == {"1": [1, 2], "set": "{'x'}", "nan": None, "inner": {"a": True}}


def test_metadata_that_is_no_json_is_written_as_text() -> None:
    [result] = written(report_of(passed(scores=(good(metadata={"path": Path("a/b")}),))))["results"]
    assert result["scores"][0]["metadata"] == {"path": "a/b"}


def test_nesting_without_end_is_cut() -> None:
    deep: list = []
    for _ in range(2000):
        deep = [deep]
    report = report_of(passed(scores=(good(metadata={"deep": deep}),)))
    assert "…" in write_report(report).decode()
    read_report(write_report(report))


def test_read_only_mappings_are_written_as_objects() -> None:
    assert write_json({"a": MappingProxyType({"b": 1})}) == b'{\n  "a": {\n    "b": 1\n  }\n}\n'


def test_what_a_report_does_not_keep_is_left_out_without_harm() -> None:
    """The input, the expected value and a trial's text stay behind; writing what was read changes nothing more."""
    asked = replace(passed("a"), case=case("a", input="secret question", expected="x", metadata={"k": 1}))
    report = report_of(asked, tried("coin", True, False))
    once = write_report(report)
    assert b"secret question" not in once
    assert write_report(read_report(once)) == once


def test_latency_and_tokens_are_written_only_when_the_rest_does_not_tell_them() -> None:
    def of(result: CaseResult) -> dict:
        return written(report_of(result))["results"][0]

    assert "latency_ms" not in of(passed(latency_ms=7))
    assert of(replace(passed(latency_ms=7), latency_ms=9))["latency_ms"] == 9
    assert of(replace(passed(), tokens=12))["tokens"] == 12


def test_an_exit_code_other_than_one_is_kept() -> None:
    report = report_of(verdict=Verdict(passed=False, exit_code=3, reasons=("evidence is incomplete",)))
    assert read_report(write_report(report)).verdict.exit_code == 3
