"""What a good answer must hold: the assertions of a case, read from its row."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from evalci.evidence.oracles import ORACLES, OracleError
from evalci.model import Case
from evalci.wording import choices_hint, quoted, snippet

JUDGE: Final = "llm_judge"
DEFAULT_SEVERITY: Final = "blocker"
_TEXTS: Final = ("id", "description", "oracle", "severity")


class AssertionMistake(ValueError):
    """An assertion cannot be used; the message says which and why."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, kw_only=True, slots=True)
class Assertion:
    """One thing to hold an answer to. `operands` are what a deterministic oracle compares with."""

    id: str
    description: str = ""
    oracle: str
    severity: str = DEFAULT_SEVERITY
    operands: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_semantic(self) -> bool:
        """Is it the judge's to decide?"""
        return self.oracle == JUDGE

    def about(self) -> dict[str, str]:
        """What the judge is told of it."""
        return {"id": self.id, "description": self.description, "oracle": self.oracle, "severity": self.severity}


def semantic(assertions: tuple[Assertion, ...]) -> tuple[Assertion, ...]:
    """Those that the judge decides, one call each."""
    return tuple(assertion for assertion in assertions if assertion.is_semantic)


def assertions_of(case: Case, mode: str) -> tuple[Assertion, ...]:
    """The assertions of a case. Raises `AssertionMistake`."""
    rows = case.metadata.get("assertions")
    if not isinstance(rows, list) or not rows:
        raise AssertionMistake(
            f"case {quoted(case.id)} has no assertions", 'give it "assertions": [{"id": …, "oracle": …}]'
        )
    found = tuple(_assertion(row, f"case {quoted(case.id)}: assertions[{i}]", case, mode) for i, row in enumerate(rows))
    ids = [assertion.id for assertion in found]
    for id_ in ids:
        if ids.count(id_) > 1:
            raise AssertionMistake(f"case {quoted(case.id)}: two assertions have the id {quoted(id_)}")
    return found


def _assertion(row: Any, who: str, case: Case, mode: str) -> Assertion:
    if not isinstance(row, dict):
        raise AssertionMistake(f"{who} must be an object")
    for key in _TEXTS:
        if key in row and not isinstance(row[key], str):
            raise AssertionMistake(f"{who}.{key} must be text")
    for key in ("id", "oracle"):
        if not row.get(key, "").strip():
            raise AssertionMistake(f"{who} lacks {quoted(key)}")
    oracle = row["oracle"]
    operands = {key: value for key, value in row.items() if key not in _TEXTS}
    if oracle == JUDGE:
        _check_semantic(row, operands, who, mode)
    elif oracle not in ORACLES:
        hint = choices_hint("oracles", oracle, [JUDGE, *ORACLES])
        raise AssertionMistake(f"{who}: unknown oracle {quoted(snippet(oracle, 80))}", hint)
    else:
        operands = _operands(oracle, operands, who, case, mode)
    return Assertion(
        id=row["id"],
        description=row.get("description", ""),
        oracle=oracle,
        severity=row.get("severity", "").strip() or DEFAULT_SEVERITY,
        operands=operands,
    )


def _check_semantic(row: Mapping[str, Any], operands: Mapping[str, Any], who: str, mode: str) -> None:
    if mode == "trigger":
        raise AssertionMistake(f"{who}: a trigger suite has no text for a judge to read", "use selected_skill")
    if not row.get("description", "").strip():
        raise AssertionMistake(f'{who}: an {JUDGE} assertion needs a "description" of what must hold')
    if operands:
        raise AssertionMistake(f"{who}: unknown key {quoted(min(operands))} for oracle {JUDGE}")


def _operands(oracle: str, operands: dict[str, Any], who: str, case: Case, mode: str) -> dict[str, Any]:
    kind = ORACLES[oracle]
    if kind.mode != mode:
        raise AssertionMistake(f"{who}: oracle {oracle} belongs to suites of mode {kind.mode}, this one is {mode}")
    if kind.from_expected and "value" not in operands and case.expected is not None:
        operands["value"] = case.expected
    try:
        kind.check(operands)
    except OracleError as exc:
        raise AssertionMistake(f"{who}: oracle {oracle}: {exc}") from exc
    return operands
