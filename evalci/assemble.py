"""From what a run did to the report that says it: fold, charge, sum up, compare, gate, decide."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evalci.engine import CaseRun
from evalci.errors import EXIT_PASSED, UsageError
from evalci.gates.facts import GateFacts, evaluate, needs_classification
from evalci.gates.verdict import decide, decide_all
from evalci.model import (
    BaselineDiff,
    CaseResult,
    Classification,
    Digests,
    GateOutcome,
    Recordings,
    Report,
    Snapshot,
    SuiteInfo,
    Summary,
    Verdict,
)
from evalci.pipeline import Arm, Plan, Surroundings, run_plan
from evalci.summary.budget import charge, skipped_result
from evalci.summary.numbers import total
from evalci.summary.programs import program_stats
from evalci.summary.proof import OncePerRun, missing_proof
from evalci.summary.summarize import summarize
from evalci.summary.trials import fold, single
from evalci.summary.verdicts import attempt

if TYPE_CHECKING:
    from evalci.baseline.snapshot import Baseline

DROP_ACCEPTED_BY: Final = "what got worse since the baseline is accepted by "


@dataclass(frozen=True, kw_only=True, slots=True)
class Accepted:
    """The accepted state that a run is compared with: its label, where it came from, and what it holds."""

    label: str
    source: str
    baseline: "Baseline"


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What the verdict is held against.

    `no_baseline` says why nothing is accepted yet, where somebody looked. `drop_accepted_by` names what accepts
    whatever got worse since the baseline (a person's label on the pull request); gates stand all the same.
    """

    accepted: Accepted | None = None
    no_baseline: str | None = None
    drop_accepted_by: str | None = None
    require_baseline: bool = False
    threshold: float | None = None


async def run_suite(plan: Plan, around: Surroundings, asked: Asked) -> Report:
    """From a checked plan to something a reporter can print."""
    _check_provable(plan)
    ran = await run_plan(plan, around)
    once = OncePerRun(plan.tools.known_secrets)
    settled = [(arm, once.settle(runs, arm.target, arm.slots)) for arm, runs in ran]
    results = [(arm, tuple(_result(plan, run) for run in runs)) for arm, runs in settled]
    return assemble(plan, asked, plan.digests, results)


def assemble(
    plan: Plan, asked: Asked, digests: Digests, results: Sequence[tuple[Arm, tuple[CaseResult, ...]]]
) -> Report:
    """The report over each arm's cases, in dataset order."""
    reports = [_arm_report(plan, asked, digests, arm, _charged(plan, found)) for arm, found in results]
    return reports[0] if len(reports) == 1 else _matrix_report(plan, asked, digests, reports)


def _charged(plan: Plan, results: tuple[CaseResult, ...]) -> tuple[CaseResult, ...]:
    """What the budget leaves out of a replay is skipped, in dataset order; a shard does not know what others spend."""
    if plan.request.cache != "replay" or plan.request.selection.shard is not None:
        return results
    return charge(results, plan.suite.run.budget_usd)


def _check_provable(plan: Plan) -> None:
    """Raises `UsageError` when what is never recorded is asked for in a way that proves nothing."""
    for arm in plan.arms:
        for who, part in arm.parts:
            why = getattr(part, "never_recorded", None)
            if why and plan.request.cache == "replay":
                hint = "pass --cache off: that starts the adapters, which may cost money"
                raise UsageError(f"{who}: {why}, so there is nothing to replay", hint=hint)
            if why and plan.request.selection.shard is not None:
                hint = "run the suite as a whole; --filter takes a part of it"
                raise UsageError(f"{who}: a shard cannot tell that no request id was given in another one", hint=hint)


def _result(plan: Plan, run: CaseRun) -> CaseResult:
    settings = plan.suite.run
    if run.spent_before is not None and settings.budget_usd is not None:
        return skipped_result(run.case, settings.budget_usd, run.spent_before)
    errors = settings.scorer_errors or "fail"
    if len(run.attempts) == 1:
        only = run.attempts[0]
        return single(run.case, output=only.output, error=only.error, scores=only.scores, scorer_errors=errors)
    trials = tuple(
        attempt(output=each.output, error=each.error, scores=each.scores, scorer_errors=errors) for each in run.attempts
    )
    return fold(run.case, trials, require=settings.trials.require, scorer_errors=errors)


def _arm_report(plan: Plan, asked: Asked, digests: Digests, arm: Arm, results: tuple[CaseResult, ...]) -> Report:
    """One target's report: totals, the difference to the baseline, the gates, and the verdict over all three."""
    alone = len(plan.arms) == 1
    results, calibrations = _calibrated(plan, arm, results)
    diff = _diff(plan, asked, digests, arm, results)
    gates = [block.settings for block in plan.suite.gates_of(arm.name)]
    classification = _classification(plan, gates, results)
    facts = GateFacts(
        results=results,
        classification=classification,
        before=_before(plan, asked, arm, results),
        like_for_like=diff is None or diff.like_for_like,
    )
    outcomes, verdict = _judged(plan, asked, arm, gates, facts, diff, calibrations)
    return Report(
        suite=_suite_info(plan, digests, arm.name, len(results)),
        verdict=verdict,
        summary=summarize(results, [slot.name for slot in arm.slots]),
        results=results,
        gates=outcomes,
        classification=classification,
        baseline=diff,
        no_baseline=asked.no_baseline if diff is None else None,
        programs=program_stats(results),
        recordings=_recordings(plan) if alone else None,
        changed_recordings=plan.cassette.changed if alone else (),
        notes=_notes(plan, asked) if alone else (),
    )


def _judged(
    plan: Plan,
    asked: Asked,
    arm: Arm,
    gates: Sequence[Any],
    facts: GateFacts,
    diff: BaselineDiff | None,
    calibrations: tuple[GateOutcome, ...],
) -> tuple[tuple[GateOutcome, ...], Verdict]:
    """Every gate and the verdict; nothing is asked of a shard to which no case fell."""
    results = tuple(facts.results)
    if _is_empty_shard(plan, results):
        return (), Verdict(passed=True, exit_code=EXIT_PASSED)
    outcomes = (*evaluate(gates, facts), *calibrations)
    verdict = decide(
        results=results,
        gates=outcomes,
        baseline=diff,
        threshold=asked.threshold,
        require_baseline=asked.require_baseline,
        incomplete=missing_proof(results, arm.target, arm.slots),
        no_baseline=asked.no_baseline or "",
        drop_accepted=asked.drop_accepted_by is not None,
    )
    return outcomes, verdict


def _is_empty_shard(plan: Plan, results: tuple[CaseResult, ...]) -> bool:
    """Did all cases of the suite fall to other shards? What is asked of the suite is asked there, and of the whole."""
    return plan.request.selection.shard is not None and not results and bool(plan.dataset.cases)


def _calibrated(
    plan: Plan, arm: Arm, results: tuple[CaseResult, ...]
) -> tuple[tuple[CaseResult, ...], tuple[GateOutcome, ...]]:
    """Judges that state how far they agree with people, measured again; a part of a suite cannot tell."""
    outcomes: list[GateOutcome] = []
    for place, slot in enumerate(arm.slots):
        calibration = getattr(slot.scorer, "calibration", None)
        if calibration is None or plan.request.selection.is_partial:
            continue
        from evalci.gates.calibration import keeps_agreement, validated

        kept = keeps_agreement(
            results,
            place,
            scorer=slot.name,
            labels=calibration.labels,
            threshold=calibration.threshold,
            min_kappa=calibration.min_kappa,
        )
        outcomes.append(kept)
        if kept.passed and kept.actual is not None:
            results = validated(results, place, kept.actual)
    return results, tuple(outcomes)


def _diff(plan: Plan, asked: Asked, digests: Digests, arm: Arm, results: tuple[CaseResult, ...]) -> BaselineDiff | None:
    """What changed since the accepted state, None when there is none."""
    if asked.accepted is None:
        return None
    from evalci.baseline.diff import compare

    return compare(
        asked.accepted.baseline,
        results,
        label=asked.accepted.label,
        source=asked.accepted.source,
        target=arm.name,
        scorers=digests.scorers,
        alone=len(plan.arms) == 1,
        partial=plan.request.selection.is_partial,
    )


def _before(plan: Plan, asked: Asked, arm: Arm, results: tuple[CaseResult, ...]) -> Mapping[str, Snapshot] | None:
    """What the accepted state holds of the cases whose content is the same."""
    if asked.accepted is None:
        return None
    from evalci.baseline.diff import unchanged

    return unchanged(asked.accepted.baseline, results, target=arm.name, alone=len(plan.arms) == 1)


def _matrix_report(plan: Plan, asked: Asked, digests: Digests, arms: Sequence[Report]) -> Report:
    """The arms side by side; it passes when every arm does."""
    from evalci.summary.comparison import compare_arms

    names = ", ".join(arm.suite.target for arm in arms)
    return Report(
        suite=_suite_info(plan, digests, names, len(plan.cases)),
        verdict=decide_all([(arm.suite.target, arm.verdict) for arm in arms]),
        summary=_sum([arm.summary for arm in arms]),
        recordings=_recordings(plan),
        changed_recordings=plan.cassette.changed,
        notes=_notes(plan, asked),
        arms=tuple(arms),
        # The evals of one file ask different things, so there is nothing to compare.
        comparison=None if plan.suite.evals else compare_arms([(arm.suite.target, arm.results) for arm in arms]),
    )


def _sum(summaries: Sequence[Summary]) -> Summary:
    """The totals of a matrix: counts, tokens and cost over all arms; means stay with their arm."""
    tokens = [summary.tokens for summary in summaries if summary.tokens is not None]
    counts = {
        name: sum(getattr(summary, name) for summary in summaries)
        for name in ("total", "passed", "failed", "errored", "skipped", "unjudged", "flaky")
    }
    return Summary(
        tokens=sum(tokens) if tokens else None, cost_usd=total(summary.cost_usd for summary in summaries), **counts
    )


def _classification(plan: Plan, gates: Sequence[Any], results: Sequence[CaseResult]) -> Classification | None:
    if not (plan.suite.run.classification or needs_classification(gates)):
        return None
    from evalci.summary.classification import classify

    return classify(results)


def _suite_info(plan: Plan, digests: Digests, target: str, cases: int) -> SuiteInfo:
    selection = plan.request.selection
    return SuiteInfo(
        config=plan.config_name,
        target=target,
        cache=plan.request.cache,
        cases=cases,
        digests=digests,
        shard=selection.shard,
        filter=", ".join(selection.filters) or None,
    )


def _notes(plan: Plan, asked: Asked) -> tuple[str, ...]:
    """What a reader should know besides: answers lost to a torn line, limits that did not bind, who accepted a drop."""
    notes = (*plan.cassette.notes, *plan.remarks)
    return notes if asked.drop_accepted_by is None else (*notes, f"{DROP_ACCEPTED_BY}{asked.drop_accepted_by}")


def _recordings(plan: Plan) -> Recordings | None:
    """How the cassette was used; nothing to say when it was off, or neither holds nor was asked for anything."""
    counts = plan.cassette.counts(with_keys=plan.request.selection.shard is not None)
    return None if plan.request.cache == "off" or counts == Recordings() else counts
