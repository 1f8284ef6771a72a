"""Reads what people said of answers: one JSON object a line, `{"case_id": …, "passed": true}`."""

from evalci.datasets.lines import InvalidLine, read_object
from evalci.errors import DatasetError, Problem
from evalci.wording import printable, quoted


def read_labels(data: bytes, name: str) -> dict[str, bool]:
    """Each labelled case's verdict, in the order of the file. Raises `DatasetError` with every mistake in it."""
    labels: dict[str, bool] = {}
    problems: list[Problem] = []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            case_id, passed = _label(line.strip())
            if case_id in labels:
                raise InvalidLine.because(f"case {quoted(case_id)} is labelled twice")
            labels[case_id] = passed
        except InvalidLine as exc:
            message = exc.message.format(at=f"{name}:{number}")
            problems.append(Problem(file=printable(name), line=number, column=exc.column, message=message))
    if not labels and not problems:
        problems.append(Problem(file=printable(name), message="there are no labels"))
    if problems:
        raise DatasetError(problems)
    return labels


def _label(line: bytes) -> tuple[str, bool]:
    row = read_object(line)
    case_id, passed = row.get("case_id"), row.get("passed")
    if not isinstance(case_id, str) or not isinstance(passed, bool):
        raise InvalidLine.because('a label needs "case_id", a text, and "passed", true or false')
    return case_id, passed
