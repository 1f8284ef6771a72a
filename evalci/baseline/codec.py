"""A baseline as a file: JSON with sorted keys that git can diff and merge; no clock and no latency inside."""

import json
import math
from collections.abc import Collection, Mapping
from typing import Any, Final, NoReturn, get_args

from evalci.baseline.snapshot import Baseline, BaselineCase
from evalci.errors import BaselineError
from evalci.json_mistakes import mistake_of
from evalci.model import Status
from evalci.wording import seen

SCHEMA: Final = "evalci.baseline/1"
STATUSES: Final = get_args(Status)
HINT: Final = "record it again with --save-baseline, or restore the file"
HEX_DIGITS: Final = frozenset("0123456789abcdef")


def encode(baseline: Baseline) -> bytes:
    """The file's bytes: the same for the same state."""
    data = {
        "schema": SCHEMA,
        "scorers": baseline.scorers,
        "arms": {target: [_case_data(case) for case in cases] for target, cases in baseline.arms.items()},
    }
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1, sort_keys=True)
    return text.encode("utf-8", "backslashreplace") + b"\n"


def decode(data: bytes, *, name: str) -> Baseline:
    """The state in a file's bytes. Raises `BaselineError` that says what is wrong where; `name` names the file."""
    return _Reader(name).baseline(_parsed(data, name))


def _case_data(case: BaselineCase) -> dict[str, Any]:
    optional = {"output": case.output, "text": case.text}
    return {
        "case_id": case.case_id,
        "status": case.status,
        "content": case.content,
        "scores": dict(case.scores),
        **{key: value for key, value in optional.items() if value is not None},
    }


def _parsed(data: bytes, name: str) -> Any:
    try:
        return json.loads(data.decode(), object_pairs_hook=_without_doubles, parse_constant=_no_constant)
    except json.JSONDecodeError as exc:
        is_conflict = b"\n<<<<<<< " in b"\n" + data
        hint = "a merge conflict is left in it: settle it, or record the baseline again with --save-baseline"
        mistake = mistake_of(exc)
        raise BaselineError(
            f"{name}:{mistake.line}:{mistake.column}: the baseline is no JSON: {mistake.why}",
            hint=hint if is_conflict else HINT,
        ) from None
    except (ValueError, RecursionError) as exc:
        what = "nested too deeply" if isinstance(exc, RecursionError) else str(exc)
        raise BaselineError(f"{name}: the baseline is no JSON: {what}", hint=HINT) from None


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {seen(next(key for key in keys if keys.count(key) > 1))} comes twice")
    return found


def _no_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number in JSON")


class _Reader:
    """Reads what `encode` wrote and refuses anything else, naming the place."""

    def __init__(self, name: str) -> None:
        self.name = name

    def baseline(self, data: Any) -> Baseline:
        whole = self.mapping(data, "the baseline")
        schema = whole.get("schema")
        if schema != SCHEMA:
            what = f"is {seen(schema)}" if isinstance(schema, str) else "is missing"
            self.refuse("schema", f"{what}, this evalci reads {SCHEMA}")
        self.keys(whole, "the baseline", {"schema", "scorers", "arms"})
        scorers = whole["scorers"]
        return Baseline(
            scorers=None if scorers is None else self.digest(scorers, "scorers"),
            arms={
                target: self.cases(cases, f"arms.{target}")
                for target, cases in self.mapping(whole["arms"], "arms").items()
            },
        )

    def cases(self, data: Any, where: str) -> tuple[BaselineCase, ...]:
        if not isinstance(data, list):
            self.refuse(where, "must be a list of cases")
        cases = tuple(self.case(item, f"{where}[{number}]") for number, item in enumerate(data))
        known: dict[str, int] = {}
        for number, case in enumerate(cases):
            if case.case_id in known:
                what = f"is the case {seen(case.case_id)} again, after [{known[case.case_id]}]"
                self.refuse(f"{where}[{number}]", what)
            known[case.case_id] = number
        return cases

    def case(self, data: Any, where: str) -> BaselineCase:
        found = self.mapping(data, where)
        self.keys(found, where, {"case_id", "status", "content", "scores"}, {"output", "text"})
        if found["status"] not in STATUSES:
            self.refuse(f"{where}.status", f"must be one of {', '.join(STATUSES)}")
        scores = self.mapping(found["scores"], f"{where}.scores")
        return BaselineCase(
            case_id=self.text(found["case_id"], f"{where}.case_id"),
            status=found["status"],
            content=self.digest(found["content"], f"{where}.content"),
            scores={label: self.score(value, f"{where}.scores.{label}") for label, value in scores.items()},
            output=self.digest(found["output"], f"{where}.output") if "output" in found else None,
            text=self.text(found["text"], f"{where}.text") if "text" in found else None,
        )

    def mapping(self, value: Any, where: str) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            self.refuse(where, "must be a JSON object")
        return value

    def keys(
        self, found: Mapping[str, Any], where: str, required: Collection[str], optional: Collection[str] = ()
    ) -> None:
        for key in sorted(required):
            if key not in found:
                self.refuse(where, f'lacks the key "{key}"')
        for key in found:
            if key not in required and key not in optional:
                self.refuse(where, f"has the unknown key {seen(key)}")

    def text(self, value: Any, where: str) -> str:
        if not isinstance(value, str):
            self.refuse(where, "must be text")
        return value

    def digest(self, value: Any, where: str) -> str:
        if not isinstance(value, str) or len(value) != 64 or not HEX_DIGITS.issuperset(value):
            self.refuse(where, "must be a SHA-256 in 64 hex digits")
        return value

    def score(self, value: Any, where: str) -> float | None:
        if value is None:
            return None
        try:
            number = math.nan if isinstance(value, bool) or not isinstance(value, (int, float)) else float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            self.refuse(where, "must be a number, or null where the scorer broke")
        return number

    def refuse(self, where: str, what: str) -> NoReturn:
        raise BaselineError(f"{self.name}: {where} {what}", hint=HINT)
