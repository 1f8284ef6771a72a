"""JSONL files to cases: exact, merged in order, every mistake with its place."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.datasets import Dataset, read_datasets
from evalci.datasets.reader import MOST_PROBLEMS
from evalci.errors import DatasetError, Problem
from evalci.model import Case, Source
from tests.doubles import tools_in

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


def read(folder: Path, *names: str, **more: Any) -> Dataset:
    return read_datasets(names or ["cases.jsonl"], tools_in(folder, **more))


def cases_of(folder: Path, data: bytes | str) -> tuple[Case, ...]:
    put(folder, data)
    return read(folder).cases


def put(folder: Path, data: bytes | str, name: str = "cases.jsonl") -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)


def problems_of(folder: Path, data: bytes | str | None = None, *names: str) -> tuple[Problem, ...]:
    if data is not None:
        put(folder, data)
    with pytest.raises(DatasetError) as caught:
        read(folder, *names)
    return caught.value.problems


def the_problem(folder: Path, data: bytes | str) -> Problem:
    (problem,) = problems_of(folder, data)
    return problem


# --- what is read -----------------------------------------------------------------------------------------------------


def test_a_case_keeps_every_field_and_its_place(tmp_path: Path) -> None:
    row = {"id": "a", "input": "q", "expected": {"k": [1]}, "context": ["x", "y"], "trace": "t/1.json", "tags": [1]}
    put(tmp_path, "\n" + json.dumps(row), "sub/cases.jsonl")
    assert read(tmp_path, "sub/cases.jsonl").cases == (
        Case(
            id="a", input="q", expected={"k": [1]}, context=("x", "y"), trace="sub/t/1.json",
            source=Source(file="sub/cases.jsonl", line=2), metadata={"tags": [1]},
        ),
    )  # fmt: skip


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("last", [b"", b"\n", b"\r\n", b"\n \t\n"])
def test_byte_order_marks_and_line_ends_are_no_part_of_a_case(
    tmp_path: Path, start: bytes, end: bytes, last: bytes
) -> None:
    data = start + end.join([b'{"input": "a "}', b"", b"  ", b'\t{"input": "b"} ']) + last
    assert [(case.id, case.input) for case in cases_of(tmp_path, data)] == [("case-1", "a "), ("case-4", "b")]


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\u00a0"])
def test_other_separators_neither_end_a_line_nor_make_one(tmp_path: Path, separator: str) -> None:
    cases = cases_of(tmp_path, f'{{"input": "a{separator}b"}}\n{separator}\n{{"input": "c"}}\n')
    assert [(case.id, case.input) for case in cases] == [("case-1", f"a{separator}b"), ("case-3", "c")]


def test_a_line_may_be_megabytes_long(tmp_path: Path) -> None:
    text = "x[{\\u00e9" * 500_000
    (case,) = cases_of(tmp_path, f'{{"input": "{text}", "expected": [1]}}')
    assert len(case.input) == 2_000_000


@pytest.mark.parametrize(
    "number", ["12345678901234567890123", "-9223372036854775809", "18446744073709551616", "1" * 4000]
)
@pytest.mark.parametrize("shape", ["{}", "[1, {}]", '{{"a": {{"b": {}}}}}'])
def test_big_integers_stay_exact(tmp_path: Path, number: str, shape: str) -> None:
    (case,) = cases_of(tmp_path, f'{{"input": "q", "expected": {shape.format(number)}, "order": {number}}}')
    assert case.expected == json.loads(shape.format(number))
    assert case.metadata == {"order": int(number)}


def test_half_a_surrogate_pair_becomes_a_replacement_character(tmp_path: Path) -> None:
    (case,) = cases_of(tmp_path, r'{"id": "\ud800", "input": "a\ud83d b \ud83d\ude00", "expected": ["\udc00"]}')
    assert (case.id, case.input, case.expected) == ("\ufffd", "a\ufffd b 😀", ["\ufffd"])


@pytest.mark.parametrize(
    ("context", "chunks"), [("one", ("one",)), (["a", "b"], ("a", "b")), ([], None), (None, None), ("", ("",))]
)
def test_context_is_one_text_or_several_or_none(tmp_path: Path, context: Any, chunks: tuple[str, ...] | None) -> None:
    (case,) = cases_of(tmp_path, json.dumps({"input": "q", "context": context}))
    assert case.context == chunks


@given(
    st.dictionaries(TEXTS.filter(lambda key: key not in ("id", "input", "trace", "context")), JSON, max_size=3), TEXTS
)
def test_any_json_under_other_keys_comes_back_as_python_reads_it(
    tmp_path_factory: pytest.TempPathFactory, row: dict[str, Any], text: str
) -> None:
    folder = tmp_path_factory.mktemp("any")
    (case,) = cases_of(folder, json.dumps({**row, "input": text}))
    assert {**case.metadata, **({"expected": case.expected} if "expected" in row else {})} == row
    assert case.input == text


def test_files_merge_in_listed_order_and_share_one_digest(tmp_path: Path) -> None:
    put(tmp_path, '{"id": "1", "input": "x"}', "b.jsonl")
    put(tmp_path, '{"id": "2", "input": "y"}', "a.jsonl")
    one, two = read(tmp_path, "b.jsonl", "a.jsonl"), read(tmp_path, "a.jsonl", "b.jsonl")
    assert [case.id for case in one.cases] == ["1", "2"]
    assert one.digest != two.digest
    assert one.digest == read(tmp_path, "b.jsonl", "a.jsonl").digest


def test_the_digest_tells_where_one_file_ends(tmp_path: Path) -> None:
    rows = ['{"id": "1", "input": "x"}\n', '{"id": "2", "input": "y"}\n', '{"id": "3", "input": "z"}\n']
    digests = set()
    for cut in (1, 2):
        put(tmp_path, "".join(rows[:cut]), "a.jsonl")
        put(tmp_path, "".join(rows[cut:]), "b.jsonl")
        digests.add(read(tmp_path, "a.jsonl", "b.jsonl").digest)
    assert len(digests) == 2


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("line", "column", "why"), [
    (b'{"input": "a" "b"}', 15, "delimiter"),
    (b' \t{"input": "a" "b"}', 17, "delimiter"),
        (b'{"input": "a",}', None, "not valid JSON"),
    (b"not json", 1, "not valid JSON: expecting value"),
    (b'{"input": "a"} x', 16, "extra data"),
    (b'{"input": "caf\xc3\xa9 \xff"}', 17, "not valid UTF-8"),
    (b'{"input": "a\xed\xa0\x80"}', 13, "not valid UTF-8"),
    (b'{"input": "a\x00b"}', 13, "control character"),
    (b"\x00", 1, "not valid JSON"),
    (b'{"input": "q", "expected": NaN}', None, "NaN is no JSON value"),
    (b'{"input": "q", "expected": [-Infinity]}', None, "-Infinity is no JSON value"),
    (b'{"input": "q", "expected": 1e999}', None, "the number 1e999 is no JSON value"),
    (b'{"input": "q", "expected": ' + b"1" * 5000 + b"}", None, "too many digits"),
    (b'{"input": "q", "expected": ' + b"[" * 101 + b"]" * 101 + b"}", None, "nested more than 100 deep"),
    (b'{"input": "q", "expected": ' + b"[" * 100_000, None, "nested more than 100 deep"),
    (b'{"a":' * 100_000, None, "nested more than 100 deep"),
    (b"[]", None, "a case is a JSON object, got a list"),
    (b"7", None, "got a number"),
    (b"null", None, "got null"),
    (b'"{}"', None, "got text"),
    (b"true", None, "got a boolean"),
    (b'{"id": 7, "input": "q"}', None, '"id" must be text, got a number'),
    (b'{"input": true}', None, '"input" must be text, got a boolean'),
    (b'{"input": ["{0}"]}', None, '"input" must be text, got a list'),
    (b'{"trace": {"{at}": 1}}', None, '"trace" must be text, got an object'),
    (b'{"input": "q", "context": 7}', None, '"context" must be text or a list of texts'),
    (b'{"input": "q", "context": {}}', None, '"context" must be text or a list of texts'),
    (b'{"input": "q", "context": ["a", null]}', None, '"context" must be text or a list of texts'),
])  # fmt: skip
def test_a_line_that_is_no_case_says_where_and_why(
    tmp_path: Path, line: bytes, column: int | None, why: str | None
) -> None:
    problem = the_problem(tmp_path, b'{"id": "good", "input": "a"}\n\n' + line + b"\n")
    assert (problem.file, problem.line) == ("cases.jsonl", 3)
    assert problem.message.startswith("invalid case at cases.jsonl:3: ")
    if why is not None:
        assert why in problem.message
    if column is not None:
        assert problem.column == column
    assert len(problem.message) < 200


def test_a_column_counts_characters_not_bytes(tmp_path: Path) -> None:
    assert the_problem(tmp_path, '{"input": "é😀", }').column == 17


@pytest.mark.parametrize("line", ['{"id": "empty"}', "{}", '{"input": null, "trace": null}', '{"expected": "x"}'])
def test_a_case_needs_an_input_or_a_trace(tmp_path: Path, line: str) -> None:
    problem = the_problem(tmp_path, line)
    assert problem.message == "case at cases.jsonl:1 has neither `input` nor `trace`"


@pytest.mark.parametrize("data", ["", "\n\n", "\ufeff", " \r\n\u3000\n"])
def test_no_case_at_all_is_an_error(tmp_path: Path, data: str) -> None:
    problem = the_problem(tmp_path, data)
    assert problem.message == "datasets contain no test cases"
    assert '{"id": "refund-1", "input": "' in problem.hint


def test_ids_that_come_twice_name_both_lines_within_a_file_and_across_files(tmp_path: Path) -> None:
    put(tmp_path, '{"id":"x","input":"a"}\n{"input":"b"}\n{"id":"x","input":"c"}\n', "a.jsonl")
    put(tmp_path, '{"id":"x","input":"a"}\n\n{"id":"case-2","input":"b"}\n', "b.jsonl")
    assert [problem.lines()[0] for problem in problems_of(tmp_path, None, "a.jsonl", "b.jsonl")] == [
        'a.jsonl:3: duplicate case id "x" at a.jsonl:3 (first used at line 1)',
        'b.jsonl:1: duplicate case id "x" at b.jsonl:1 (first used at a.jsonl:1)',
        'b.jsonl:3: duplicate case id "case-2" at b.jsonl:3 (first used at a.jsonl:2)',
    ]


def test_a_duplicate_id_that_cannot_be_seen_is_shown_as_an_escape(tmp_path: Path) -> None:
    problem = the_problem(tmp_path, r'{"id":"a\n\u001b[2J","input":"a"}' + "\n" + r'{"id":"a\n\u001b[2J","input":"b"}')
    assert r'"a\n\u{1b}[2J"' in problem.message
    assert problem.message.isprintable()


def test_a_file_listed_twice_is_a_duplicate_of_itself(tmp_path: Path) -> None:
    put(tmp_path, '{"id":"x","input":"a"}')
    assert len(problems_of(tmp_path, None, "cases.jsonl", "./cases.jsonl")) == 1


def test_every_mistake_of_every_file_is_shown_at_once(tmp_path: Path) -> None:
    put(tmp_path, '{"id":"x","input":"a"}\nbad\n{"id":"x","input":"b"}\n', "a.jsonl")
    put(tmp_path, '{"input": 7}\n', "b.jsonl")
    found = problems_of(tmp_path, None, "a.jsonl", "missing.jsonl", "b.jsonl")
    assert [(problem.file, problem.line) for problem in found] == [
        ("a.jsonl", 2), ("missing.jsonl", None), ("b.jsonl", 1), ("a.jsonl", 3)
    ]  # fmt: skip


def test_a_file_of_another_kind_is_not_a_flood(tmp_path: Path) -> None:
    found = problems_of(tmp_path, "id,input\n" * 5000)
    assert len(found) == MOST_PROBLEMS + 1
    assert found[-1].message == f"{5000 - MOST_PROBLEMS} more problems in the datasets"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_named(tmp_path: Path, encoding: str) -> None:
    text = '{"input": "a"}\n{"input": "b"}\n'
    data = text.encode(encoding) if encoding == "utf-16" else ("\ufeff" + text).encode(encoding)
    problem = the_problem(tmp_path, data)
    assert "UTF-16" in problem.message
    assert "UTF-8" in problem.hint


@pytest.mark.parametrize(("name", "why"), [
    ("missing.jsonl", "missing.jsonl: No such file or directory"),
    ("folder", "folder: Is a directory"),
    ("../out.jsonl", "../out.jsonl: it lies outside the project"),
    ("{tmp}/out.jsonl", "it lies outside the project"),
    ("link.jsonl", "link.jsonl: it lies outside the project"),
    ("loop.jsonl", "loop.jsonl"),
    ("a\0b", "NUL"),
    ("x" * 5000, "File name too long"),
])  # fmt: skip
def test_a_file_that_may_not_or_cannot_be_read_says_which_and_why(tmp_path: Path, name: str, why: str) -> None:
    put(tmp_path, '{"input": "secret"}', "out.jsonl")
    project = tmp_path / "project"
    (project / "folder").mkdir(parents=True)
    (project / "link.jsonl").symlink_to(tmp_path / "out.jsonl")
    (project / "loop.jsonl").symlink_to(project / "loop.jsonl")
    (problem,) = problems_of(project, None, name.format(tmp=tmp_path))
    assert problem.message.startswith("failed to read dataset ")
    assert why in problem.message
    assert "secret" not in problem.message


def test_a_dataset_of_a_slightly_wrong_name_is_answered_with_the_right_one(tmp_path: Path) -> None:
    put(tmp_path, '{"input": "a"}', "data/cases.jsonl")
    put(tmp_path, '{"input": "a"}', "data/quite-another.jsonl")
    (problem,) = problems_of(tmp_path, None, "data/case.jsonl")
    assert problem.hint.splitlines() == [
        "it is looked for beside the config that names it",
        'did you mean "data/cases.jsonl"?',
    ]


def test_a_path_that_leaves_the_project_is_answered_with_no_name_from_there(tmp_path: Path) -> None:
    put(tmp_path, '{"input": "a"}', "cases.jsonl")
    (tmp_path / "project").mkdir()
    (problem,) = problems_of(tmp_path / "project", None, "../case.jsonl")
    assert "did you mean" not in problem.hint


def test_outside_is_allowed_when_asked_for(tmp_path: Path) -> None:
    put(tmp_path, '{"input": "a"}', "out.jsonl")
    (tmp_path / "project").mkdir()
    assert len(read(tmp_path / "project", "../out.jsonl", allow_outside=True).cases) == 1


@given(
    st.lists(st.binary(max_size=20) | st.sampled_from([b'{"input":"a"}', b'{"input":', b'"', b"\n", b"\xef\xbb\xbf"]))
)
def test_any_bytes_are_cases_or_problems_with_a_line(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes]
) -> None:
    folder = tmp_path_factory.mktemp("any")
    put(folder, b"".join(pieces))
    try:
        assert read(folder).cases
    except DatasetError as exc:
        assert all(problem.message.isprintable() for problem in exc.problems)
