"""Reads the JSON report back, trusting nothing: every field's type, every word of an enum, every size is checked.

Reports come back from other machines: shards, and in the fork pattern strangers' pull requests.
"""

from dataclasses import replace
from typing import Any, Final

from evalci.errors import ReportError
from evalci.model import (
    SCHEMA,
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
from evalci.reporters.json_nodes import MAX_BYTES, Node, a_choice, a_count, a_number, a_number_or_none, parse, refuse
from evalci.reporters.json_report import EXECUTION_FIELDS, known_latency, known_tokens
from evalci.wording import seen

MAX_ARMS: Final = 100
EXIT_CODES: Final = (0, 1, 2, 3, 130)


def read_report(data: bytes, *, max_bytes: int = MAX_BYTES) -> Report:
    """The report that was written as `data`. Raises `ReportError` naming the path of what is wrong."""
    node = Node(parse(data, max_bytes), "")
    schema = node.text("schema", "")
    if schema != SCHEMA:
        raise ReportError(
            f"the report has schema {seen(schema)}, this version of evalci reads {SCHEMA}",
            hint="it is no report of evalci, or one of another version"
            if schema
            else "the file holds no report of evalci",
        )
    return _report(node)


def _report(node: Node) -> Report:
    node.shorter_than("arms", MAX_ARMS)
    return Report(
        suite=_suite(node.node("suite")),
        verdict=_verdict(node.node("verdict")),
        summary=_summary(node.node("summary")),
        results=node.each("results", _result),
        gates=node.each("gates", _gate),
        classification=node.maybe("classification", _classification),
        baseline=node.maybe("baseline", _baseline),
        no_baseline=node.maybe_text("no_baseline"),
        programs=node.maybe("programs", _programs),
        recordings=node.maybe("recordings", _recordings),
        changed_recordings=node.each("changed_recordings", _changed_recording),
        notes=node.texts("notes"),
        arms=node.each("arms", _arm),
        comparison=node.maybe("comparison", _comparison),
    )


def _arm(node: Node) -> Report:
    if node.has("arms"):
        refuse(node.at("arms"), "nothing, since an arm has no arms", node.value["arms"])
    return _report(node)


def _suite(node: Node) -> SuiteInfo:
    return SuiteInfo(
        config=node.text("config"),
        target=node.text("target"),
        cache=node.text("cache"),
        cases=node.count("cases"),
        digests=node.maybe("digests", _digests) or Digests(),
        shard=node.maybe("shard", _shard),
        filter=node.maybe_text("filter"),
    )


def _digests(node: Node) -> Digests:
    return Digests(
        config=node.maybe_text("config"),
        cases=node.maybe_text("cases"),
        cassette=node.maybe_text("cassette"),
        scorers=node.maybe_text("scorers"),
    )


def _shard(node: Node) -> Shard:
    shard = Shard(index=node.count("index"), count=node.count("count"))
    if not 1 <= shard.index <= shard.count:
        refuse(node.at("index"), "a number from 1 to count", shard.index)
    return shard


def _verdict(node: Node) -> Verdict:
    verdict = Verdict(passed=node.flag("passed"), exit_code=node.count("exit_code"), reasons=node.texts("reasons"))
    if verdict.exit_code not in EXIT_CODES:
        refuse(node.at("exit_code"), f"one of {', '.join(map(str, EXIT_CODES))}", verdict.exit_code)
    if verdict.passed != (verdict.exit_code == 0):
        refuse(node.at("passed"), f"what exit_code {verdict.exit_code} says", verdict.passed)
    return verdict


def _summary(node: Node) -> Summary:
    return Summary(
        total=node.count("total"),
        passed=node.count("passed"),
        failed=node.count("failed"),
        errored=node.count("errored", 0),
        skipped=node.count("skipped", 0),
        unjudged=node.count("unjudged", 0),
        flaky=node.count("flaky", 0),
        tokens=node.count("tokens", None),
        cost_usd=node.number("cost_usd"),
        mean_score=node.mapping("mean_score", a_number),
        left_out=node.mapping("left_out", a_count),
    )


def _result(node: Node) -> CaseResult:
    output = node.maybe("output", _output)
    scores = node.each("scores", _score)
    trials = node.each("trials", _trial)
    if node.has("executions"):
        output, trials = _with_executions(node, output, trials)
    return CaseResult(
        case=Case(
            id=node.text("case_id"),
            context=node.texts("context") if node.has("context") else None,
            source=node.maybe("source", lambda at: Source(file=at.text("file"), line=at.count("line"))),
        ),
        status=node.one_of("status", Status),
        output=output,
        error=node.maybe_text("error"),
        scores=scores,
        latency_ms=node.count("latency_ms", known_latency(output, trials)),
        tokens=_own_tokens(node, output, scores, trials),
        cost_usd=node.number("cost_usd"),
        trials=trials,
        trial_stats=node.maybe("trial_stats", _trial_stats),
    )


def _with_executions(
    node: Node, output: Output | None, trials: tuple[Trial, ...]
) -> tuple[Output | None, tuple[Trial, ...]]:
    """A shard's results, with how programs went in each attempt."""
    seen_by = [None if value is None else _execution(Node(value, path)) for value, path in node.items("executions")]
    if len(seen_by) != max(len(trials), 1):
        refuse(node.at("executions"), "one for each attempt", seen_by)
    if not trials:
        return None if output is None else replace(output, program=seen_by[0]), trials
    pairs = zip(trials, seen_by, strict=True)
    return output, tuple(
        one if one.output is None else replace(one, output=replace(one.output, program=program))
        for one, program in pairs
    )


def _execution(node: Node) -> dict[str, Any]:
    return {name: node.anything(name) for name in EXECUTION_FIELDS if name in node.value}


def _own_tokens(node: Node, output: Output | None, scores: tuple[Score, ...], trials: tuple[Trial, ...]) -> int | None:
    """A null here is a statement: the case's tokens are not what the rest adds up to, they are not known."""
    if "tokens" in node.value:
        return node.count("tokens", None)
    return known_tokens(output, scores, trials)


def _output(node: Node) -> Output:
    return Output(
        text=node.text("text"),
        latency_ms=node.count("latency_ms", 0),
        tokens=node.maybe("tokens", _tokens),
        trajectory=node.maybe("trajectory", lambda at: Trajectory(steps=at.each("steps", _step))),
        notes=node.texts("notes"),
    )


def _tokens(node: Node) -> Tokens:
    return Tokens(node.count("input"), node.count("output"))


def _step(node: Node) -> Step:
    return Step(
        tool=node.text("tool"),
        input=node.anything("input"),
        output=node.anything("output"),
        has_output="output" in node.value,
    )


def _score(node: Node) -> Score:
    metadata: Any = node.anything("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        refuse(node.at("metadata"), "an object", metadata)
    fields: dict[str, Any] = {
        "scorer": node.text("scorer"),
        "type": node.text("type"),
        "value": node.number("value"),
        "passed": node.maybe_flag("passed"),
        "reason": node.text("reason", ""),
        "error": node.maybe_text("error"),
        "metadata": metadata,
        "tokens": node.maybe("tokens", _tokens),
        "cost_usd": node.number("cost_usd"),
    }
    try:
        return Score(**fields)
    except ValueError as exc:
        raise ReportError(f"the report cannot be used: {node.path}: {exc}") from None


def _trial(node: Node) -> Trial:
    latency = node.count("latency_ms", None)
    answered = latency is not None
    return Trial(
        passed=node.maybe_flag("passed"),
        output=Output(text="", latency_ms=latency or 0, tokens=node.maybe("tokens", _tokens)) if answered else None,
        error=node.maybe_text("error"),
        scores=node.each("scores", _score),
    )


def _trial_stats(node: Node) -> TrialStats:
    return TrialStats(
        pass_fraction=node.fraction("pass_fraction"),
        score_mean=node.number("score_mean"),
        score_range=node.number("score_range"),
    )


def _gate(node: Node) -> GateOutcome:
    return GateOutcome(
        gate=node.text("gate"),
        type=node.text("type"),
        passed=node.flag("passed"),
        actual=node.number("actual"),
        min=node.number("min"),
        max=node.number("max"),
        reason=node.text("reason", ""),
    )


def _classification(node: Node) -> Classification:
    return Classification(
        labeled_cases=node.count("labeled_cases"),
        accuracy=node.fraction("accuracy"),
        macro_f1=node.fraction("macro_f1"),
        classes=node.each("classes", _class_scores),
    )


def _class_scores(node: Node) -> ClassScores:
    return ClassScores(
        label=node.text("label"),
        precision=node.fraction("precision"),
        recall=node.fraction("recall"),
        f1=node.fraction("f1"),
        support=node.count("support"),
    )


def _baseline(node: Node) -> BaselineDiff:
    like_for_like = node.maybe_flag("like_for_like")
    return BaselineDiff(
        label=node.text("label"),
        source=node.text("source"),
        passed=node.flag("passed"),
        before_passed=node.count("before_passed"),
        before_total=node.count("before_total"),
        after_passed=node.count("after_passed"),
        after_total=node.count("after_total"),
        regressed=node.each("regressed", _change),
        new_failing=node.each("new_failing", _change),
        edited=node.each("edited", _change),
        fixed=node.each("fixed", _change),
        removed=node.each("removed", _change),
        accepted=node.each("accepted", _change),
        like_for_like=True if like_for_like is None else like_for_like,
    )


def _change(node: Node) -> Change:
    return Change(
        case_id=node.text("case_id"), before=node.maybe("before", _snapshot), after=node.maybe("after", _snapshot)
    )


def _snapshot(node: Node) -> Snapshot:
    return Snapshot(
        status=node.one_of("status", Status),
        text=node.maybe_text("text"),
        scores=node.mapping("scores", a_number_or_none),
    )


def _programs(node: Node) -> ProgramStats:
    return ProgramStats(
        reason_counts=node.mapping("reason_counts", a_count),
        timeout_rate=node.fraction("timeout_rate"),
        success_rate=node.fraction("success_rate"),
        total_executions=node.count("total_executions"),
    )


def _recordings(node: Node) -> Recordings:
    return Recordings(
        hits=node.count("hits", 0),
        misses=node.count("misses", 0),
        recorded=node.count("recorded", 0),
        stale=node.count("stale", 0),
        redacted=node.count("redacted", 0),
        used_keys=node.texts("used_keys") if node.has("used_keys") else None,
        missed_keys=node.texts("missed_keys"),
        redacted_keys=node.texts("redacted_keys"),
    )


def _changed_recording(node: Node) -> ChangedRecording:
    return ChangedRecording(
        key=node.text("key"), case_id=node.text("case_id"), before=node.text("before"), after=node.text("after")
    )


def _comparison(node: Node) -> Comparison:
    comparison = Comparison(
        rows=node.each("rows", _row),
        arms=node.each("arms", lambda at: ArmWins(target=at.text("target"), wins=at.count("wins"))),
        ties=node.count("ties"),
    )
    width = len(comparison.arms)
    for n, row in enumerate(comparison.rows):
        if not len(row.means) == len(row.statuses) == width:
            refuse(f"{node.at('rows')}[{n}]", f"{width} means and {width} statuses, one per arm", list(row.means))
    return comparison


def _row(node: Node) -> ComparisonRow:
    return ComparisonRow(
        case_id=node.text("case_id"),
        means=tuple([a_number_or_none(mean, path) for mean, path in node.items("means")]),
        statuses=tuple([_status_or_none(status, path) for status, path in node.items("statuses")]),
        winner=node.maybe_text("winner"),
    )


def _status_or_none(value: Any, path: str) -> Status | None:
    status: Status | None = None if value is None else a_choice(value, Status, path)
    return status
