"""Reads what people said of answers: one JSON object a line, `{"case_id": …, "passed": true, "output": …}`."""

from dataclasses import dataclass

from evalci.datasets.lines import InvalidLine, read_object
from evalci.errors import DatasetError, Problem
from evalci.wording import printable, quoted


@dataclass(frozen=True, slots=True)
class Label:
    """What people said of an answer; `output` is the answer that they saw, None where the file does not say."""

    passed: bool
    output: str | None = None


def read_labels(data: bytes, name: str) -> dict[str, Label]:
    """Each labelled case's label, in the order of the file. Raises `DatasetError` with every mistake in it."""
    labels: dict[str, Label] = {}
    problems: list[Problem] = []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            case_id, label = _label(line.strip())
            if case_id in labels:
                raise InvalidLine.because(f"case {quoted(case_id)} is labelled twice")
            labels[case_id] = label
        except InvalidLine as exc:
            message = exc.message.format(at=f"{name}:{number}")
            problems.append(Problem(file=printable(name), line=number, column=exc.column, message=message))
    if not labels and not problems:
        problems.append(Problem(file=printable(name), message="there are no labels"))
    if problems:
        raise DatasetError(problems)
    return labels


def _label(line: bytes) -> tuple[str, Label]:
    row = read_object(line)
    case_id, passed, output = row.get("case_id"), row.get("passed"), row.get("output")
    if not isinstance(case_id, str) or not isinstance(passed, bool):
        raise InvalidLine.because('a label needs "case_id", a text, and "passed", true or false')
    if not isinstance(output, str | None):
        raise InvalidLine.because('"output" of a label is the answer that was judged, a text')
    return case_id, Label(passed, output)
