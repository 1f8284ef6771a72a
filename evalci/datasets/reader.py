"""Reads the files of a suite, merged in listed order, into cases with unique ids."""

import hashlib
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn

from evalci.datasets.lines import InvalidLine, kind_of, read_object
from evalci.errors import DatasetError, Problem
from evalci.files import FileRefused
from evalci.model import Case, Source
from evalci.tools import Tools
from evalci.wording import count_of, printable, quoted

MOST_PROBLEMS: Final = 100
_BOM: Final = b"\xef\xbb\xbf"
_OTHER_BOMS: Final = (b"\xff\xfe", b"\xfe\xff")
_TEXT_OR_NONE: Final = frozenset({str, type(None)})


@dataclass(frozen=True, kw_only=True, slots=True)
class Dataset:
    """The cases of a suite in dataset order, and the SHA-256 of the files they came from."""

    cases: tuple[Case, ...]
    digest: str


def read_datasets(names: Sequence[str], tools: Tools) -> Dataset:
    """Every case of the named files. Raises `DatasetError` with all mistakes of all files."""
    cases: list[Case] = []
    problems: list[Problem] = []
    known_as: dict[str, str] = {}
    hasher = hashlib.sha256()
    for name in names:
        try:
            data = tools.files.read(name, tools.folder)
        except FileRefused as exc:
            message = printable(f"failed to read dataset {exc}")
            problems.append(Problem(file=printable(name), message=message, hint=_where(name, exc, tools)))
            continue
        hasher.update(b"%d\n" % len(data) + data)
        path = tools.files.name(tools.folder / name)
        known_as[path] = printable(name)
        for item in _read_file(data, printable(name), path, posixpath.dirname(name)):
            (cases if isinstance(item, Case) else problems).append(item)  # type: ignore[arg-type]
    problems += _duplicates(cases, known_as)
    if not cases and not problems:
        hint = 'write one case a line, such as {"id": "refund-1", "input": "How long do refunds take?"}'
        problems.append(Problem(file=", ".join(names), message="datasets contain no test cases", hint=hint))
    if problems:
        raise DatasetError(_shortened(problems))
    return Dataset(cases=tuple(cases), digest=hasher.hexdigest())


def _where(name: str, refused: FileRefused, tools: Tools) -> str:
    """Where a dataset is looked for, and the file there that was probably meant."""
    if Path(name).is_absolute() or not isinstance(refused.__cause__, FileNotFoundError):
        return ""
    near = tools.files.near(name, tools.folder)
    meant = "" if near is None else f"\ndid you mean {quoted(near)}?"
    return f"it is looked for beside the config that names it{meant}"


def _read_file(data: bytes, name: str, path: str, folder: str) -> Iterator[Case | Problem]:
    if data.startswith(_OTHER_BOMS):
        message = f"failed to read dataset {name}: it is UTF-16"
        yield Problem(file=name, line=1, message=message, hint="save it as UTF-8")
        return
    for number, line in enumerate(data.removeprefix(_BOM).split(b"\n"), start=1):
        text = line.strip()
        if not text:
            continue
        try:
            yield _case(text, Source(file=path, line=number), folder)
        except InvalidLine as exc:
            if exc.is_blank:
                continue
            indent = len(line) - len(line.lstrip())
            column = None if exc.column is None else exc.column + indent
            yield Problem(file=name, line=number, column=column, message=exc.message.format(at=f"{name}:{number}"))


def _case(line: bytes, source: Source, folder: str) -> Case:
    row = read_object(line)
    name, text, trace = row.pop("id", None), row.pop("input", None), row.pop("trace", None)
    if not _TEXT_OR_NONE.issuperset((type(name), type(text), type(trace))):
        _refuse_types(id=name, input=text, trace=trace)
    if text is None and trace is None:
        raise InvalidLine("case at {at} has neither `input` nor `trace`")
    return Case(
        id=f"case-{source.line}" if name is None else name,
        input=text or "",
        expected=row.pop("expected", None),
        context=_context(row.pop("context", None)),
        trace=None if trace is None else posixpath.join(folder, trace),
        source=source,
        metadata=row,
    )


def _refuse_types(**values: Any) -> NoReturn:
    key, value = next((key, value) for key, value in values.items() if not isinstance(value, str | None))
    raise InvalidLine.because(f'"{key}" must be text, got {kind_of(value)}')


def _context(value: Any) -> tuple[str, ...] | None:
    """One string is one chunk; an empty list and null are none."""
    if value is None or value == []:
        return None
    chunks = [value] if isinstance(value, str) else value
    if not isinstance(chunks, list) or not all(isinstance(chunk, str) for chunk in chunks):
        raise InvalidLine.because('"context" must be text or a list of texts')
    return tuple(chunks)


def _duplicates(cases: Sequence[Case], known_as: Mapping[str, str]) -> Iterator[Problem]:
    if len({case.id for case in cases}) == len(cases):
        return
    first: dict[str, Source] = {}
    for case in cases:
        source = case.source
        assert source is not None
        earlier = first.setdefault(case.id, source)
        if earlier is not source:
            name = known_as[source.file]
            where = f"line {earlier.line}"
            if earlier.file != source.file:
                where = f"{known_as[earlier.file]}:{earlier.line}"
            message = f"duplicate case id {quoted(case.id)} at {name}:{source.line} (first used at {where})"
            yield Problem(file=name, line=source.line, message=message, hint='give each case an "id" of its own')


def _shortened(problems: list[Problem]) -> list[Problem]:
    """All of them, or as many as anybody would read: a file of another kind has one in every line."""
    if len(problems) <= MOST_PROBLEMS:
        return problems
    more = len(problems) - MOST_PROBLEMS
    rest = Problem(file=problems[MOST_PROBLEMS].file, message=f"{count_of(more, 'more problem')} in the datasets")
    return [*problems[:MOST_PROBLEMS], rest]
