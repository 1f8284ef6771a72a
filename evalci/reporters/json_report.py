"""Writes the JSON report, schema `evalci.report/1`: sorted keys, no clock, and nothing where there is nothing to say.

Plain dicts are built by hand, field by field: this stands on the path that every run pays for.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson

from evalci.model import (
    BaselineDiff,
    CaseResult,
    Change,
    Classification,
    Comparison,
    GateOutcome,
    Output,
    Recordings,
    Report,
    Score,
    Snapshot,
    SuiteInfo,
    Summary,
    Tokens,
    Trajectory,
    Trial,
)
from evalci.reporters.style import Style

MAX_DEPTH: Final = 100
# Of what a program target saw: what the statistics over all executions are made of.
EXECUTION_FIELDS: Final = ("reason", "timed_out", "exit_code", "exit_ok")
_OPTIONS: Final = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE


def render(report: Report, style: Style) -> str:
    """The JSON report as text."""
    return write_report(report).decode()


def write_report(report: Report) -> bytes:
    """The JSON report as UTF-8, ending in a newline."""
    return write_json(report_data(report))


def write_json(data: Any) -> bytes:
    """Pretty JSON with sorted keys, whatever the data holds: half characters and endless nesting are replaced."""
    try:
        return orjson.dumps(data, default=_mapping, option=_OPTIONS)
    except TypeError:
        # A lone surrogate, an integer of over 64 bits, a key that is no text, or nesting past orjson's own limit.
        import json

        text = json.dumps(writable(data), indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
        return text.encode() + b"\n"


def _mapping(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError


def writable(value: Any, depth: int = MAX_DEPTH) -> Any:
    """The same data, as JSON can hold it: lone surrogates become U+FFFD, what lies deeper than `depth` becomes `…`."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, float):
        return value if value - value == 0 else None
    if value is None or isinstance(value, int):
        return value
    if not depth:
        return "…"
    if isinstance(value, Mapping):
        return {writable(str(key)): writable(inner, depth - 1) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [writable(inner, depth - 1) for inner in value]
    return writable(str(value))


def report_data(report: Report) -> dict[str, Any]:
    """The report as plain JSON data."""
    data: dict[str, Any] = {
        "schema": report.schema,
        "suite": _suite(report.suite),
        "summary": _summary(report.summary),
        "verdict": {
            "exit_code": report.verdict.exit_code,
            "passed": report.verdict.passed,
            "reasons": report.verdict.reasons,
        },
    }
    if report.results or not report.arms:
        data["results"] = [_result(result) for result in report.results]
        if report.suite.shard is not None:
            _add_executions(data["results"], report.results)
    if report.gates:
        data["gates"] = [_gate(gate) for gate in report.gates]
    if report.changed_recordings:
        data["changed_recordings"] = [
            {"after": changed.after, "before": changed.before, "case_id": changed.case_id, "key": changed.key}
            for changed in report.changed_recordings
        ]
    if report.notes:
        data["notes"] = report.notes
    if report.no_baseline is not None:
        data["no_baseline"] = report.no_baseline
    if report.arms:
        data["arms"] = [report_data(arm) for arm in report.arms]
    data.update(_sections(report))
    return data


def _add_executions(written: list[dict[str, Any]], results: Sequence[CaseResult]) -> None:
    """How programs went in each attempt: the whole report's statistics are made of it once shards are merged."""
    for data, result in zip(written, results, strict=True):
        outputs = [trial.output for trial in result.trials] if result.trials else [result.output]
        executions = [None if output is None else output.program for output in outputs]
        if any(executions):
            data["executions"] = [
                None if one is None else {name: one[name] for name in EXECUTION_FIELDS if name in one}
                for one in executions
            ]


def _sections(report: Report) -> dict[str, Any]:
    """The parts that a run may lack as a whole."""
    data: dict[str, Any] = {}
    if report.classification is not None:
        data["classification"] = _classification(report.classification)
    if report.baseline is not None:
        data["baseline"] = _baseline(report.baseline)
    if (programs := report.programs) is not None:
        data["programs"] = {
            "reason_counts": programs.reason_counts,
            "success_rate": programs.success_rate,
            "timeout_rate": programs.timeout_rate,
            "total_executions": programs.total_executions,
        }
    if report.recordings is not None:
        data["recordings"] = _recordings(report.recordings)
    if report.comparison is not None:
        data["comparison"] = _comparison(report.comparison)
    return data


def _suite(suite: SuiteInfo) -> dict[str, Any]:
    digests = suite.digests
    named = {
        "cases": digests.cases,
        "cassette": digests.cassette,
        "config": digests.config,
        "scorers": digests.scorers,
    }
    data: dict[str, Any] = {
        "cache": suite.cache,
        "cases": suite.cases,
        "config": suite.config,
        "digests": {name: digest for name, digest in named.items() if digest is not None},
        "target": suite.target,
    }
    if suite.filter is not None:
        data["filter"] = suite.filter
    if suite.shard is not None:
        data["shard"] = {"count": suite.shard.count, "index": suite.shard.index}
    return data


def _summary(summary: Summary) -> dict[str, Any]:
    data: dict[str, Any] = {
        "errored": summary.errored,
        "failed": summary.failed,
        "flaky": summary.flaky,
        "passed": summary.passed,
        "skipped": summary.skipped,
        "total": summary.total,
        "unjudged": summary.unjudged,
    }
    if summary.tokens is not None:
        data["tokens"] = summary.tokens
    if summary.cost_usd is not None:
        data["cost_usd"] = summary.cost_usd
    if summary.mean_score:
        data["mean_score"] = summary.mean_score
    if summary.left_out:
        data["left_out"] = summary.left_out
    return data


def _result(result: CaseResult) -> dict[str, Any]:
    case = result.case
    data: dict[str, Any] = {
        "case_id": case.id,
        "scores": [_score(score) for score in result.scores],
        "status": result.status,
    }
    if case.source is not None:
        data["source"] = {"file": case.source.file, "line": case.source.line}
    if case.context is not None:
        data["context"] = case.context
    if result.output is not None:
        data["output"] = _output(result.output)
    if result.error is not None:
        data["error"] = result.error
    if result.cost_usd is not None:
        data["cost_usd"] = result.cost_usd
    if result.trials:
        data["trials"] = [_trial(trial) for trial in result.trials]
    if (stats := result.trial_stats) is not None:
        data["trial_stats"] = {"pass_fraction": stats.pass_fraction}
        if stats.score_mean is not None:
            data["trial_stats"]["score_mean"] = stats.score_mean
        if stats.score_range is not None:
            data["trial_stats"]["score_range"] = stats.score_range
    if result.latency_ms != known_latency(result.output, result.trials):
        data["latency_ms"] = result.latency_ms
    if result.tokens != known_tokens(result.output, result.scores, result.trials):
        data["tokens"] = result.tokens
    return data


def known_latency(output: Output | None, trials: tuple[Trial, ...]) -> int:
    """The case's latency as the rest of it tells: the output's, or the whole mean over the trials."""
    if not trials:
        return 0 if output is None else output.latency_ms
    return sum(trial.output.latency_ms for trial in trials if trial.output is not None) // len(trials)


def known_tokens(output: Output | None, scores: tuple[Score, ...], trials: tuple[Trial, ...]) -> int | None:
    """The case's tokens as the rest of it tells: the output's and the judges', over all trials."""
    total = None
    attempts = ((trial.output, trial.scores) for trial in trials) if trials else ((output, scores),)
    for answer, judged in attempts:
        if answer is not None and answer.tokens is not None:
            total = (total or 0) + answer.tokens.total
        for score in judged:
            if score.tokens is not None:
                total = (total or 0) + score.tokens.total
    return total


def _output(output: Output) -> dict[str, Any]:
    data: dict[str, Any] = {"latency_ms": output.latency_ms, "text": output.text}
    if output.tokens is not None:
        data["tokens"] = _tokens(output.tokens)
    if output.trajectory is not None:
        data["trajectory"] = _trajectory(output.trajectory)
    if output.notes:
        data["notes"] = output.notes
    return data


def _tokens(tokens: Tokens) -> dict[str, int]:
    return {"input": tokens[0], "output": tokens[1]}


def _trajectory(trajectory: Trajectory) -> dict[str, Any]:
    steps = []
    for step in trajectory.steps:
        data = {"input": step.input, "tool": step.tool}
        if step.has_output:
            data["output"] = step.output
        steps.append(data)
    return {"steps": steps}


def _score(score: Score) -> dict[str, Any]:
    data: dict[str, Any] = {"scorer": score.scorer, "type": score.type}
    if score.value is not None:
        data["value"] = score.value
    if score.passed is not None:
        data["passed"] = score.passed
    if score.reason:
        data["reason"] = score.reason
    if score.error is not None:
        data["error"] = score.error
    if score.metadata is not None:
        data["metadata"] = score.metadata
    if score.tokens is not None:
        data["tokens"] = _tokens(score.tokens)
    if score.cost_usd is not None:
        data["cost_usd"] = score.cost_usd
    return data


def _trial(trial: Trial) -> dict[str, Any]:
    data: dict[str, Any] = {"scores": [_score(score) for score in trial.scores]}
    if trial.passed is not None:
        data["passed"] = trial.passed
    if trial.output is not None:
        data["latency_ms"] = trial.output.latency_ms
        if trial.output.tokens is not None:
            data["tokens"] = _tokens(trial.output.tokens)
    if trial.error is not None:
        data["error"] = trial.error
    return data


def _gate(gate: GateOutcome) -> dict[str, Any]:
    data: dict[str, Any] = {"gate": gate.gate, "passed": gate.passed, "type": gate.type}
    if gate.actual is not None:
        data["actual"] = gate.actual
    if gate.min is not None:
        data["min"] = gate.min
    if gate.max is not None:
        data["max"] = gate.max
    if gate.reason:
        data["reason"] = gate.reason
    return data


def _baseline(diff: BaselineDiff) -> dict[str, Any]:
    return {
        "accepted": [_change(change) for change in diff.accepted],
        "after_passed": diff.after_passed,
        "after_total": diff.after_total,
        "before_passed": diff.before_passed,
        "before_total": diff.before_total,
        "edited": [_change(change) for change in diff.edited],
        "fixed": [_change(change) for change in diff.fixed],
        "label": diff.label,
        "like_for_like": diff.like_for_like,
        "new_failing": [_change(change) for change in diff.new_failing],
        "passed": diff.passed,
        "regressed": [_change(change) for change in diff.regressed],
        "removed": [_change(change) for change in diff.removed],
        "source": diff.source,
    }


def _change(change: Change) -> dict[str, Any]:
    data: dict[str, Any] = {"case_id": change.case_id}
    if change.before is not None:
        data["before"] = _snapshot(change.before)
    if change.after is not None:
        data["after"] = _snapshot(change.after)
    return data


def _snapshot(snapshot: Snapshot) -> dict[str, Any]:
    data: dict[str, Any] = {"scores": snapshot.scores, "status": snapshot.status}
    if snapshot.text is not None:
        data["text"] = snapshot.text
    return data


def _classification(found: Classification) -> dict[str, Any]:
    return {
        "accuracy": found.accuracy,
        "classes": [
            {"f1": one.f1, "label": one.label, "precision": one.precision, "recall": one.recall, "support": one.support}
            for one in found.classes
        ],
        "labeled_cases": found.labeled_cases,
        "macro_f1": found.macro_f1,
    }


def _recordings(recordings: Recordings) -> dict[str, Any]:
    data: dict[str, Any] = {
        "hits": recordings.hits,
        "misses": recordings.misses,
        "recorded": recordings.recorded,
        "redacted": recordings.redacted,
        "stale": recordings.stale,
    }
    if recordings.used_keys is not None:
        data["used_keys"] = recordings.used_keys
    if recordings.missed_keys:
        data["missed_keys"] = recordings.missed_keys
    if recordings.redacted_keys:
        data["redacted_keys"] = recordings.redacted_keys
    return data


def _comparison(comparison: Comparison) -> dict[str, Any]:
    rows = []
    for row in comparison.rows:
        data: dict[str, Any] = {"case_id": row.case_id, "means": row.means, "statuses": row.statuses}
        if row.winner is not None:
            data["winner"] = row.winner
        rows.append(data)
    arms = [{"target": arm.target, "wins": arm.wins} for arm in comparison.arms]
    return {"arms": arms, "rows": rows, "ties": comparison.ties}
