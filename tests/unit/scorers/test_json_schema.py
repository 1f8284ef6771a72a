"""`json-schema` past what its golden rows show: exact equality, references, hostile schemas and outputs."""

import contextlib
import json
import socket
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.scorers.schemas import SchemaError, load_schema
from evalci.scorers.strict_json import NotJson, parse_json
from tests.doubles import tools_in
from tests.factories import json_values
from tests.scoring import Refused, built, score_of, scored


def violations(schema: Any, text: str) -> list[str]:
    return load_schema(json.dumps(schema).encode()).violations(parse_json(text))


def fits(schema: Any, text: str) -> bool:
    return not violations(schema, text)


def refusal(schema: Any) -> str:
    with pytest.raises(SchemaError) as refused:
        load_schema(schema if isinstance(schema, bytes) else json.dumps(schema).encode())
    return str(refused.value)


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"enum": [1, 2]}, ["1", "1.0", "2e0"], ["true", "3"]),
        ({"const": False}, ["false"], ["0", "0.0", "null"]),
        ({"const": {"a": [1]}}, ['{"a":[1.0]}'], ['{"a":[true]}']),
        ({"type": "integer"}, ["3", "3.0", "-0", "123456789012345678901234567890"], ["true", "3.5", '"3"']),
        ({"const": 9007199254740993}, ["9007199254740993"], ["9007199254740992", "9007199254740993.0"]),
        ({"uniqueItems": True}, ["[1,true]", "[[1],[true]]", '[{"a":0},{"a":false}]'], ["[1,1.0]", "[{},{}]"]),
        ({"multipleOf": 0.01}, ["19.99", "0.07", "1e300"], ["0.075"]),
        ({"multipleOf": 3}, ["9", "9.0", "9007199254740993"], ["10", "0.3"]),
        ({"format": "email"}, ['"nope"'], []),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "prefixItems": [{"type": "string"}]}, ["[]"], ["[1]"]),
        ({"$schema": "https://schema.example/own", "type": "null"}, ["null"], ["1"]),
        ({"dependencies": {"a": ["b"]}}, ['{"a":1,"b":1}', "{}", "1"], ['{"a":1}']),
        ({"dependencies": {"c": {"maxProperties": 1}}}, ['{"c":1}', '{"d":1,"e":1}'], ['{"c":1,"d":1}']),
    ],
)  # fmt: skip
def test_values_are_equal_as_json_has_it(schema: Any, good: list[str], bad: list[str]) -> None:
    assert [text for text in good if not fits(schema, text)] == []
    assert [text for text in bad if fits(schema, text)] == []


@pytest.mark.parametrize(
    "keyword",
    [
        {"additionalProperties": False},
        {"dependencies": {"a": ["b"]}},
        {"dependentRequired": {"a": ["b"]}},
        {"items": False},
        {"multipleOf": 2},
        {"pattern": "^$"},
        {"patternProperties": {"": False}},
        {"prefixItems": [False]},
        {"properties": {"a": False}},
        {"required": ["b"]},
        {"unevaluatedProperties": False},
        {"uniqueItems": True},
    ],
)
def test_a_keyword_asserts_nothing_about_values_of_another_kind(keyword: Any) -> None:
    values = ["null", "true", '"x"', "1", "[1,1]", '{"a":1}']
    bad = [text for text in values if not fits(keyword, text)]
    assert len(bad) == 1


def test_one_of_tells_none_from_several() -> None:
    schema = {"oneOf": [{"type": "integer"}, {"minimum": 3}]}
    assert violations(schema, "5") == ["<root>: 5 fits more than one of the schemas in oneOf"]
    assert violations(schema, "2.5") == ["<root>: 2.5 fits none of the schemas in oneOf"]


def test_boolean_schemas_beside_each_other_evaluate_nothing() -> None:
    schema = {"allOf": [True], "unevaluatedProperties": False}
    assert violations(schema, '{"a":1}') == ['<root>: unevaluated properties are not allowed: "a"']


@given(json_values())
def test_a_value_fits_the_schema_that_asks_for_it_and_no_other_value_does(value: Any) -> None:
    assert fits({"const": value}, json.dumps(value))
    assert not fits({"const": value}, json.dumps([value]))
    assert fits(True, json.dumps(value))
    assert not fits(False, json.dumps(value))


@given(st.lists(st.text(max_size=3), max_size=4))
def test_a_pointer_leads_to_the_place(keys: list[str]) -> None:
    schema: Any = {"type": "string"}
    value: Any = 1
    for key in reversed(keys):
        schema, value = {"properties": {key: schema}}, {key: value}
    (found,) = violations(schema, json.dumps(value))
    pointer = "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in keys) or "<root>"
    assert found.endswith(': 1 is not of type "string"')
    if pointer.isprintable() and "\\" not in pointer and '"' not in pointer:
        assert found == f'{pointer}: 1 is not of type "string"'


def test_violations_are_sorted_before_they_are_cut_to_three(tmp_path: Path) -> None:
    schema = {"properties": {key: {"type": "null"} for key in "dbca"}}
    score = scored({"type": "json-schema", "schema": "s"}, '{"d":1,"c":1,"b":1,"a":1}', s=json.dumps(schema))
    assert [violation[:2] for violation in score.reason.split("; ")] == ["/a", "/b", "/c"]


# --- objects whose properties are judged in several places ------------------------------------------------------------

UNEVALUATED = {
    "unevaluatedProperties": False,
    "properties": {"own": {}},
    "patternProperties": {"^x-": {}},
    "allOf": [{"$ref": "#/$defs/named"}],
    "anyOf": [{"properties": {"kind": {"const": 1}, "one": {}}, "required": ["kind"]}, {"properties": {"two": {}}}],
    "if": {"required": ["own"], "properties": {"seen": {}}},
    "then": {"properties": {"then": {}}},
    "else": {"properties": {"else": {}}},
    "dependentSchemas": {"own": {"patternProperties": {"^(d+)+$": {}}}},
    "not": {"required": ["never"], "properties": {"hidden": {}}},
    "$defs": {"named": {"properties": {"named": {}}}},
}


@pytest.mark.parametrize(
    ("value", "extra"),
    [
        ({"own": 1, "x-a": 1, "named": 1}, []),
        ({"own": 1, "then": 1, "seen": 1, "ddd": 1}, []),
        ({"else": 1, "two": 1}, []),
        ({"own": 1, "else": 1}, ["else"]),
        ({"then": 1}, ["then"]),
        ({"ddd": 1}, ["ddd"]),
        ({"kind": 1, "one": 1}, []),
        ({"kind": 2, "one": 1}, ["kind", "one"]),
        ({"hidden": 1}, ["hidden"]),
        ({"y": 1, "z": 1}, ["y", "z"]),
    ],
)
def test_a_property_is_evaluated_wherever_a_schema_that_fits_speaks_of_it(value: Any, extra: list[str]) -> None:
    found = violations(UNEVALUATED, json.dumps(value))
    wanted = f"<root>: unevaluated properties are not allowed: {', '.join(map(json.dumps, extra))}"
    assert found == ([wanted] if extra else [])


def test_a_schema_below_unevaluated_properties_judges_only_what_is_left() -> None:
    schema = {"properties": {"a": {}}, "unevaluatedProperties": {"type": "string"}}
    assert fits(schema, '{"a": 1, "b": "x"}')
    assert not fits(schema, '{"a": 1, "b": 1}')
    assert fits({"allOf": [{"additionalProperties": True}], "unevaluatedProperties": False}, '{"b": 1}')


# --- references -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "schema",
    [
        {"$defs": {"a": {"type": "string"}}, "$ref": "#/$defs/a"},
        {"definitions": {"a/b": {"type": "string"}}, "$ref": "#/definitions/a~1b"},
        {"anywhere": {"deep": {"type": "string"}}, "$ref": "#/anywhere/deep"},
        {"$defs": {"a": {"$anchor": "here", "type": "string"}}, "$ref": "#here"},
        {"$defs": {"a": {"$dynamicAnchor": "here", "type": "string"}}, "$dynamicRef": "#here"},
        {"$id": "https://x.example/a", "$ref": "b", "$defs": {"b": {"$id": "b", "type": "string"}}},
    ],
)
def test_a_reference_inside_the_file_is_followed(schema: Any) -> None:
    assert fits(schema, '"x"')
    assert not fits(schema, "1")


@pytest.mark.parametrize("keyword", ["$ref", "$dynamicRef"])
@pytest.mark.parametrize(
    "target",
    ["{server}/schema.json", "other.json", "#/$defs/none", "#none", "file:///etc/passwd", "#/items/0/1", "urn:x"],
)
@pytest.mark.parametrize("place", ["properties", "$defs", "root", "dependencies", "behind another"])
def test_a_reference_that_leads_away_is_refused_before_anything_is_asked(keyword: str, target: str, place: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        reference = {keyword: target.format(server=f"http://127.0.0.1:{server.getsockname()[1]}")}
        schemas: dict[str, Any] = {
            "root": reference,
            "behind another": {"$ref": "#/x", "x": {"items": reference}},
        }
        said = refusal(schemas.get(place, {place: {"a": reference}}))
        assert f'{keyword} "{reference[keyword]}" leads to nothing in this file' == said
        with pytest.raises(BlockingIOError):
            server.accept()


def test_what_looks_like_a_reference_in_data_is_data() -> None:
    for keyword in ("const", "default"):
        load_schema(json.dumps({keyword: {"$ref": "https://x.example/"}}).encode())
    assert fits({"enum": [{"$ref": "other.json"}]}, '{"$ref": "other.json"}')
    assert fits({"properties": {"$ref": {"type": "string"}, "$schema": {"type": "string"}}}, '{"$ref": "x"}')
    assert not fits({"properties": {"$schema": {"type": "string"}}}, '{"$schema": 1}')


def test_the_drafts_own_schema_is_at_hand() -> None:
    schema = {"$ref": "https://json-schema.org/draft/2020-12/schema"}
    assert fits(schema, '{"type": "string"}')
    assert not fits(schema, '{"type": "text"}')


def test_what_a_reference_leads_to_has_to_be_a_schema() -> None:
    assert "/type" in refusal({"$ref": "#/x", "x": {"type": "text"}})
    assert "is not of type" in refusal({"$ref": "#/x", "x": [1]})


def test_references_in_a_circle_come_to_an_end() -> None:
    tree = {"type": "object", "properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}}
    assert fits(tree, '{"left": {"right": {}}, "right": {}}')
    assert violations(tree, '{"left": {"right": 1}}') == ['/left/right: 1 is not of type "object"']
    assert fits({"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}]}}}, "1")


# --- hostile schemas and outputs --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "schema",
    [
        {"pattern": "^(a+)+$"},
        {"anyOf": [{"pattern": "(a|a)*b"}, {"pattern": "(a*)*b"}]},
        {"pattern": r"^(\w+\s?)*\.$", "minLength": 1},
    ],
)
def test_a_pattern_with_nested_repetition_is_no_trap(schema: Any) -> None:
    began = time.perf_counter()
    assert not fits(schema, json.dumps("a" * 5000 + "!"))
    assert time.perf_counter() - began < 2


def test_property_patterns_are_no_trap_either() -> None:
    key = "a" * 5000 + "!"
    began = time.perf_counter()
    for extra in ("additionalProperties", "unevaluatedProperties"):
        assert not fits({"patternProperties": {"^(a+)+$": {}}, extra: False}, json.dumps({key: 1}))
    assert time.perf_counter() - began < 2


@pytest.mark.slow
def test_fifty_thousand_items_are_compared_in_no_time() -> None:
    items = [{"id": number} for number in range(50_000)]
    began = time.perf_counter()
    assert fits({"uniqueItems": True}, json.dumps(items))
    assert not fits({"uniqueItems": True}, json.dumps([*items, {"id": 7.0}]))
    assert time.perf_counter() - began < 3


@pytest.mark.slow
def test_a_look_ahead_that_takes_for_ever_breaks_the_score() -> None:
    schema = {"pattern": "^(?=(a|aa)+$)"}
    settings = {"type": "json-schema", "schema": "s"}
    assert scored(settings, '"aaa"', s=json.dumps(schema)).passed
    score = scored(settings, json.dumps("a" * 60 + "!"), s=json.dumps(schema))
    assert score.error == "a pattern of the schema took more than 2s"


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[" * 128 + "]" * 128, "9" * 10_000])
def test_an_output_past_what_can_be_read_is_a_failing_score(text: str) -> None:
    score = scored({"type": "json-schema", "schema": "s"}, text, s="{}")
    assert (score.value, score.passed, score.error) == (0.0, False, None)
    assert score.reason.startswith("output is not valid JSON: it ")
    assert len(score.reason) < 600


def test_a_schema_that_multiplies_the_depth_fails_the_output_rather_than_the_run() -> None:
    schema: Any = {"items": {"$ref": "#"}}
    for _ in range(8):
        schema = {"allOf": [{"anyOf": [schema]}]}
    schema = {**schema, "items": {"$ref": "#"}}
    score = scored({"type": "json-schema", "schema": "s"}, "[" * 127 + "]" * 127, s=json.dumps(schema))
    assert score.error is None


def test_reasons_stay_short_and_printable_whatever_the_output() -> None:
    schema = {"type": "null", "enum": [None], "additionalProperties": False, "required": ["x\n" * 500]}
    text = json.dumps({"k\u202e\n" * 400: "v" * 10_000, "\ud800": ["\x00"] * 5000})
    score = scored({"type": "json-schema", "schema": "s"}, text, s=json.dumps(schema))
    assert score.reason.isprintable()
    assert len(score.reason) < 1300
    score.reason.encode()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"this is not json", "it is not JSON: it goes wrong at line 1, column 1"),
        (b"\xff{}", "it is not UTF-8"),
        (b"", "it is not JSON: it is empty"),
        (b'{"minimum": NaN}', "it is not JSON: NaN is no JSON number"),
        (b'{"items":[{}]}', '/items: [{}] is not of type "object" or "boolean"'),
        (b'{"type":"text"}', '/type: "text" fits none of the schemas in anyOf'),
        (b"[]", '<root>: [] is not of type "object" or "boolean"'),
        (b'{"pattern":"("}', "invalid pattern (: a group is not closed"),
        (b'{"patternProperties":{"*":{}}}', "invalid pattern *: a repetition has nothing to repeat"),
        (b'{"items":' * 5000 + b"{}" + b"}" * 5000, "it is not JSON: it is nested more than 127 levels deep"),
    ],
)
def test_a_file_that_is_no_schema_is_refused_with_what_is_wrong(data: bytes, says: str) -> None:
    assert refusal(data) == says


def test_a_schema_that_exhausts_the_stack_is_refused_too() -> None:
    contents = b'{"allOf":[' * 63 + b"{}" + b"]}" * 63
    refused = contextlib.suppress(SchemaError)  # how deep Python goes depends on where it starts
    with refused:
        load_schema(contents)


def test_a_schema_saved_with_a_byte_order_mark_is_read() -> None:
    load_schema(b"\xef\xbb\xbf{}")


def test_a_schema_is_read_from_the_configs_folder_and_never_from_outside_the_project(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "secret.json").write_text("{}")
    (tmp_path / "project" / "link.json").symlink_to(tmp_path / "secret.json")
    for path in ("../secret.json", "link.json", str(tmp_path / "secret.json")):
        with pytest.raises(Refused, match="outside the project"):
            built({"type": "json-schema", "schema": path}, tools_in(tmp_path / "project"))
    tools = tools_in(tmp_path / "project", allow_outside=True)
    assert score_of(built({"type": "json-schema", "schema": "link.json"}, tools), "1").passed


# --- strict JSON ------------------------------------------------------------------------------------------------------


@given(json_values())
def test_json_is_read_as_it_was_written(value: Any) -> None:
    assert parse_json(json.dumps(value)) == value


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is empty"),
        (" \n", "it is empty"),
        ("nul", "it goes wrong at line 1, column 1"),
        ('{"a": 1,}', "it goes wrong at line 1, column 9"),
        ("[1, 2,\n ]", "it goes wrong at line 2, column 2"),
        ("[1, 2,", "it ends too early"),
        ('{"a": ', "it ends too early"),
        ("1 2", "it goes wrong at line 1, column 3"),
        ("\ufeff1", "it goes wrong at line 1, column 1"),
        ("[-Infinity]", "-Infinity is no JSON number"),
        ("[1e999]", "1e999 is too large a number"),
        ("1" * 5000, "it holds an integer too long to read"),
    ],
)
def test_what_is_not_json_is_told_in_words_that_no_version_of_python_changes(text: str, why: str) -> None:
    with pytest.raises(NotJson) as error:
        parse_json(text)
    assert str(error.value) == why


def test_a_key_that_has_to_be_unique_may_stand_only_once() -> None:
    assert parse_json('{"a": 1, "a": 2}', unique=("b",)) == {"a": 2}
    with pytest.raises(NotJson):
        parse_json('{"a": 1, "a": 2}', unique=("a",))
