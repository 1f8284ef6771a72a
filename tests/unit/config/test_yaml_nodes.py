"""YAML text becomes nodes with positions, typed by YAML 1.2, or problems a reader can act on."""

import json
import math
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from evalci.config.yaml_nodes import Mapping, Node, Scalar, Sequence, YamlProblem, plain, read_yaml

LOADERS = [yaml.BaseLoader, *([yaml.CBaseLoader] if yaml.__with_libyaml__ else [])]


def read(text: str | bytes) -> Any:
    node, problems = read_yaml(text if isinstance(text, bytes) else text.encode(), name="evals.yaml")
    assert problems == ()
    assert node is not None
    return plain(node)


def value_of(text: str) -> Any:
    return read(f"key: {text}\n")["key"]


def problems_of(text: str | bytes) -> tuple[YamlProblem, ...]:
    node, problems = read_yaml(text if isinstance(text, bytes) else text.encode(), name="evals.yaml")
    assert node is None
    return problems


def only_problem_of(text: str | bytes) -> YamlProblem:
    (problem,) = problems_of(text)
    return problem


# What plain text stands for


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((text, None) for text in ("", "~", "null", "Null", "NULL")),
        *((text, True) for text in ("true", "True", "TRUE")),
        *((text, False) for text in ("false", "False", "FALSE")),
        ("0", 0), ("30", 30), ("-7", -7), ("+7", 7), ("012", 12), ("0o14", 12), ("0x1F", 31),
        ("0.5", 0.5), (".5", 0.5), ("5.", 5.0), ("-0.5", -0.5), ("5e-1", 0.5), ("1e3", 1000.0), ("16E-1", 1.6),
        (".inf", math.inf), ("+.Inf", math.inf), ("-.INF", -math.inf), ("1e-999", 0.0),
    ],
)  # fmt: skip
def test_plain_text_is_typed_by_the_core_schema(text: str, value: Any) -> None:
    found = value_of(text)
    assert found == value
    assert type(found) is type(value)


def test_nan_is_a_number() -> None:
    assert all(math.isnan(value_of(text)) for text in (".nan", ".NaN", ".NAN"))


@pytest.mark.parametrize(
    "text",
    [
        "yes", "no", "on", "off", "y", "n", "No", "tRUE", "nULL", "none",
        "1_000", "1:30", "190:20:30", "0b1", "0o8", "0xg", "-0x1", "1e", "e3", "1e3.5", ".", "+", "..5", "1.2.3", "١٢",
        "2024-01-01", "2024-01-01T00:00:00Z", "inf", "nan", "-.nan", ".iNf", "=", "$5", "5 %", "a#b", "-1a",
    ],
)  # fmt: skip
def test_what_other_readers_would_retype_stays_text(text: str) -> None:
    assert value_of(text) == text


@pytest.mark.parametrize("written", ["'30'", '"30"', "|-\n  30", ">-\n  30", "!!str 30", "! 30"])
def test_a_number_in_quotes_or_in_a_block_is_text(written: str) -> None:
    assert value_of(written) == "30"


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("!!int '30'", 30),
        ("!!float 3", 3.0),
        ("!!bool 'true'", True),
        ("!!null ''", None),
        ("!!seq [1]", [1]),
        ("!!map {}", {}),
    ],
)
def test_the_tags_of_the_core_schema_are_honoured(written: str, value: Any) -> None:
    found = value_of(written)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("written", ["!!int x", "!!int true", "!!int 1.5", "!!float true", "!!bool yes", "!!null 0"])
def test_a_tag_that_the_value_belies_is_a_problem(written: str) -> None:
    problem = only_problem_of(f"key: {written}")
    assert "is no value for the tag !!" in problem.message
    assert (problem.line, problem.column) == (1, 6)


@pytest.mark.parametrize("number", ["9" * 251, "-" + "9" * 5000, "0x" + "f" * 1000, "1e999", "!!int " + "9" * 5000])
def test_a_number_that_is_too_large_is_a_problem_not_a_crash(number: str) -> None:
    problem = only_problem_of(f"key: {number}")
    assert "is too large" in problem.message
    assert "quotes" in problem.hint


def test_the_bare_no_and_exponents_of_a_suite_keep_their_meaning() -> None:
    assert read("scorers:\n- type: contains\n  value: no\nrun:\n  gates: [{type: pass_rate, min: 5e-1}]\n") == {
        "scorers": [{"type": "contains", "value": "no"}],
        "run": {"gates": [{"type": "pass_rate", "min": 0.5}]},
    }


# Keys


def test_keys_are_text_whatever_they_look_like() -> None:
    assert read("no: 1\n1: 2\n~: 3\nnull: 4\ntrue: 5\n1e999: 6\n'': 7\n!!str x: 8") == {
        "no": 1, "1": 2, "~": 3, "null": 4, "true": 5, "1e999": 6, "": 7, "x": 8,
    }  # fmt: skip


def test_every_duplicate_key_is_named_and_the_first_value_stands() -> None:
    text = 'a: 1\nb: {c: 1, c: 2}\n"a": 3\nd:\n  - e: 1\n    e: 2\na: {f: 1, f: 2}\n'
    node, problems = read_yaml(text.encode(), name="evals.yaml")
    assert node is not None
    assert plain(node) == {"a": 1, "b": {"c": 1}, "d": [{"e": 1}]}
    assert [(p.line, p.column, p.message) for p in problems] == [
        (2, 11, 'duplicate key "c"; the first is at 2:5'),
        (3, 1, 'duplicate key "a"; the first is at 1:1'),
        (6, 5, 'duplicate key "e"; the first is at 5:5'),
        (7, 1, 'duplicate key "a"; the first is at 1:1'),
        (7, 11, 'duplicate key "f"; the first is at 7:5'),
    ]


def test_an_alias_as_a_key_can_be_a_duplicate() -> None:
    _, problems = read_yaml(b"&k key: 1\n*k : 2\n", name="evals.yaml")
    assert [(p.line, p.message) for p in problems] == [(2, 'duplicate key "key"; the first is at 1:1')]


@pytest.mark.parametrize(
    ("text", "found"), [("? [a]\n: 1", "a list"), ("x: {{input}}", "a mapping"), ("a: &a {}\n*a : 1", "a mapping")]
)
def test_a_key_that_is_no_text_is_a_problem(text: str, found: str) -> None:
    problem = only_problem_of(text)
    assert problem.message == f"a key must be text, got {found}"
    assert "quotes" in problem.hint


def test_a_merge_key_is_refused_unless_it_is_quoted() -> None:
    problem = only_problem_of("base: &base {a: 1}\nmore:\n  <<: *base\n")
    assert (problem.line, problem.column) == (3, 3)
    assert "merge key" in problem.message
    assert "write out the keys" in problem.hint
    assert read("'<<': 1") == {"<<": 1}


# Positions


@pytest.mark.parametrize("loader", LOADERS)
def test_every_key_and_value_knows_its_line_and_column(loader: Any) -> None:
    node, _ = read_yaml(
        "é: [x, '💥', y]\n\nb:\n  - c:   30\n    d: |\n      text\n".encode(), name="evals.yaml", loader=loader
    )
    assert isinstance(node, Mapping)
    first, second = node.entries
    assert (first.key, first.key_line, first.key_column) == ("é", 1, 1)
    assert isinstance(first.value, Sequence)
    assert [(item.line, item.column) for item in first.value.items] == [(1, 5), (1, 8), (1, 13)]
    assert (second.key_line, second.value.line, second.value.column) == (3, 4, 3)
    assert isinstance(second.value, Sequence)
    inner = second.value.items[0]
    assert isinstance(inner, Mapping)
    assert inner.get("c") == Scalar(value=30, text="30", quoted=False, line=4, column=10)
    assert inner.get("d") == Scalar(value="text\n", text="text\n", quoted=True, line=5, column=8)
    assert inner.get("e") is None


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_all_line_ends_and_a_byte_order_mark_are_read(end: str) -> None:
    text = f"a: 1{end}b: no{end}c: 'x'{end}"
    node, problems = read_yaml(b"\xef\xbb\xbf" + text.encode(), name="evals.yaml")
    assert problems == ()
    assert isinstance(node, Mapping)
    assert plain(node) == {"a": 1, "b": "no", "c": "x"}
    assert [(e.key_line, e.key_column) for e in node.entries] == [(1, 1), (2, 1), (3, 1)]


@pytest.mark.parametrize("char", ["\u2028", "\u2029", "\x85", "\ufeff"])
def test_characters_that_are_no_line_ends_in_yaml_1_2_are_kept_and_move_no_position(char: str) -> None:
    text = f"a: x{char}y\nb: \"x {char} y\"\nc: '\ue000{char}'\nd{char}: |\n  x{char}y\ne: f: g\n"
    problem = only_problem_of(text)
    assert (problem.line, problem.column) == (6, 4)
    assert read(text.rpartition("e:")[0]) == {
        "a": f"x{char}y", "b": f"x {char} y", "c": f"\ue000{char}", f"d{char}": f"x{char}y\n",
    }  # fmt: skip


def test_a_message_shows_the_character_of_the_file_not_its_stand_in() -> None:
    assert "\\u{2028}" in only_problem_of("key: x\u2028y: z: a").message


# Text that YAML may not hold


@pytest.mark.parametrize(
    ("data", "place", "message"),
    [
        (b"a: 1\nb: caf\xe9\n", (2, 7), "byte 0xE9 is not UTF-8"),
        ("é: ".encode() + b"\xff", (1, 4), "byte 0xFF is not UTF-8"),
        (b"a: \xed\xa0\x80", (1, 4), "byte 0xED is not UTF-8"),
        (b"a: 1\r\nb: \x00", (2, 4), "a NUL character, which YAML forbids"),
        (b"a: \x1b[31m", (1, 4), "the character U+001B, which YAML forbids"),
        (b"a: \x7f", (1, 4), "the character U+007F, which YAML forbids"),
        ("a: '\uffff'".encode(), (1, 5), "the character U+FFFF, which YAML forbids"),
        (b"a: 1\n\xef\xbb\xbfb: 2", (2, 1), "a byte order mark (U+FEFF) starts this line"),
        ("a: 1".encode("utf-16"), (1, 1), "evals.yaml is UTF-16, not UTF-8"),
    ],
)
def test_what_is_no_text_is_named_with_its_place(data: bytes, place: tuple[int, int], message: str) -> None:
    problem = only_problem_of(data)
    assert (problem.line, problem.column, problem.message) == (*place, message)
    assert problem.hint


def test_all_forbidden_characters_are_shown_at_once() -> None:
    problems = problems_of(b"a: \xff\xfe\nb: \x07\r\nc: x\x00\r\n")
    assert [(p.line, p.column) for p in problems] == [(1, 4), (2, 4), (3, 5)]


def test_a_file_of_nothing_but_faults_is_answered_shortly() -> None:
    problems = problems_of(b"\xff\n" * 300_000)
    assert len(problems) == 101
    assert problems[-1].message == "more problems follow from here on"


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", b"# a comment\n", b"---\n", b"\n\n  \n"])
def test_an_empty_file_is_a_problem(data: bytes) -> None:
    assert only_problem_of(data).message == "evals.yaml is empty"


def test_a_file_that_is_too_large_is_not_read() -> None:
    problem = only_problem_of(b"#" * (4 * 1024 * 1024 + 1))
    assert problem.message == "evals.yaml has 4194305 bytes; at most 4194304 are read"


def test_the_text_null_is_a_document() -> None:
    node, problems = read_yaml(b"null", name="evals.yaml")
    assert problems == ()
    assert node == Scalar(value=None, text="null", quoted=False, line=1, column=1)


# Documents, tags, aliases, limits


@pytest.mark.parametrize("text", ["a: 1\n---\nb: 2\n", "---\na: 1\n---\n", "a: 1\n...\n---\nb: 2\n"])
def test_a_second_document_is_a_problem(text: str) -> None:
    problem = only_problem_of(text)
    assert problem.line == 1 + text[: text.rindex("---")].count("\n")
    assert problem.message == "a second document starts here; evals.yaml holds one"


def test_the_marks_around_one_document_are_accepted() -> None:
    assert read("%YAML 1.2\n---\na: 1\n...\n") == {"a": 1}


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("!!python/object/apply:os.system ['true']", "!!python/object/apply:os.system"),
        ("!!python/name:os.system", "!!python/name:os.system"),
        ("!custom x", "!custom"),
        ("!<other> x", "!<other>"),
        ("!!timestamp 2024-01-01", "!!timestamp"),
        ("!!str [a]", "!!str"),
        ("!!map [a]", "!!map"),
        ("!!seq x", "!!seq"),
        ("!important", "!important"),
    ],
)
def test_a_tag_that_is_not_of_the_core_schema_is_refused_by_name(written: str, name: str) -> None:
    problem = only_problem_of(f"key: {written}\n")
    assert (problem.line, problem.column) == (1, 6)
    assert problem.message == f'the tag "{name}" is not allowed'
    assert "!!" in problem.hint


def test_aliases_repeat_what_their_anchor_holds_and_share_nothing() -> None:
    data = read("a: &a [1, {b: no}]\nc: *a\nd: &a 2\ne: *a\n")
    assert data == {"a": [1, {"b": "no"}], "c": [1, {"b": "no"}], "d": 2, "e": 2}
    data["a"].append(3)
    assert data["c"] == [1, {"b": "no"}]


def test_an_inner_anchor_of_the_same_name_is_the_one_meant() -> None:
    assert read("&a [&a x, *a]") == ["x", "x"]
    assert read("- &a [&a x]\n- *a\n") == [["x"], "x"]


def test_an_anchor_on_a_key_keeps_the_type_of_the_value() -> None:
    assert read("&a 30: *a") == {"30": 30}


def test_an_alias_without_an_anchor_is_a_problem_that_says_how_to_quote_it() -> None:
    first, second = problems_of("a: *one\nb: [*two]\n")
    assert first.message == 'the alias "*one" has no anchor "&one" above it'
    assert first.hint == "if it is text, put it in quotes: '*one'"
    assert (second.line, second.column) == (2, 5)


def test_an_alias_inside_its_own_anchor_is_a_problem() -> None:
    problem = only_problem_of("a: &a\n  b: [*a]\n")
    assert (problem.line, problem.column) == (2, 7)
    assert problem.message == 'the alias "*a" stands inside its own anchor'


def test_an_alias_bomb_is_a_problem() -> None:
    levels = "".join(
        f"{name}: &{name} [{', '.join([f'*{below}'] * 10)}]\n"
        for below, name in zip("abcdefgh", "bcdefghi", strict=True)
    )
    problem = only_problem_of("a: &a [x, x, x, x, x, x, x, x, x, x]\n" + levels)
    assert "aliases repeat more than 10000 values" in problem.message
    assert problem.line == 4


def test_long_text_counts_for_more_in_an_alias_bomb() -> None:
    problem = only_problem_of(f"a: &a '{'x' * 100_000}'\nb: [{'*a, ' * 200}]\n")
    assert "aliases repeat more than" in problem.message


def test_many_aliases_to_little_are_fine() -> None:
    assert len(read(f"a: &a x\nb: [{'*a, ' * 9000}]")["b"]) == 9000


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? ", "[{a: "])
@pytest.mark.parametrize("loader", LOADERS)
def test_deep_nesting_is_a_problem_not_a_crash(opening: str, loader: Any) -> None:
    _, problems = read_yaml(opening.encode() * 20_000, name="evals.yaml", loader=loader)
    assert problems[-1].message == "values are nested more than 64 deep"


def test_sixty_four_levels_are_read_and_sixty_five_are_not() -> None:
    assert read("[" * 64 + "]" * 64)
    assert only_problem_of("[" * 65 + "]" * 65).column == 65


def test_depth_counts_through_aliases() -> None:
    inner = "a: &a " + "[" * 60 + "]" * 60 + "\n"
    assert read(inner + "b: [[[*a]]]")
    assert only_problem_of(inner + "b: [[[[*a]]]]").message == "values are nested more than 64 deep"


def test_too_many_values_are_a_problem() -> None:
    problem = only_problem_of("[" + "1," * 100_001 + "]")
    assert problem.message == "evals.yaml holds more than 100000 values"


# Syntax errors


@pytest.mark.parametrize(
    ("text", "place", "message", "hint"),
    [
        ("a: 1\n\tb: 2\n", (2, 1), "a tab where YAML wants spaces", "spaces"),
        ("a:\n\t- b\n", (2, 1), "a tab where YAML wants spaces", "spaces"),
        ("a: |\n\tb\n", (2, 1), "a tab where", "with spaces"),
        ("a: 'x\nb: 2\n", (1, 4), "the single quote that opens here is never closed", "close it with '"),
        ('a: "x\nb: 2\n', (1, 4), "the double quote that opens here is never closed", 'close it with "'),
        ("a: 'x\n---\n", (1, 4), "the single quote that opens here is never closed", "close"),
        ('a: "x\nb: "y"\n', (2, 5), "follows a value that has already ended", "quotes above are closed"),
        ("a: 'it's'\n", (1, 8), '"s\'" follows a value', "write '' for '"),
        ("a: [b]c\n", (1, 7), '"c" follows a value', "quotes"),
        ("- 'a' b\n", (1, 7), '"b" follows a value', "quotes"),
        ("a: note: this  # x\n", (1, 4), 'has a second ": "', "quotes: 'note: this'"),
        ("- a: it's: b\n", (1, 6), 'has a second ": "', "quotes: 'it''s: b'"),
        ("a: @x\n", (1, 4), 'a value may not start with "@"', "quotes: '@x'"),
        ("a: `x`\n", (1, 4), 'a value may not start with "`"', "quotes: '`x`'"),
        ("a: %x\n", (1, 4), 'a value may not start with "%"', "quotes: '%x'"),
        ("a: ,x\n", (1, 4), 'a value may not start with ","', "quotes: ',x'"),
        ("a: }\n", (1, 4), 'a value may not start with "}"', "quotes: '}'"),
        ("a: **bold**\n", (1, 4), '"*" starts an alias, and "**bold**" is none', "quotes: '**bold**'"),
        ("a: & b\n", (1, 4), '"&" starts an anchor, and "& b" is none', "quotes: '& b'"),
        ("a: !x!y z\n", (1, 4), '"!" starts a tag, and "!x!y z" is none', "quotes: '!x!y z'"),
        ("a: !! x\n", (1, 4), '"!" starts a tag, and "!! x" is none', "quotes"),
        ("a: - b\n", (1, 4), "a list may not start on the line of its key", "quotes: '- b'"),
        ("a: ? b\n", (1, 4), 'a value may not start with "? "', "quotes: '? b'"),
        ("a: > 5\n", (1, 4), '">" starts a block of text', "quotes: '> 5'"),
        ("a: {b\n", (1, 4), 'the "{" that opens here is never closed', 'close it with "}"'),
        ("a: [\n", (1, 4), 'the "[" that opens here is never closed', 'close it with "]"'),
        ("a: [1\nb: 2\n", (2, 2), 'wanted "," or "]" for the "[" at 1:4, found ": 2"', "commas"),
        ("a: {b: [1}\n", (1, 10), 'wanted "," or "]" for the "[" at 1:8, found "}"', "commas"),
        ("a:\n  b: 1\n c: 2\n", (3, 2), "this line is indented by 1 space, which fits no line above", "same column"),
        ("a: b\n   c: d\n", (2, 4), "a key may not stand here", "indentation"),
        ("a: {b: 1}\n}\n", (2, 1), '"}" stands where a key is wanted', "brackets"),
        ("a:\n  b: {}\n  }\n", (3, 3), '"}" stands where a key is wanted', "brackets"),
        (": 1\n", (1, 1), 'a key is missing before this ":"', "key"),
        ("a:\n- b\nc: d\n-e\n", (4, 1), '"-e" stands where a key is wanted', 'a space after the "-"'),
        ("b: 1\nkey:value\n", (2, 1), '"key:value" stands where a key is wanted', "a space after the colon"),
        ("  key:value\n  b: 1\n", (1, 3), '"key:value" stands where a key is wanted', "a space after the colon"),
        ("a: 1\nb\n", (2, 1), '"b" stands where a key is wanted', "put a colon"),
        ("- a\nb: 1\n", (2, 1), "this line is no item of the list above it", "same column"),
        ('a: "\\d+"\n', (1, 5), "\\d is no escape that double quotes know", "single quotes"),
        ('a: "\\uZZ"\n', (1, 5), "\\u is no escape", "single quotes"),
        ('a: "\\ud83d\\ude00"\n', None, "\\ud83d is no escape", "or \\U0001F600"),
        ('a: "\\udc00"\n', None, "\\udc00 is no escape", "single quotes"),
        ("a: b\n...\nc: d\n", (3, 1), '"c: d" follows the end of the document', "indentation"),
        ("%YAML 3.0\n---\na: 1\n", (1, 1), '"%" starts a directive, and "%YAML 3.0" is none', "remove"),
        ("%YAML x\n---\na: 1\n", None, '"%" starts a directive, and "%YAML x" is none', "remove"),
        ("...\n", (1, 1), "a value is missing here", "null"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("loader", LOADERS)
def test_a_syntax_error_says_what_was_found_where_and_what_to_write(
    loader: Any, text: str, place: tuple[int, int] | None, message: str, hint: str
) -> None:
    node, (problem,) = read_yaml(text.encode(), name="evals.yaml", loader=loader)
    assert node is None
    assert message in problem.message
    assert hint in problem.hint
    assert place in (None, (problem.line, problem.column))


@pytest.mark.skipif(not yaml.__with_libyaml__, reason="only the C parser refuses it")
def test_a_colon_that_lacks_its_space_in_braces_is_named() -> None:
    problem = only_problem_of("a: {b:[1]}\n")
    assert (problem.line, problem.column, problem.message) == (1, 6, 'a ":" with no space after it')


def test_what_was_wrong_before_a_syntax_error_is_shown_with_it() -> None:
    assert [p.line for p in problems_of("a: 1\na: 2\nb: !x y\nc: [\n")] == [2, 3, 4]


@pytest.mark.parametrize("text", ["%YAML 1." + "9" * 5000 + "\n---\na: 1", 'a: "\\UFFFFFFFF"'])
@pytest.mark.parametrize("loader", LOADERS)
def test_absurd_numbers_in_the_syntax_do_not_raise(text: str, loader: Any) -> None:
    node, problems = read_yaml(text.encode(), name="evals.yaml", loader=loader)
    assert node is None
    assert all(p.message and p.hint for p in problems)


# Properties

WRITABLE = st.characters(
    exclude_categories=["Cs"], exclude_characters=[*map(chr, range(0x7F, 0xA0)), "\ufffe", "\uffff"]
)
NUMBERS = st.integers(min_value=-(10**40), max_value=10**40) | st.floats(allow_nan=False)


def data_of(characters: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    texts = st.text(characters, max_size=30) | st.sampled_from(["no", "1e3", "~", "<<", "", " x", "- a", "2024-01-01"])
    leaves = st.none() | st.booleans() | NUMBERS | texts
    return st.recursive(
        leaves,
        lambda below: st.lists(below, max_size=4) | st.dictionaries(texts, below, max_size=4),
        max_leaves=12,
    )


def exactly(data: Any) -> str:
    """Tells 1 from 1.0 and from true."""
    return repr(data)


@settings(max_examples=150, deadline=None)
@given(data_of(WRITABLE).filter(lambda data: "inf" not in repr(data)), st.sampled_from([None, 2]))
def test_json_text_means_what_it_says(data: Any, indent: int | None) -> None:
    assert exactly(read(json.dumps(data, ensure_ascii=False, indent=indent))) == exactly(data)


@settings(max_examples=150, deadline=None)
@given(data_of(st.characters(exclude_categories=["Cs"])))
def test_data_dumped_with_quotes_and_core_tags_comes_back(data: Any) -> None:
    assert exactly(read(yaml.safe_dump(data, default_style='"', sort_keys=False))) == exactly(data)


YAML_LIKE = st.lists(
    st.sampled_from([
        *"ab1~.:-?,[]{}&*!|>'\"%@`#\\\n\t é\u2028\ufeff",
        ": ", "- ", "\n  ", "\n", "&a ", "*a", "<<: ", "!!int ", "---\n", "...\n",
        "\\x", "\\ud83d", "%YAML 1.2\n", "no", "5e-1", "'", '"', "? ", "key: ", "\r\n",
    ]),
    max_size=40,
).map("".join)  # fmt: skip


def check(data: bytes, loader: Any) -> Node | None:
    node, problems = read_yaml(data, name="evals.yaml", loader=loader)
    assert (node is None) <= bool(problems)
    for problem in problems:
        assert problem.message
        assert problem.hint
        assert 1 <= problem.line <= data.count(b"\n") + data.count(b"\r") + 2
        assert problem.column >= 1
        assert problem.message.isprintable()
    if node is not None:
        plain(node)
    return None if problems else node


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200), st.sampled_from(LOADERS))
def test_no_bytes_make_it_raise(data: bytes, loader: Any) -> None:
    check(data, loader)


@settings(max_examples=400, deadline=None)
@given(YAML_LIKE)
def test_no_text_makes_it_raise_and_the_parsers_agree_on_what_both_read(text: str) -> None:
    nodes = [check(text.encode(), loader) for loader in LOADERS]
    assert len({repr(plain(node)) for node in nodes if node is not None}) <= 1
