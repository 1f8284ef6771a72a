"""What is kept of a case when its state is accepted, and how two contents of a case are told apart."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from evalci.calls.endpoint import digest
from evalci.model import Case, CaseResult, Report, Snapshot, Status
from evalci.summary.attempts import labels_of

TEXT_LENGTH: Final = 2_000


@dataclass(frozen=True, kw_only=True, slots=True)
class BaselineCase:
    """One accepted case. `content` and `output` are SHA-256 in hex; `text` is the start of the output.

    `scores` are by label, None where the scorer broke; `output` and `text` are None when there was no output.
    """

    case_id: str
    status: Status
    content: str
    scores: Mapping[str, float | None] = field(default_factory=dict)
    output: str | None = None
    text: str | None = None

    @property
    def snapshot(self) -> Snapshot:
        return Snapshot(status=self.status, text=self.text, scores=self.scores)


@dataclass(frozen=True, kw_only=True, slots=True)
class Baseline:
    """An accepted state: the digest of the scorers' config, and per arm, by its target's name, the cases in order."""

    scorers: str | None = None
    arms: Mapping[str, tuple[BaselineCase, ...]] = field(default_factory=dict)

    def arm(self, target: str, *, alone: bool = True) -> tuple[BaselineCase, ...]:
        """The cases of an arm, none when the baseline has no such arm.

        A run that is no matrix (`alone`) compares with a baseline's only arm, whatever its target was called.
        """
        if target not in self.arms and alone and len(self.arms) == 1:
            return next(iter(self.arms.values()))
        return self.arms.get(target, ())

    @property
    def passed(self) -> int:
        return sum(case.status == "passed" for cases in self.arms.values() for case in cases)

    @property
    def total(self) -> int:
        return sum(len(cases) for cases in self.arms.values())


def baseline_of(report: Report) -> Baseline:
    """The state that a run is in, to be accepted: a matrix run with all its arms."""
    arms = report.arms or (report,)
    return Baseline(
        scorers=report.suite.digests.scorers,
        arms={arm.suite.target: tuple(map(accepted, arm.results)) for arm in arms},
    )


def accepted(result: CaseResult) -> BaselineCase:
    """What a baseline keeps of a case."""
    text = None if result.output is None else result.output.text
    return BaselineCase(
        case_id=result.id,
        status=result.status,
        content=content_digest(result.case),
        scores=scores_of(result),
        output=None if text is None else hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        text=None if text is None else text[:TEXT_LENGTH],
    )


def snapshot_of(result: CaseResult) -> Snapshot:
    """A case of this run as a baseline would have it."""
    text = None if result.output is None else result.output.text[:TEXT_LENGTH]
    return Snapshot(status=result.status, text=text, scores=scores_of(result))


def scores_of(result: CaseResult) -> dict[str, float | None]:
    """A case's values by score label, None where the scorer broke."""
    return {label: score.value for label, score in zip(labels_of(result.scores), result.scores, strict=True)}


def content_digest(case: Case) -> str:
    """SHA-256, in hex, of what a case asks and expects; its id and its place in the file are no part of it."""
    content = {"input": case.input, "expected": case.expected, "context": case.context, "trace": case.trace}
    try:
        return digest(content)
    except TypeError:  # a suite in Python may ask with values that JSON lacks
        return hashlib.sha256(json.dumps(_as_json(content), sort_keys=True).encode()).hexdigest()


def _as_json(value: Any) -> Any:
    """A value as JSON, the same in every process: what JSON lacks is told by its type alone."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, Mapping):
        return {str(key): _as_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_json(item) for item in value]
    return f"<{type(value).__qualname__}>"
