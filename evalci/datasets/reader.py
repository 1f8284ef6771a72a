"""Reads the files of a suite, merged in listed order, into cases with unique ids."""

import hashlib
import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from evalci.errors import DatasetError, Problem
from evalci.files import FileRefused
from evalci.model import Case, Source
from evalci.tools import Tools
from evalci.unicode import without_surrogates
from evalci.wording import quoted

_BOM = b"\xef\xbb\xbf"
_KNOWN = frozenset({"id", "input", "expected", "trace", "context"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Dataset:
    """The cases of a suite in dataset order, and the SHA-256 of the files they came from."""

    cases: tuple[Case, ...]
    digest: str


class _Invalid(Exception):
    """A line is no case; `column` counts characters from 1, None for the whole line."""

    def __init__(self, message: str, column: int | None = None) -> None:
        super().__init__(message)
        self.column = column


def read_datasets(names: Sequence[str], tools: Tools) -> Dataset:
    """Every case of the named files. Raises `DatasetError` with all mistakes of all files."""
    cases: list[Case] = []
    problems: list[Problem] = []
    hasher = hashlib.sha256()
    for name in names:
        try:
            data = tools.files.read(name, tools.folder)
        except FileRefused as exc:
            problems.append(Problem(file=name, message=f"failed to read dataset {exc}"))
            continue
        hasher.update(b"%d\n" % len(data) + data)
        found = tools.files.name(tools.folder / name)
        for item in _read_file(data, name, found):
            (cases if isinstance(item, Case) else problems).append(item)  # type: ignore[arg-type]
    problems += _duplicates(
        cases, dict(zip(map(tools.files.name, (tools.folder / n for n in names)), names, strict=True))
    )
    if not cases and not problems:
        problems.append(Problem(file=", ".join(names), message="datasets contain no test cases"))
    if problems:
        raise DatasetError(problems)
    return Dataset(cases=tuple(cases), digest=hasher.hexdigest())


def _read_file(data: bytes, name: str, path: str) -> Iterator[Case | Problem]:
    folder = posixpath.dirname(name)
    for number, line in enumerate(data.removeprefix(_BOM).split(b"\n"), start=1):
        line = line.strip()
        if not line:
            continue
        try:
            yield _case(_parse(line), Source(file=path, line=number), folder, f"case at {name}:{number}")
        except _Invalid as exc:
            text = str(exc)
            message = text if text.startswith("case at") else f"invalid case at {name}:{number}: {text}"
            yield Problem(file=name, line=number, column=exc.column, message=message)


def _parse(line: bytes) -> dict[str, Any]:
    """One JSON object. orjson is quick; what it refuses or rounds goes to the slow, exact parser."""
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as exc:
        row = _parse_slowly(line, exc)
    if not isinstance(row, dict):
        raise _Invalid(f"a case is a JSON object, got {_kind(row)}")
    if "expected" in row and isinstance(row["expected"], (int, float, list, dict)):
        row["expected"] = _parse_slowly(line, None)["expected"]
    return row


def _parse_slowly(line: bytes, error: orjson.JSONDecodeError | None) -> Any:
    """The same with the standard library: half surrogates become U+FFFD, big integers stay exact, NaN is refused."""
    import json

    def refuse(name: str) -> None:
        raise ValueError(f"{name} is not JSON")

    try:
        return without_surrogates(json.loads(line.decode("utf-8"), parse_constant=refuse))
    except UnicodeDecodeError as exc:
        raise _Invalid("not valid UTF-8", len(line[: exc.start].decode("utf-8")) + 1) from exc
    except json.JSONDecodeError as exc:
        raise _Invalid(f"not valid JSON: {exc.msg[:1].lower()}{exc.msg[1:]}", exc.colno) from exc
    except (ValueError, RecursionError) as exc:
        raise _Invalid(f"not valid JSON: {exc or error}") from exc


def _case(row: dict[str, Any], source: Source, folder: str, where: str) -> Case:
    name, text, trace = row.get("id"), row.get("input"), row.get("trace")
    for key, value in (("id", name), ("input", text), ("trace", trace)):
        if value is not None and not isinstance(value, str):
            raise _Invalid(f'"{key}" must be text, got {_kind(value)}')
    if text is None and trace is None:
        raise _Invalid(f"{where} has neither `input` nor `trace`")
    return Case(
        id=f"case-{source.line}" if name is None else name,
        input=text or "",
        expected=row.get("expected"),
        context=_context(row.get("context")),
        trace=None if trace is None else posixpath.join(folder, trace),
        source=source,
        metadata={key: row[key] for key in row if key not in _KNOWN},
    )


def _context(value: Any) -> tuple[str, ...] | None:
    """One string is one chunk; an empty list and null are none."""
    if value is None or value == []:
        return None
    chunks = [value] if isinstance(value, str) else value
    if not isinstance(chunks, list) or not all(isinstance(chunk, str) for chunk in chunks):
        raise _Invalid('"context" must be text or a list of texts')
    return tuple(chunks)


def _duplicates(cases: Sequence[Case], names: dict[str, str]) -> Iterator[Problem]:
    first: dict[str, Source] = {}
    for case in cases:
        source = case.source
        assert source is not None
        earlier = first.setdefault(case.id, source)
        if earlier is not source:
            name = names.get(source.file, source.file)
            same = earlier.file == source.file
            where = f"line {earlier.line}" if same else f"{names.get(earlier.file, earlier.file)}:{earlier.line}"
            message = f"duplicate case id {quoted(case.id)} at {name}:{source.line} (first used at {where})"
            yield Problem(file=name, line=source.line, message=message, hint='give each case an "id" of its own')


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")
