"""Reports as rich as real ones, for pages that people look at: a support bot, a matrix, a large run."""

from dataclasses import replace
from typing import Any

from evalci.model import (
    Case,
    CaseResult,
    Change,
    ChangedRecording,
    Classification,
    ClassScores,
    Digests,
    GateOutcome,
    Output,
    ProgramStats,
    Recordings,
    Report,
    Score,
    Snapshot,
    Source,
    Status,
    Step,
    SuiteInfo,
    Tokens,
    Trajectory,
    Trial,
    TrialStats,
    Verdict,
)
from tests.factories import diff, matrix_of, report_of, summary_of

REFUND_BEFORE = (
    "You can return any unworn item within 30 days of delivery for a full refund. Start the return from Orders → Return"
    " an item, print the label, and drop the parcel off at any post office. The money is back on your card within 5"
    " working days after we receive it."
)
REFUND_AFTER = (
    "You can return any unworn item within 14 days of delivery for store credit. Start the return from Orders → Return"
    " an item, print the label, and drop the parcel off at any post office. The money is back on your card within 5"
    " working days after we receive it."
)
CONTEXT = (
    "Returns policy, section 2: unworn items may be returned within 30 days of delivery for a full refund to the"
    " original means of payment.",
    "Returns policy, section 4: shipping costs are not refunded unless the item was faulty.",
)


def _judge(value: float, reason: str = "", threshold: float = 0.7) -> Score:
    return Score.graded(
        value,
        reason,
        threshold=threshold,
        metadata={"judge_model": "gpt-4.1-mini", "unvalidated": True, "prompt": "faithful/2"},
        tokens=Tokens(412, 38),
        cost_usd=0.00023,
    ).named("faithful", "judge")


def _contains(wanted: str, text: str) -> Score:
    if wanted in text:
        return Score.good().named("mentions", "contains")
    return Score.missed(f'wanted "{wanted}", saw "{text[:80]}"').named("mentions", "contains")


def _result(case_id: str, line: int, status: Status, text: str, *scores: Score, **more: Any) -> CaseResult:
    latency = 240 + 37 * line % 900
    return CaseResult(
        **{
            "case": Case(
                id=case_id, source=Source(file="cases/support.jsonl", line=line), context=more.pop("context", None)
            ),
            "status": status,
            "output": Output(text=text, latency_ms=latency, tokens=Tokens(96 + line, 58)),
            "scores": scores,
            "latency_ms": latency,
            "tokens": 604 + line,
            "cost_usd": 0.00041,
            **more,
        }
    )


def _coin(line: int) -> CaseResult:
    """Five trials, of which two passed."""
    seen = (0.9, 0.4, 0.85, 0.35, 0.3)
    trials = tuple(
        Trial(
            passed=value >= 0.7,
            output=Output(text="", latency_ms=300 + 20 * number, tokens=Tokens(101, 60)),
            scores=(_judge(value, "" if value >= 0.7 else "promises a call back that the policy does not offer"),),
        )
        for number, value in enumerate(seen[:4])
    ) + (Trial(passed=False, error="https://api.example.com/v1 answered 503 three times"),)
    folded = replace(_judge(0.56, "trial 1: promises a call back that the policy does not offer"), passed=False)
    return _result(
        "angry-customer-callback",
        line,
        "failed",
        "I am so sorry about this! A manager will call you back within the hour.",
        folded,
        trials=trials,
        trial_stats=TrialStats(pass_fraction=0.4, score_mean=0.56, score_range=0.6),
        latency_ms=330,
    )


def _agent(line: int) -> CaseResult:
    steps = (
        Step(
            tool="search_orders",
            input={"email": "ada@example.com"},
            output=[{"order": "A-1001", "total": 59.9}],
            has_output=True,
        ),
        Step(
            tool="get_policy",
            input={"topic": "refund", "country": "DE"},
            output="30 days, unworn, full refund",
            has_output=True,
        ),
        Step(tool="issue_refund", input={"order": "A-1001", "amount": 59.9, "reason": "wrong size", "notify": True}),
    )
    output = Output(
        text="I have refunded order A-1001 for you.",
        latency_ms=4213,
        tokens=Tokens(2210, 310),
        trajectory=Trajectory(steps=steps),
        notes=("cut off by length",),
    )
    missed = Score.missed('issue_refund was called before "confirm_with_customer"').named("path", "trajectory")
    return _result("agent-refund-without-asking", line, "failed", "", missed, output=output, latency_ms=4213)


def support_results() -> tuple[CaseResult, ...]:
    """Passing, failing, errored, skipped and unjudged cases of a support bot."""
    good = "Within 30 days of delivery, unworn, for a full refund."
    plain = [
        _result(
            f"{topic}-{number}",
            4 * place + number,
            "passed",
            f"{good} ({topic} {number})",
            _contains("30 days", good),
            _judge(0.8 + number / 50),
        )
        for place, topic in enumerate(("returns", "shipping", "gift-card", "account", "warranty", "sizes"), 3)
        for number in range(1, 5)
    ]
    refund = _result(
        "refund-window",
        1,
        "failed",
        REFUND_AFTER,
        _contains("30 days", REFUND_AFTER),
        _judge(0.35, "The answer says 14 days and store credit; the policy says 30 days and a full refund."),
        context=CONTEXT,
    )
    arabic = _result(
        "arabic-greeting",
        7,
        "unjudged",
        "مرحبا! كيف يمكنني مساعدتك اليوم؟",
        Score.graded(0.0, "").named("tone", "similarity"),
    )
    down = _result(
        "shipping-to-norway",
        3,
        "errored",
        "",
        output=None,
        tokens=None,
        cost_usd=None,
        error="https://api.example.com/v1 answered 503 after 3 attempts: upstream connect error",
    )
    broke = _result(
        "vat-number",
        4,
        "errored",
        "Our VAT number is DE123456789.",
        Score.broken("the judge's reply holds two different verdicts").named("faithful", "judge"),
    )
    late = _result(
        "loyalty-points",
        9,
        "skipped",
        "",
        output=None,
        tokens=None,
        cost_usd=None,
        error="skipped: run budget of $0.05 exhausted (spent $0.0502)",
    )
    return (refund, _coin(2), down, broke, _agent(5), *plain[:6], arabic, *plain[6:], late)


def _snapshot(status: Status, text: str | None, **scores: float | None) -> Snapshot:
    return Snapshot(status=status, text=text, scores=scores)


def support_report(**more: Any) -> Report:
    """A run that regressed against its baseline, with something in every part of a report."""
    results = support_results()
    angry = "I am so sorry about this! Please reply with your order number and we will look into it today."
    baseline = diff(
        before_passed=27,
        before_total=29,
        after_passed=24,
        after_total=len(results),
        regressed=(
            Change(
                case_id="refund-window",
                before=_snapshot("passed", REFUND_BEFORE, mentions=1.0, faithful=0.95),
                after=_snapshot("failed", REFUND_AFTER, mentions=0.0, faithful=0.35),
            ),
            Change(
                case_id="angry-customer-callback",
                before=_snapshot("passed", angry, faithful=0.9),
                after=_snapshot("failed", results[1].output.text if results[1].output else None, faithful=0.56),
            ),
        ),
        new_failing=(
            Change(
                case_id="agent-refund-without-asking",
                after=_snapshot("failed", "I have refunded order A-1001 for you.", path=0.0),
            ),
        ),
        fixed=(
            Change(
                case_id="gift-card-2",
                before=_snapshot("failed", "Gift cards never expire, in any country.", mentions=0.0, faithful=0.4),
                after=_snapshot(
                    "passed",
                    "Gift cards expire after three years, counted from the end of the year.",
                    mentions=1.0,
                    faithful=0.84,
                ),
            ),
        ),
        edited=(Change(case_id="sizes-1", before=_snapshot("passed", "a"), after=_snapshot("passed", "b")),),
        removed=(Change(case_id="fax-number", before=_snapshot("passed", "We have no fax.")),),
        accepted=(
            Change(case_id="shipping-to-norway", before=_snapshot("errored", None), after=_snapshot("errored", None)),
            Change(case_id="vat-number", before=_snapshot("failed", "?"), after=_snapshot("errored", "?")),
        ),
        like_for_like=False,
    )
    gates = (
        GateOutcome(
            gate="pass_rate >= 0.9",
            type="pass_rate",
            passed=False,
            actual=24 / 29,
            min=0.9,
            reason="24 of 29 judged cases pass",
        ),
        GateOutcome(gate="mean_score(faithful) >= 0.75", type="mean_score", passed=True, actual=0.8123, min=0.75),
        GateOutcome(gate="cost <= $0.05", type="cost", passed=True, actual=0.0123, max=0.05),
        GateOutcome(
            gate="latency(p95) <= 2000 ms",
            type="latency",
            passed=False,
            actual=4213,
            max=2000,
            reason="agent-refund-without-asking took 4213 ms",
        ),
    )
    summary = summary_of(results)
    return report_of(
        *results,
        **{
            "suite": SuiteInfo(
                config="evals.yaml",
                target="support-bot",
                cache="replay",
                cases=len(results),
                digests=Digests(config="a3" * 32, cases="7f" * 32, cassette="0c" * 32, scorers="be" * 32),
            ),
            "summary": summary,
            "verdict": Verdict(
                passed=False,
                exit_code=1,
                reasons=(
                    "2 cases regressed against baseline main, 1 new failing case",
                    "gate pass_rate >= 0.9 failed: 24 of 29 judged cases pass",
                    "gate latency(p95) <= 2000 ms failed: agent-refund-without-asking took 4213 ms",
                ),
            ),
            "gates": gates,
            "baseline": baseline,
            "classification": Classification(
                labeled_cases=24,
                accuracy=0.875,
                macro_f1=0.8412,
                classes=(
                    ClassScores(label="refund", precision=0.9, recall=0.8182, f1=0.8571, support=11),
                    ClassScores(label="shipping", precision=0.8333, recall=1.0, f1=0.9091, support=10),
                    ClassScores(label="other", precision=0.6667, recall=0.6667, f1=0.6667, support=3),
                ),
            ),
            "programs": ProgramStats(
                reason_counts={"success": 9, "timeout": 1}, timeout_rate=0.1, success_rate=0.9, total_executions=10
            ),
            "recordings": Recordings(hits=61, recorded=2, stale=3, redacted=1),
            "changed_recordings": (
                ChangedRecording(key="9f3c" * 16, case_id="refund-window", before=REFUND_BEFORE, after=REFUND_AFTER),
                ChangedRecording(
                    key="11ab" * 16, case_id="sizes-1", before="Sizes run small.", after="Sizes run true."
                ),
            ),
            "notes": ("the cassette was restored from the artifact of run 4711",),
            **more,
        },
    )


def passing_report() -> Report:
    """Nothing wrong, no baseline yet."""
    results = tuple(result for result in support_results() if result.status == "passed")
    return report_of(
        *results,
        suite=SuiteInfo(config="evals.yaml", target="support-bot", cache="replay", cases=len(results)),
        no_baseline="no artifact of branch main was found; the first push to main that passes leaves one",
        recordings=Recordings(hits=48),
        gates=(GateOutcome(gate="pass_rate >= 0.9", type="pass_rate", passed=True, actual=1.0, min=0.9),),
    )


def matrix_report() -> Report:
    """Three models on the same cases."""
    first = support_report(changed_recordings=(), notes=())
    better = tuple(
        replace(
            result,
            status="passed",
            scores=tuple(replace(score, value=1.0, passed=True, error=None, reason="") for score in result.scores),
        )
        if number % 2
        else result
        for number, result in enumerate(first.results)
    )
    arms = [replace(first, suite=replace(first.suite, target="gpt-4.1-mini"), classification=None, programs=None)]
    for name, results in (("claude-haiku", better), ("smollm2-135m-instruct-local", first.results[:20])):
        arms.append(
            report_of(*results, suite=replace(first.suite, target=name, cases=len(results)), gates=first.gates[:1])
        )
    return matrix_of(*arms)


def large_report(cases: int = 5_000) -> Report:
    """As many cases as asked for, one in twenty failing, with answers and contexts of a usual length."""
    results = []
    for number in range(cases):
        fails = number % 20 == 7
        text = f"Answer {number}: {REFUND_AFTER if fails else REFUND_BEFORE}"
        scores = (_contains("30 days", text), _judge(0.35 if fails else 0.9, "off the policy" if fails else ""))
        results.append(
            _result(f"case-{number + 1}", number + 1, "failed" if fails else "passed", text, *scores, context=CONTEXT)
        )
    return report_of(*results, suite=SuiteInfo(config="evals.yaml", target="support-bot", cache="replay", cases=cases))
