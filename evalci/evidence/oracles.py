"""Deterministic oracles: what the runner decides by itself, the same on every machine."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from evalci.wording import plain_number, quoted, seen, snippet

Operands = Mapping[str, Any]
NO_SKILL: Final = "no skill"


class OracleError(ValueError):
    """An oracle's operands cannot be used, or it could not decide; the message says why."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Oracle:
    """One kind: `decide` gives None when the answer holds, else why it does not. It may raise `OracleError`."""

    mode: str = "behavior"
    keys: Mapping[str, tuple[type, ...]]
    needs: tuple[str, ...] = ("value",)
    from_expected: bool = False
    decide: Callable[[Operands, Any], str | None]

    def check(self, operands: Operands) -> None:
        """Raises `OracleError` with what is wrong with the operands."""
        for key, value in operands.items():
            if key not in self.keys:
                raise OracleError(f"unknown key {quoted(snippet(key, 80))}; it takes {', '.join(sorted(self.keys))}")
            kinds = self.keys[key]
            if kinds and (not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds)):
                raise OracleError(f"{key} has the wrong type: {quoted(snippet(_json(value), 80))}")
        for key in self.needs:
            if key not in operands:
                raise OracleError(f'it needs "{key}"')
        self.decide(operands, None if self.mode == "trigger" else "")


def decide(oracle: str, operands: Operands, answer: str | None) -> str | None:
    """None when the answer holds, else why it does not. Raises `OracleError` when nothing could be decided."""
    return ORACLES[oracle].decide(operands, answer)


def _contains(operands: Operands, text: str) -> str | None:
    return None if _is_in(operands, text) else f"wanted {quoted(operands['value'])}, saw {seen(text)}"


def _not_contains(operands: Operands, text: str) -> str | None:
    return f"{quoted(operands['value'])} must not be there, saw {seen(text)}" if _is_in(operands, text) else None


def _is_in(operands: Operands, text: str) -> bool:
    if not operands["value"]:
        raise OracleError("value must not be empty")
    if operands.get("case_sensitive", True):
        return operands["value"] in text
    return operands["value"].lower() in text.lower()


def _equals(operands: Operands, text: str) -> str | None:
    return None if text == operands["value"] else f"expected {seen(operands['value'])}, got {seen(text)}"


def _regex(operands: Operands, text: str) -> str | None:
    from evalci.scorers.patterns import PatternError, compile_pattern

    try:
        matches = compile_pattern(operands["pattern"], full=operands.get("full", False))
    except PatternError as exc:
        raise OracleError(f"the pattern cannot be used: {exc}") from exc
    return None if matches(text) else f"expected output to match /{snippet(operands['pattern'])}/, got {seen(text)}"


def _json_schema(operands: Operands, text: str) -> str | None:
    from evalci.scorers.schemas import SchemaError, load_schema
    from evalci.scorers.schemas.patterns import TookTooLong
    from evalci.scorers.strict_json import NotJson, parse_json

    try:
        schema = load_schema(_json(operands["schema"]).encode())
    except SchemaError as exc:
        raise OracleError(f"the schema cannot be used: {exc}") from exc
    try:
        violations = schema.violations(parse_json(text))
    except NotJson as exc:
        return f"output is not valid JSON: {exc}; got {seen(text)}"
    except RecursionError:
        return "output is nested too deeply to be held against the schema"
    except TookTooLong as exc:
        raise OracleError(str(exc)) from exc
    return "; ".join(violations[:3]) or None


def _length(operands: Operands, text: str) -> str | None:
    low, high = operands.get("min", 0), operands.get("max")
    if low < 0 or (high is not None and high < low):
        raise OracleError("min must be 0 or more, and max not below it")
    if len(text) < low:
        return f"expected at least {plain_number(low)} characters, got {len(text)}"
    if high is not None and len(text) > high:
        return f"expected at most {plain_number(high)} characters, got {len(text)}"
    return None


def _selected_skill(operands: Operands, skill: str | None) -> str | None:
    wanted = operands["value"]
    return None if skill == wanted else f"expected {_skill(wanted)}, got {_skill(skill)}"


def _skill(name: str | None) -> str:
    return NO_SKILL if name is None else quoted(snippet(name, 80))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


_WORDS: Final = {"value": (str,), "case_sensitive": (bool,)}
ORACLES: Final[Mapping[str, Oracle]] = {
    "contains": Oracle(keys=_WORDS, decide=_contains),
    "not_contains": Oracle(keys=_WORDS, decide=_not_contains),
    "equals": Oracle(keys={"value": (str,)}, from_expected=True, decide=_equals),
    "regex": Oracle(keys={"pattern": (str,), "full": (bool,)}, needs=("pattern",), decide=_regex),
    "json-schema": Oracle(keys={"schema": (dict, bool)}, needs=("schema",), decide=_json_schema),
    "length": Oracle(keys={"min": (int,), "max": (int,)}, needs=(), decide=_length),
    "selected_skill": Oracle(
        mode="trigger", keys={"value": (str, type(None))}, from_expected=True, decide=_selected_skill
    ),
}
