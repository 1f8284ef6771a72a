"""Rules over an agent's path: what keeps and what breaks each, how inputs are matched, and how rules are written."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.config.decode import Decoder, fields_of
from evalci.config.json_schema import suite_schema
from evalci.config.suite import read_suite
from evalci.config.yaml_nodes import read_yaml
from evalci.model import Output, Step, Trajectory
from evalci.pipeline import KINDS
from evalci.scorers.trajectories.matching import same_json
from evalci.scorers.trajectory import TrajectoryRules
from tests.factories import json_values
from tests.vector_areas.trajectory import score_of, settings

PATHS = st.lists(st.sampled_from("abc"), max_size=6)


def broken(rules: list[dict[str, Any]], *steps: Step | str) -> list[str]:
    """What is wrong with calls; a bare name is a call without input."""
    scorer, problems = settings(rules)
    assert scorer is not None, problems
    path = tuple(step if isinstance(step, Step) else Step(tool=step) for step in steps)
    score = score_of(scorer, Output(text="", trajectory=Trajectory(steps=path)))
    assert (score.value, score.passed) == ((0.0, False) if score.reason else (1.0, True))
    return score.reason.split("; ") if score.reason else []


def fits(matcher: dict[str, Any], value: Any) -> bool:
    return not broken([{"must_call": "t", "with": {"f": matcher}}], Step(tool="t", input={"f": value}))


# --- must_call, must_not_call, max_steps ----------------------------------------------------------------------------


@given(PATHS)
def test_must_call_holds_when_the_tool_is_called(path: list[str]) -> None:
    assert (broken([{"must_call": "a"}], *path) == []) == ("a" in path)


@given(PATHS)
def test_after_wants_a_call_behind_the_first_of_the_other(path: list[str]) -> None:
    behind = path[path.index("b") + 1 :] if "b" in path else []
    assert (broken([{"must_call": "a", "after": "b"}], *path) == []) == ("a" in behind)


@given(PATHS)
def test_before_wants_no_call_ahead_of_the_first_of_the_other(path: list[str]) -> None:
    ahead = path[: path.index("b")] if "b" in path else path
    want = [f'must_not_call "a" before "b": called at step {ahead.index("a") + 1}'] if "a" in ahead else []
    assert broken([{"must_not_call": "a", "before": "b"}], *path) == want


@given(PATHS, st.integers(0, 6))
def test_max_steps_counts_every_call(path: list[str], most: int) -> None:
    assert (broken([{"max_steps": most}], *path) == []) == (len(path) <= most)


@given(PATHS)
def test_a_tool_may_always_come_before_itself_and_never_alone_after_itself(path: list[str]) -> None:
    assert broken([{"must_not_call": "a", "before": "a"}], *path) == []
    assert (broken([{"must_call": "a", "after": "a"}], *path) == []) == (path.count("a") > 1)


def test_a_fitting_call_ahead_of_the_other_tool_does_not_count() -> None:
    rule = {"must_call": "t", "after": "u", "with": {"f": {"equals": 1}}}
    early, late = Step(tool="t", input={"f": 1}), Step(tool="t", input={"f": 2})
    assert broken([rule], early, "u", late) == [
        'must_call "t" after "u": called, but no call matched `with` constraints'
    ]
    assert broken([rule], late, "u", early) == []


def test_one_call_too_many_is_told_in_the_plural_of_what_was_seen() -> None:
    assert broken([{"max_steps": 0}], "a") == ["max_steps 0: trajectory has 1 tool call"]
    assert broken([{"max_steps": 1}], "a", "b") == ["max_steps 1: trajectory has 2 tool calls"]


# --- matching -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "given_", "same"),
    [
        (42, 42, True),
        (42, 42.0, False),
        (42.0, 42.0, True),
        (0.0, -0.0, True),
        (1, True, False),
        (0, False, False),
        (True, True, True),
        (None, None, True),
        (None, 0, False),
        ("42", 42, False),
        ("a", "A", False),
        (2**70, 2**70, True),
        ([1, 2], [2, 1], False),
        ([1], [1.0], False),
        ([1], [1, 2], False),
        ({"a": 1, "b": [True]}, {"b": [True], "a": 1}, True),
        ({"a": 1}, {"a": 1.0}, False),
        ({"a": 1}, {"a": 1, "b": None}, False),
        ({}, [], False),
    ],
)
def test_equals_is_strict_json_equality(wanted: Any, given_: Any, same: bool) -> None:
    assert fits({"equals": wanted}, given_) == same


@given(json_values(), json_values())
def test_equality_agrees_with_the_texts_that_json_writes(a: Any, b: Any) -> None:
    assert same_json(a, a)
    if json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True):
        assert same_json(a, b)
    assert same_json(a, b) == same_json(b, a)


@pytest.mark.parametrize(
    ("text", "given_", "found"),
    [
        ("fund", "refund", True),
        ("Fund", "refund", False),
        ("", "", True),
        ("", None, True),
        ("null", None, True),
        ("4", 42, True),
        ("2.0", 42.0, True),
        ('"a","b"', ["a", "b"], True),
        ('{"a":1,"b":2}', {"b": 2, "a": 1}, True),
        ('"', "plain", False),
        ("é", ["é"], True),
    ],
)
def test_contains_looks_into_text_and_into_compact_json(text: str, given_: Any, found: bool) -> None:
    assert fits({"contains": text}, given_) == found


def test_both_constraints_must_hold() -> None:
    assert fits({"contains": "re", "equals": "refund"}, "refund")
    assert not fits({"contains": "re", "equals": "refund"}, "return")
    assert not fits({"contains": "x", "equals": "refund"}, "refund")


@pytest.mark.parametrize("matcher", [{}, {"contains": ""}, {"equals": None}], ids=json.dumps)
@pytest.mark.parametrize("given_", [{}, {"g": 1}, None, "f", ["f"], 5], ids=json.dumps)
def test_a_field_that_is_not_there_fits_nothing(matcher: dict[str, Any], given_: Any) -> None:
    rules = [{"must_call": "t", "with": {"f": matcher}}]
    assert broken(rules, Step(tool="t", input=given_)) == [
        'must_call "t": called, but no call matched `with` constraints'
    ]


def test_one_call_must_fit_all_fields() -> None:
    rules = [{"must_call": "t", "with": {"a": {"equals": 1}, "b": {"equals": 2}}}]
    one, two = Step(tool="t", input={"a": 1, "b": 0}), Step(tool="t", input={"a": 0, "b": 2})
    assert broken(rules, one, two)
    assert not broken(rules, one, two, Step(tool="t", input={"a": 1, "b": 2, "c": 3}))


@pytest.mark.parametrize("given_", [None, 5, {}], ids=json.dumps)
@pytest.mark.parametrize("fields", [{}, None], ids=json.dumps)
def test_no_fields_ask_nothing(fields: Any, given_: Any) -> None:
    assert not broken([{"must_call": "t", "with": fields}], Step(tool="t", input=given_))


# --- where the path comes from --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "",
        "just text",
        "[]",
        "{}",
        '{"steps": 5}',
        '{"steps": [{}]}',
        '{"resourceSpans": []}',
        '{"steps": [NaN]}',
        "[" * 9999,
    ],
    ids=range(9),
)
def test_an_output_that_is_no_trajectory_breaks_the_score(text: str) -> None:
    scorer, _ = settings([{"max_steps": 5}])
    assert scorer is not None
    score = score_of(scorer, Output(text=text))
    assert (score.value, score.passed, score.error) == (None, False, "output is not canonical trajectory JSON")


def test_the_attached_path_wins_over_the_text() -> None:
    scorer, _ = settings([{"must_call": "t"}])
    assert scorer is not None
    text = '{"steps": [{"tool": "t"}]}'
    assert score_of(scorer, Output(text=text)).passed
    assert not score_of(scorer, Output(text=text, trajectory=Trajectory())).passed


# --- how rules are written ------------------------------------------------------------------------------------------


def problems_in(yaml: str) -> list[str]:
    root, problems = read_yaml(f"rules:\n{yaml}\n".encode(), name="evals.yaml")
    assert root is not None
    assert not problems
    decoder = Decoder("evals.yaml")
    assert decoder.block(root, TrajectoryRules, "scorers[0]", "trajectory scorer: ") is None
    return [line for problem in decoder.problems for line in problem.lines()]


def test_an_empty_list_of_rules_is_refused_where_it_stands() -> None:
    assert problems_in("  []")[0] == "evals.yaml:2:3: trajectory scorer has no rules"


MISTAKES = {
    "- max_step: 5": [
        "2:5: scorers[0].rules[0] names no rule",
        "known rules: max_steps, must_call, must_not_call",
        'did you mean "max_steps"?',
    ],
    "- {}": ["2:5: scorers[0].rules[0] names no rule"],
    "- after: u": ["names no rule"],
    "- search_kb": ["scorers[0].rules[0] must be a mapping of keys to values"],
    "- [a]": ["scorers[0].rules[0] must be a mapping of keys to values"],
    "- {must_call: t, max_steps: 5}": ["2:20: scorers[0].rules[0] holds must_call and max_steps", "an item of its own"],
    "- {must_not_call: t, must_call: u}": ["rules[0] holds must_not_call and must_call"],
    "- {must_call: t, before: u}": [
        'unknown key "before" in scorers[0].rules[0]',
        "known keys: after, must_call, with",
    ],
    "- {must_not_call: t, after: u}": ['unknown key "after"', "known keys: before, must_not_call"],
    "- {max_steps: 5, with: {}}": ['unknown key "with"', "known keys: max_steps"],
    "- {must_call: t, wiht: {}}": ['unknown key "wiht"', 'did you mean "with"?'],
    "- {must_call: t, with: {f: {equal: 1}}}": [
        'unknown key "equal" in scorers[0].rules[0].with.f',
        'did you mean "equals"?',
    ],
    "- {must_call: t, with: {f: 1}}": ["scorers[0].rules[0].with.f must be a mapping of keys to values"],
    "- {must_call: t, with: [f]}": ["scorers[0].rules[0].with must be a mapping of keys to values, got a list"],
    "- {must_call: t, with: {f: {contains: 4}}}": ["with.f.contains must be text, got the number 4", '"4"'],
    "- {must_call: 5}": ["scorers[0].rules[0].must_call must be text"],
    "- {must_call: null}": ["scorers[0].rules[0].must_call must be text"],
    "- {max_steps: -1}": ["trajectory scorer: max_steps must be at least 0"],
    "- {max_steps: 2.0}": ["scorers[0].rules[0].max_steps must be a whole number, got the number 2.0"],
    "- {max_steps: true}": ["must be a whole number, got the boolean true"],
    '- {max_steps: "2"}': ["must be a whole number"],
}


@pytest.mark.parametrize(("rule", "told"), MISTAKES.items(), ids=MISTAKES)
def test_a_mistake_in_a_rule_is_told_where_it_stands(rule: str, told: list[str]) -> None:
    text = "\n".join(problems_in(f"  {rule}"))
    assert text.startswith("evals.yaml:2:")
    assert all(part in text for part in told), text


def test_every_mistake_is_told_at_once() -> None:
    places = [line for line in problems_in("  - must: t\n  - max_steps: 5\n  - max_steps: x") if "evals.yaml" in line]
    assert [line.split(":")[1] for line in places] == ["2", "4"]


# --- the schema and the page ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "fits_schema"),
    [
        ({"must_call": "t", "after": "u", "with": {"f": {"contains": "x", "equals": None}}}, True),
        ({"must_not_call": "t", "before": "u"}, True),
        ({"max_steps": 0}, True),
        ({"max_steps": -1}, False),
        ({"must_call": "t", "before": "u"}, False),
        ({"must_call": "t", "max_steps": 5}, False),
        ({"must_call": "t", "with": {"f": {"equal": 1}}}, False),
        ({}, False),
        ("t", False),
    ],
    ids=str,
)
def test_the_schema_for_editors_knows_the_rules(rule: Any, fits_schema: bool) -> None:
    suite = {
        "targets": {"agent": {"type": "trace"}},
        "datasets": [{"file": "cases.jsonl"}],
        "scorers": [{"type": "trajectory", "rules": [rule]}],
    }
    kinds = {"targets": {"trace": KINDS.targets["trace"]}, "scorers": {"trajectory": KINDS.scorers["trajectory"]}}
    schema = suite_schema(type(KINDS)(**kinds, gates={}))
    assert jsonschema.Draft202012Validator(schema).is_valid(suite) == fits_schema
    assert (settings([rule])[0] is not None) == fits_schema


def test_the_page_lists_the_settings_and_its_example_is_a_suite(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "scorers.md").read_text("utf-8")
    section = dict(re.findall(r"^## ([\w-]+)$\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))["trajectory"]
    listed = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert listed == [field.key for field in fields_of(TrajectoryRules)]
    example = re.findall(r"```yaml\n(.*?)```", section, re.DOTALL)[0]
    suite = read_suite(example.encode(), file="evals.yaml", folder=tmp_path, kinds=KINDS)
    assert [block.type for block in suite.scorers] == ["trajectory"]
