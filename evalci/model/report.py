"""The report: all that a run has to say, and all that a reporter may read. JSON schema `evalci.report/1`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from evalci.model.result import CaseResult, Status

SCHEMA: Final = "evalci.report/1"


@dataclass(frozen=True, kw_only=True, slots=True)
class Digests:
    """SHA-256, in hex, of what the run was made from. None where there was nothing to hash."""

    config: str | None = None
    cases: str | None = None
    cassette: str | None = None
    scorers: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Shard:
    """Part `index` of `count` of a suite, counted from 1."""

    index: int
    count: int

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"


@dataclass(frozen=True, kw_only=True, slots=True)
class SuiteInfo:
    """What was run: the config's path in the project, the target's name, the cache mode, how many cases."""

    config: str
    target: str
    cache: str
    cases: int
    digests: Digests = field(default_factory=Digests)
    shard: Shard | None = None
    filter: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """Did it pass, the exit code that says so, and why not. `reasons` is empty when it passed."""

    passed: bool
    exit_code: int
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """The totals. `failed` is every case that is neither passed nor unjudged; errored and skipped are part of it.

    `mean_score` is per scorer name, over what was measured; `left_out` is how many of its scores broke. `tokens` and
    `cost_usd` are None when nothing was known.
    """

    total: int
    passed: int
    failed: int
    errored: int = 0
    skipped: int = 0
    unjudged: int = 0
    flaky: int = 0
    tokens: int | None = None
    cost_usd: float | None = None
    mean_score: Mapping[str, float] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class GateOutcome:
    """One gate: its label, what it saw (None when there was nothing), the floor or ceiling, and why it failed."""

    gate: str
    type: str
    passed: bool
    actual: float | None = None
    min: float | None = None
    max: float | None = None
    reason: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Snapshot:
    """A case as it was: status, the start of its text, scores by scorer name (None where the scorer broke)."""

    status: Status
    text: str | None = None
    scores: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """One case against the baseline, before and after."""

    case_id: str
    before: Snapshot | None = None
    after: Snapshot | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class BaselineDiff:
    """The run against the accepted state. Fails when `regressed` or `new_failing` holds anything.

    `edited` are the cases whose content changed; a failing one is in `new_failing` too. `accepted` are failures the
    baseline already had. Orders follow the dataset; `removed` follows the baseline.
    """

    label: str
    source: str
    passed: bool
    before_passed: int
    before_total: int
    after_passed: int
    after_total: int
    regressed: tuple[Change, ...] = ()
    new_failing: tuple[Change, ...] = ()
    edited: tuple[Change, ...] = ()
    fixed: tuple[Change, ...] = ()
    removed: tuple[Change, ...] = ()
    accepted: tuple[Change, ...] = ()
    like_for_like: bool = True

    @property
    def is_empty(self) -> bool:
        """Nothing changed; failures that were accepted before do not count as a change."""
        return not (self.regressed or self.new_failing or self.edited or self.fixed or self.removed)


@dataclass(frozen=True, kw_only=True, slots=True)
class ClassScores:
    """One class: precision, recall and F1 in 0 to 1, every 0/0 being 0.0; support is how many cases expect it."""

    label: str
    precision: float
    recall: float
    f1: float
    support: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Classification:
    """How well outputs match expected labels over all labelled cases."""

    labeled_cases: int
    accuracy: float
    macro_f1: float
    classes: tuple[ClassScores, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class ProgramStats:
    """The aggregate over `program` targets: how often each reason, and rates in 0 to 1."""

    reason_counts: Mapping[str, int]
    timeout_rate: float
    success_rate: float
    total_executions: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Recordings:
    """How the cassette was used. `stale` are recordings that nothing asked for.

    The keys are kept for shards, two of which may use, miss or redact the same recording.
    """

    hits: int = 0
    misses: int = 0
    recorded: int = 0
    stale: int = 0
    redacted: int = 0
    used_keys: tuple[str, ...] | None = None
    missed_keys: tuple[str, ...] = ()
    redacted_keys: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangedRecording:
    """One answer that was recorded anew: its key, the case it belongs to, and the text before and after."""

    key: str
    case_id: str
    before: str
    after: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparisonRow:
    """One case over all arms: mean score per arm (None where it has none) and the winner, None on a tie."""

    case_id: str
    means: tuple[float | None, ...]
    statuses: tuple[Status | None, ...]
    winner: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ArmWins:
    """One arm of a matrix: its target's name and how many cases it won."""

    target: str
    wins: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """A matrix run side by side; rows follow the first arm."""

    rows: tuple[ComparisonRow, ...]
    arms: tuple[ArmWins, ...]
    ties: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """One run of one suite. A matrix run has `arms`, one report each, and `comparison`; its own results are empty."""

    suite: SuiteInfo
    verdict: Verdict
    summary: Summary
    results: tuple[CaseResult, ...] = ()
    gates: tuple[GateOutcome, ...] = ()
    classification: Classification | None = None
    baseline: BaselineDiff | None = None
    no_baseline: str | None = None
    programs: ProgramStats | None = None
    recordings: Recordings | None = None
    changed_recordings: tuple[ChangedRecording, ...] = ()
    notes: tuple[str, ...] = ()
    arms: tuple["Report", ...] = ()
    comparison: Comparison | None = None
    schema: str = SCHEMA
