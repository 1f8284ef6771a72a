"""Small builders of model values for tests, and hypothesis strategies over them.

A builder fills in everything that a test does not care about. The strategies give values that a run could really have
made: totals agree with results, a verdict with its exit code, and everything survives the JSON report.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from hypothesis import strategies as st

from evalci.model import (
    ArmWins,
    BaselineDiff,
    Case,
    CaseResult,
    Change,
    ChangedRecording,
    Classification,
    ClassScores,
    Comparison,
    ComparisonRow,
    Digests,
    GateOutcome,
    Output,
    ProgramStats,
    Recordings,
    Report,
    Score,
    Shard,
    Snapshot,
    Source,
    Status,
    Step,
    SuiteInfo,
    Summary,
    Tokens,
    Trajectory,
    Trial,
    TrialStats,
    Verdict,
)

STATUSES: tuple[Status, ...] = ("passed", "failed", "errored", "skipped", "unjudged")

# --- builders -------------------------------------------------------------------------------------------------------


def case(case_id: str = "refund-1", *, line: int = 1, file: str = "cases.jsonl", **more: Any) -> Case:
    return Case(id=case_id, source=Source(file=file, line=line), **more)


def good(scorer: str = "contains", **more: Any) -> Score:
    return Score(**{"scorer": scorer, "type": scorer, "value": 1.0, "passed": True, **more})


def missed(
    scorer: str = "contains", reason: str = 'expected output to contain "30 days", got: "soon"', **more: Any
) -> Score:
    return Score(**{"scorer": scorer, "type": scorer, "value": 0.0, "passed": False, "reason": reason, **more})


def graded(value: float, scorer: str = "levenshtein", **more: Any) -> Score:
    """A number without a verdict."""
    return Score(scorer=scorer, type=scorer, value=value, **more)


def broken(scorer: str = "judge", error: str = "judge call failed", **more: Any) -> Score:
    return replace(Score.broken(error), scorer=scorer, type=scorer, **more)


def passed(case_id: str = "refund-1", *, latency_ms: int = 12, text: str = "within 30 days", **more: Any) -> CaseResult:
    return CaseResult(
        **{
            "case": case(case_id),
            "status": "passed",
            "output": Output(text=text, latency_ms=latency_ms),
            "scores": (good(),),
            "latency_ms": latency_ms,
            **more,
        }
    )


def failed(case_id: str = "refund-2", *, latency_ms: int = 40, text: str = "soon", **more: Any) -> CaseResult:
    return passed(
        case_id, **{"latency_ms": latency_ms, "text": text, "status": "failed", "scores": (missed(),), **more}
    )


def errored(case_id: str = "boom", error: str = "connection refused", **more: Any) -> CaseResult:
    return CaseResult(**{"case": case(case_id), "status": "errored", "error": error, **more})


def skipped(case_id: str = "late", **more: Any) -> CaseResult:
    error = "skipped: run budget of $5 exhausted (spent $5.2500)"
    return CaseResult(**{"case": case(case_id), "status": "skipped", "error": error, **more})


def unjudged(case_id: str = "open", value: float = 0.62, **more: Any) -> CaseResult:
    return passed(case_id, **{"status": "unjudged", "scores": (graded(value),), **more})


def tried(case_id: str = "coin", *passes: bool, **more: Any) -> CaseResult:
    """A case of several trials; it passed when more than half of them did."""
    trials = tuple(
        Trial(passed=ok, output=Output(text="", latency_ms=10), scores=(good() if ok else missed(),)) for ok in passes
    )
    fraction = sum(passes) / len(passes)
    won = fraction > 0.5
    folded = Score(
        scorer="contains",
        type="contains",
        value=fraction,
        passed=won,
        reason="" if won else f"trial {passes.index(False)}: wanted heads",
    )
    stats = TrialStats(pass_fraction=fraction, score_mean=fraction, score_range=float(len(set(passes)) - 1))
    return passed(
        case_id,
        **{
            "status": "passed" if won else "failed",
            "latency_ms": 10,
            "scores": (folded,),
            "trials": trials,
            "trial_stats": stats,
            **more,
        },
    )


def suite(**more: Any) -> SuiteInfo:
    return SuiteInfo(**{"config": "evals.yaml", "target": "bot", "cache": "replay", "cases": 0, **more})


def summary_of(results: Sequence[CaseResult], **more: Any) -> Summary:
    """Totals that agree with the results."""
    count = {status: sum(result.status == status for result in results) for status in STATUSES}
    tokens = [result.tokens for result in results if result.tokens is not None]
    costs = [result.cost_usd for result in results if result.cost_usd is not None]
    return Summary(
        **{
            "total": len(results),
            "passed": count["passed"],
            "failed": count["failed"] + count["errored"] + count["skipped"],
            "errored": count["errored"],
            "skipped": count["skipped"],
            "unjudged": count["unjudged"],
            "flaky": sum(result.is_flaky for result in results),
            "tokens": sum(tokens) if tokens else None,
            "cost_usd": sum(costs) if costs else None,
            **_means(results),
            **more,
        }
    )


def _means(results: Sequence[CaseResult]) -> dict[str, Mapping[str, Any]]:
    values: dict[str, list[float]] = {}
    left_out: dict[str, int] = {}
    for score in (score for result in results for score in result.scores):
        if score.value is None:
            left_out[score.scorer] = left_out.get(score.scorer, 0) + 1
        else:
            values.setdefault(score.scorer, []).append(score.value)
    return {"mean_score": {name: sum(seen) / len(seen) for name, seen in values.items()}, "left_out": left_out}


def report_of(*results: CaseResult, **more: Any) -> Report:
    """A report over the results; without a verdict of its own, it failed when a case did."""
    summary = more.pop("summary", None) or summary_of(results)
    verdict = Verdict(passed=True, exit_code=0)
    if summary.failed:
        verdict = Verdict(passed=False, exit_code=1, reasons=(f"{summary.failed} of {summary.total} cases failed",))
    return Report(
        **{"suite": suite(cases=len(results)), "verdict": verdict, "summary": summary, "results": results, **more}
    )


def diff(**more: Any) -> BaselineDiff:
    return BaselineDiff(
        **{
            "label": "main",
            "source": ".evalci/baselines/evals/main.json",
            "passed": not (more.get("regressed") or more.get("new_failing")),
            "before_passed": 9,
            "before_total": 10,
            "after_passed": 8,
            "after_total": 10,
            **more,
        }
    )


def change(case_id: str, before: Status | None = "passed", after: Status | None = "failed", **texts: str) -> Change:
    """`before_text` and `after_text` give the texts."""
    return Change(
        case_id=case_id,
        before=before
        and Snapshot(status=before, text=texts.get("before_text", "within 30 days"), scores={"contains": 1.0}),
        after=after and Snapshot(status=after, text=texts.get("after_text", "soon"), scores={"contains": 0.0}),
    )


# --- strategies -----------------------------------------------------------------------------------------------------

HOSTILE = (
    "",
    "café 👩‍👩‍👧",
    "a\nb\r\nc\td",
    "\x1b[31mred\x1b[0m\x00\x7f\x9b",
    "x\u202edrowssap\u2066\u2069\u200f\u061c",
    "\ufffe\uffff\ufeff",
    "\u2028\u2029\x85",
    "e\u0301",
    "\"><img src=x onerror=alert(1)>&amp;'",
    "]]> <![CDATA[",
    "-->\n<!-- evalci:1 key=0 -->",
    "```\n`````\n~~~",
    "| a | b \\| c |",
    "@org/team fixes #12, closes org/repo#3 and GH-4",
    "::error::x ##[add-mask]y",
    "[go](javascript:alert(1)) ![x](https://example.com/x.png) https://example.com www.example.com",
)


@cache
def texts(max_size: int = 12) -> st.SearchStrategy[str]:
    """Short text, hostile text among it; no lone surrogates, which are gone before a report is made."""
    plain = st.text("abcxyz019 -_./", max_size=max_size)
    return st.one_of(plain, st.sampled_from(HOSTILE), st.text(max_size=max_size))


@cache
def counts(high: int = 5000) -> st.SearchStrategy[int]:
    return st.integers(0, high)


@cache
def fractions() -> st.SearchStrategy[float]:
    return st.floats(0, 1)


@cache
def finite() -> st.SearchStrategy[float]:
    return st.floats(allow_nan=False, allow_infinity=False)


@cache
def costs() -> st.SearchStrategy[float | None]:
    return st.none() | st.floats(0, 100)


@cache
def json_values() -> st.SearchStrategy[Any]:
    leaves = st.none() | st.booleans() | st.integers() | finite() | texts(6)
    return st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts(4), inner, max_size=2), max_leaves=4
    )


@cache
def tokens() -> st.SearchStrategy[Tokens | None]:
    return st.none() | st.builds(Tokens, counts(), counts())


@cache
def scores() -> st.SearchStrategy[Score]:
    names: dict[str, Any] = {
        "scorer": st.sampled_from(("contains", "judge", "tone|x")),
        "type": st.sampled_from(("contains", "judge")),
    }
    more: dict[str, Any] = {
        "metadata": st.none() | st.dictionaries(texts(4), json_values(), max_size=2),
        "tokens": tokens(),
        "cost_usd": costs(),
    }
    seen = st.builds(Score, value=st.floats(-1, 1), passed=st.none() | st.booleans(), reason=texts(), **names, **more)
    failed = st.builds(Score, passed=st.just(False), error=texts().filter(bool), reason=texts(), **names, **more)
    return st.one_of(seen, failed)


@cache
def _steps() -> st.SearchStrategy[Step]:
    with_output = st.builds(Step, tool=texts(6), input=json_values(), output=json_values(), has_output=st.just(True))
    return st.one_of(st.builds(Step, tool=texts(6), input=json_values()), with_output)


@cache
def outputs() -> st.SearchStrategy[Output]:
    """What a report keeps of an output."""
    return st.builds(
        Output,
        text=texts(),
        latency_ms=counts(),
        tokens=tokens(),
        trajectory=st.none() | st.builds(Trajectory, steps=st.lists(_steps(), max_size=2).map(tuple)),
        notes=st.lists(texts(), max_size=1).map(tuple),
    )


@cache
def _trials() -> st.SearchStrategy[Trial]:
    answered = st.builds(
        Trial,
        passed=st.none() | st.booleans(),
        output=st.builds(Output, text=st.just(""), latency_ms=counts(), tokens=tokens()),
        scores=st.lists(scores(), max_size=1).map(tuple),
    )
    return st.one_of(answered, st.builds(Trial, passed=st.just(False), error=texts()))


@cache
def _cases() -> st.SearchStrategy[Case]:
    return st.builds(
        Case,
        id=texts(),
        context=st.none() | st.lists(texts(), max_size=2).map(tuple),
        source=st.none() | st.builds(Source, file=texts(), line=st.integers(1, 10_000)),
    )


@cache
def case_results() -> st.SearchStrategy[CaseResult]:
    """Results as a report keeps them: the case's id, source and context; a trial's figures, not its text."""
    common: dict[str, Any] = {
        "case": _cases(),
        "latency_ms": counts(),
        "tokens": st.none() | counts(),
        "cost_usd": costs(),
    }
    stats = st.builds(
        TrialStats, pass_fraction=fractions(), score_mean=st.none() | fractions(), score_range=st.none() | fractions()
    )
    judged = st.builds(
        CaseResult,
        status=st.sampled_from(("passed", "failed", "unjudged", "errored")),
        output=outputs(),
        scores=st.lists(scores(), max_size=2).map(tuple),
        **common,
    )
    lost = st.builds(CaseResult, status=st.sampled_from(("errored", "skipped")), error=texts(), **common)
    trials = st.builds(
        lambda result, trials, stats: replace(result, trials=tuple(trials), trial_stats=stats),
        judged,
        st.lists(_trials(), min_size=2, max_size=3),
        stats,
    )
    return st.one_of(judged, lost, trials)


@cache
def result_lists(max_size: int = 4) -> st.SearchStrategy[tuple[CaseResult, ...]]:
    return st.lists(case_results(), max_size=max_size, unique_by=lambda result: result.id).map(tuple)


@cache
def summaries() -> st.SearchStrategy[Summary]:
    """Totals of some results."""
    return result_lists().map(summary_of)


@cache
def _snapshots() -> st.SearchStrategy[Snapshot]:
    values = st.dictionaries(texts(6), st.none() | st.floats(-1, 1), max_size=2)
    return st.builds(Snapshot, status=st.sampled_from(STATUSES), text=st.none() | texts(), scores=values)


@cache
def _changes() -> st.SearchStrategy[tuple[Change, ...]]:
    one = st.builds(Change, case_id=texts(), before=st.none() | _snapshots(), after=st.none() | _snapshots())
    return st.lists(one, max_size=2).map(tuple)


def _diff_of(
    changes: Sequence[tuple[Change, ...]], before: tuple[int, int], after: tuple[int, int], **more: Any
) -> BaselineDiff:
    lists = dict(zip(("regressed", "new_failing", "edited", "fixed", "removed", "accepted"), changes, strict=True))
    return BaselineDiff(
        passed=not (lists["regressed"] or lists["new_failing"]),
        before_passed=min(before),
        before_total=max(before),
        after_passed=min(after),
        after_total=max(after),
        **lists,
        **more,
    )


@cache
def baseline_diffs() -> st.SearchStrategy[BaselineDiff]:
    pair = st.tuples(counts(), counts())
    return st.builds(
        _diff_of,
        st.tuples(*[_changes()] * 6),
        pair,
        pair,
        label=texts(),
        source=texts(),
        like_for_like=st.booleans(),
    )


@cache
def gate_outcomes() -> st.SearchStrategy[GateOutcome]:
    bound = st.none() | finite()
    return st.builds(
        GateOutcome,
        gate=texts(),
        type=st.sampled_from(("pass_rate", "mean_score", "cost")),
        passed=st.booleans(),
        actual=bound,
        min=bound,
        max=bound,
        reason=texts(),
    )


@cache
def verdicts() -> st.SearchStrategy[Verdict]:
    bad = st.builds(
        Verdict,
        passed=st.just(False),
        exit_code=st.sampled_from((1, 3, 130)),
        reasons=st.lists(texts(), min_size=1, max_size=2).map(tuple),
    )
    return st.one_of(st.just(Verdict(passed=True, exit_code=0)), bad)


@cache
def suites() -> st.SearchStrategy[SuiteInfo]:
    digest = st.none() | st.text("0123456789abcdef", min_size=64, max_size=64)
    return st.builds(
        SuiteInfo,
        config=texts(),
        target=texts(),
        cache=st.sampled_from(("auto", "replay", "live", "off")),
        cases=counts(),
        digests=st.builds(Digests, config=digest, cases=digest, cassette=digest, scorers=digest),
        shard=st.none() | st.builds(Shard, index=st.integers(1, 3), count=st.integers(3, 5)),
        filter=st.none() | texts(),
    )


@cache
def _classifications() -> st.SearchStrategy[Classification]:
    one = st.builds(
        ClassScores, label=texts(), precision=fractions(), recall=fractions(), f1=fractions(), support=counts()
    )
    return st.builds(
        Classification,
        labeled_cases=counts(),
        accuracy=fractions(),
        macro_f1=fractions(),
        classes=st.lists(one, max_size=2).map(tuple),
    )


@cache
def _recordings() -> st.SearchStrategy[Recordings]:
    keys = st.lists(st.text("0123456789abcdef", min_size=64, max_size=64), max_size=2).map(tuple)
    each: dict[str, Any] = dict.fromkeys(("hits", "misses", "recorded", "stale", "redacted"), counts())
    return st.builds(Recordings, used_keys=st.none() | keys, **each)


@cache
def _programs() -> st.SearchStrategy[ProgramStats]:
    return st.builds(
        ProgramStats,
        reason_counts=st.dictionaries(texts(6), counts(), max_size=2),
        timeout_rate=fractions(),
        success_rate=fractions(),
        total_executions=counts(),
    )


@cache
def plain_reports() -> st.SearchStrategy[Report]:
    """Reports of one arm."""
    changed = st.builds(ChangedRecording, key=texts(), case_id=texts(), before=texts(), after=texts())
    return st.builds(
        lambda results, **rest: Report(results=results, summary=summary_of(results), **rest),
        results=result_lists(),
        suite=suites(),
        verdict=verdicts(),
        gates=st.lists(gate_outcomes(), max_size=2).map(tuple),
        classification=st.none() | _classifications(),
        baseline=st.none() | baseline_diffs(),
        no_baseline=st.none() | texts(),
        programs=st.none() | _programs(),
        recordings=st.none() | _recordings(),
        changed_recordings=st.lists(changed, max_size=2).map(tuple),
        notes=st.lists(texts(), max_size=2).map(tuple),
    )


def comparison_of(arms: Sequence[Report]) -> Comparison:
    """Rows follow the first arm; the winner is the unique maximum."""
    rows = []
    for first in arms[0].results:
        cells = [next((result for result in arm.results if result.id == first.id), None) for arm in arms]
        means = tuple(_mean_of(cell) for cell in cells)
        best = max((mean for mean in means if mean is not None), default=None)
        leaders = [arm.suite.target for arm, mean in zip(arms, means, strict=True) if mean is not None and mean == best]
        rows.append(
            ComparisonRow(
                case_id=first.id,
                means=means,
                statuses=tuple(cell and cell.status for cell in cells),
                winner=leaders[0] if len(leaders) == 1 else None,
            )
        )
    wins = tuple(
        ArmWins(target=arm.suite.target, wins=sum(row.winner == arm.suite.target for row in rows)) for arm in arms
    )
    return Comparison(rows=tuple(rows), arms=wins, ties=sum(row.winner is None for row in rows))


def _mean_of(result: CaseResult | None) -> float | None:
    values = [score.value for score in result.scores if score.value is not None] if result else []
    return sum(values) / len(values) if values else None


def matrix_of(*arms: Report, **more: Any) -> Report:
    """The report of a matrix run over the arms."""
    worst = max(arm.verdict.exit_code for arm in arms)
    reasons = tuple(f"{arm.suite.target}: {reason}" for arm in arms for reason in arm.verdict.reasons)
    return Report(
        **{
            "suite": replace(arms[0].suite, target=",".join(arm.suite.target for arm in arms)),
            "verdict": Verdict(passed=not worst, exit_code=worst, reasons=reasons),
            "summary": summary_of([result for arm in arms for result in arm.results]),
            "arms": arms,
            "comparison": comparison_of(arms),
            **more,
        }
    )


def _named_apart(arms: Sequence[Report]) -> list[Report]:
    return [replace(arm, suite=replace(arm.suite, target=f"{arm.suite.target}-{n}")) for n, arm in enumerate(arms)]


@cache
def reports() -> st.SearchStrategy[Report]:
    """Reports of one arm, and now and then of a matrix."""
    matrix = st.lists(plain_reports(), min_size=2, max_size=2).map(_named_apart).map(lambda arms: matrix_of(*arms))
    return st.one_of(plain_reports(), plain_reports(), matrix)
