"""The file that a judge is calibrated with: answers, one assertion each, and what people said. Read strictly."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from evalci.adapters.envelopes import judge_request
from evalci.adapters.strict import NotOneObject, one_object
from evalci.datasets.lines import kind_of
from evalci.errors import DatasetError, Problem
from evalci.evidence.assertions import DEFAULT_SEVERITY, JUDGE, Assertion
from evalci.wording import choices_hint, printable, quoted, snippet

_ANSWER: Final[Mapping[str, type]] = {"case_id": str, "prompt": str, "output": str, "assertion": dict, "passed": bool}
_ASSERTION: Final[Mapping[str, type]] = {"id": str, "description": str, "severity": str}
_OPTIONAL: Final = ("severity",)
_MAY_BE_BLANK: Final = ("prompt", "output")
_KINDS: Final[Mapping[type, str]] = {str: "text", dict: "an object", bool: "true or false"}
_SHAPE: Final = (
    'a line is {"case_id": …, "prompt": …, "output": …, "assertion": {"id": …, "description": …}, '
    '"passed": true or false}'
)


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedAnswer:
    """An answer, what it was held to, and whether people say that it holds. `number` is its place, from 1."""

    number: int
    case_id: str
    prompt: str
    output: str
    assertion: Assertion
    passed: bool

    @property
    def place(self) -> str:
        """Where its artifacts lie in the evidence folder, without the ending."""
        return f"calibration/{self.number:04d}"

    def request(self) -> dict[str, Any]:
        """What the judge is asked, as it is about any attempt. What people said has no way in here."""
        return judge_request(
            case_id=self.case_id, prompt=self.prompt, output=self.output, assertion=self.assertion.about()
        )


def read_answers(data: bytes, name: str) -> tuple[JudgedAnswer, ...]:
    """Every answer, in the order of the file. Raises `DatasetError` with all mistakes of the file."""
    answers: list[JudgedAnswer] = []
    problems: list[Problem] = []
    lines: dict[tuple[str, str], int] = {}
    for line, text in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not text.strip():
            continue
        try:
            # The empty lines before it make the parser say the line of the file.
            row = one_object(b"\n" * (line - 1) + text)
        except NotOneObject as exc:
            problems.append(_problem(name, line, f"this line cannot be read: {exc}", _SHAPE))
            continue
        faults = [_problem(name, line, *fault) for fault in _faults(row)]
        problems += faults
        if not faults:
            answer = _answer(row, len(answers) + 1)
            first = lines.setdefault((answer.case_id, answer.assertion.id), line)
            if first != line:
                twice = (
                    f"case {quoted(answer.case_id)} and assertion {quoted(answer.assertion.id)} are on line {first} too"
                )
                problems.append(_problem(name, line, twice, "keep one of the two: each answer is judged once"))
            answers.append(answer)
    if not problems:
        problems += (_problem(name, None, *fault) for fault in _too_few(answers))
    if problems:
        raise DatasetError(problems)
    return tuple(answers)


def _too_few(answers: list[JudgedAnswer]) -> Iterator[tuple[str, str]]:
    """Why the answers can calibrate nobody."""
    if not answers:
        yield "there are no answers to calibrate the judge with", _SHAPE
    elif len({answer.passed for answer in answers}) == 1:
        said, other = ("passed", "failed") if answers[0].passed else ("failed", "passed")
        what = f"people say {said} of {'the only answer' if len(answers) == 1 else f'all {len(answers)} answers'}"
        yield f"{what}, so Cohen's kappa cannot be told", f"add answers of which people say {other}"


def _faults(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield from _faults_of(row, _ANSWER, "the answer")
    if isinstance(row.get("assertion"), dict):
        yield from _faults_of(row["assertion"], _ASSERTION, "its assertion")


def _faults_of(row: Mapping[str, Any], keys: Mapping[str, type], what: str) -> Iterator[tuple[str, str]]:
    """Each mistake in an object with what to do about it."""
    for key, value in row.items():
        if key not in keys:
            yield f"{what} has the unknown key {quoted(snippet(key, 80))}", choices_hint("keys", key, keys)
        elif not isinstance(value, keys[key]):
            yield f"{what}: {quoted(key)} must be {_KINDS[keys[key]]}, got {kind_of(value)}", _SHAPE
        elif isinstance(value, str) and not value.strip() and key not in _MAY_BE_BLANK:
            yield f"{what}: {quoted(key)} must not be blank", _SHAPE
    for key in keys:
        if key not in row and key not in _OPTIONAL:
            yield f"{what} lacks {quoted(key)}", _SHAPE


def _answer(row: Mapping[str, Any], number: int) -> JudgedAnswer:
    about = row["assertion"]
    return JudgedAnswer(
        number=number,
        case_id=row["case_id"],
        prompt=row["prompt"],
        output=row["output"],
        assertion=Assertion(
            id=about["id"],
            description=about["description"],
            oracle=JUDGE,
            severity=about.get("severity", DEFAULT_SEVERITY),
        ),
        passed=row["passed"],
    )


def _problem(name: str, line: int | None, message: str, hint: str) -> Problem:
    return Problem(file=printable(name), line=line, message=message, hint=hint)
