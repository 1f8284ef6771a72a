"""The verdict of a run."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.gates.verdict import decide, decide_all, measured_mean
from evalci.model import CaseResult, GateOutcome, Verdict
from tests.factories import (
    broken,
    change,
    diff,
    errored,
    failed,
    gate_outcomes,
    passed,
    result_lists,
    skipped,
    unjudged,
)

GREEN = Verdict(passed=True, exit_code=0)


def gate(*, ok: bool, actual: float | None = 0.9, reason: str = "") -> GateOutcome:
    return GateOutcome(gate="pass_rate >= 0.95", type="pass_rate", passed=ok, actual=actual, min=0.95, reason=reason)


def reasons(*results: CaseResult, **more: object) -> Sequence[str]:
    verdict = decide(results=results, **more)  # type: ignore[arg-type]
    assert verdict.passed == (not verdict.reasons)
    assert verdict.exit_code == (1 if verdict.reasons else 0)
    return verdict.reasons


def test_a_run_whose_cases_all_pass_is_green() -> None:
    assert decide(results=[passed("a"), passed("b")]) == GREEN


def test_a_run_without_cases_is_not_a_pass() -> None:
    assert reasons() == ("no case was run, and a run without cases is not a pass",)
    assert reasons(baseline=diff()) == ("no case was run, and a run without cases is not a pass",)
    assert decide_all([]).exit_code == 1


def test_failing_cases_are_counted_with_what_befell_them() -> None:
    assert reasons(passed("a"), failed("b")) == ("1 of 2 cases failed",)
    assert reasons(passed("a"), failed("b"), errored("c"), skipped("d")) == (
        "3 of 4 cases failed (1 errored, 1 skipped)",
    )


def test_unjudged_cases_fail_no_run_by_themselves() -> None:
    assert decide(results=[unjudged("a", 0.0)]) == GREEN


def test_failures_that_the_baseline_accepted_are_tolerated() -> None:
    assert decide(results=[failed("a")], baseline=diff(accepted=(change("a", "failed"),))) == GREEN


def test_what_got_worse_since_the_baseline_is_told_first() -> None:
    worse = diff(
        regressed=(change("a"), change("b")),
        new_failing=(change("c", None), change("d")),
        edited=(change("d"), change("e")),
    )
    assert reasons(failed("a"), gates=[gate(ok=False)], baseline=worse) == (
        '2 cases regressed against baseline "main"',
        "2 new failing cases (1 edited since the baseline)",
        "gate pass_rate >= 0.95 failed: 0.90",
    )
    assert reasons(failed("c"), baseline=diff(new_failing=(change("c", None),))) == ("1 new failing case",)


def test_gates_are_additive_to_the_baseline_contract() -> None:
    assert reasons(failed("a"), gates=[gate(ok=False)], baseline=diff()) == ("gate pass_rate >= 0.95 failed: 0.90",)
    assert decide(results=[passed("a")], gates=[gate(ok=True)]) == GREEN


def test_a_failed_gate_tells_its_reason_or_what_it_saw() -> None:
    assert reasons(passed(), gates=[gate(ok=False, reason="no cases")]) == ("gate pass_rate >= 0.95 failed: no cases",)
    assert reasons(passed(), gates=[gate(ok=False, actual=None)]) == (
        "gate pass_rate >= 0.95 failed: nothing was seen",
    )


def test_a_required_baseline_that_is_missing_fails_the_run() -> None:
    assert reasons(passed(), require_baseline=True) == ("a baseline is required and there is none",)
    assert reasons(passed(), require_baseline=True, no_baseline="the artifact expired") == (
        "a baseline is required and there is none: the artifact expired",
    )
    assert decide(results=[passed()], require_baseline=True, baseline=diff()) == GREEN
    assert decide(results=[passed()], no_baseline="the first run") == GREEN


def test_the_threshold_judges_the_mean_of_all_that_was_measured() -> None:
    results = [unjudged("a", 0.95), unjudged("b", 0.95), unjudged("c", 0.95)]
    assert decide(results=results, threshold=0.95) == GREEN
    assert reasons(*results, threshold=0.96) == ("the mean score 0.95 is below the threshold 0.96",)
    assert decide(results=[unjudged("a", 0.2)], threshold=0.0) == GREEN


def test_broken_scores_are_left_out_of_the_measured_mean() -> None:
    assert measured_mean([unjudged("a", 0.5), errored("b", scores=(broken(),))]) == 0.5


def test_a_run_without_a_mean_is_unmeasured_not_below_the_threshold() -> None:
    told = reasons(errored("a"), threshold=0.7)
    assert told[1] == "nothing was measured, so the mean score cannot be held against the threshold 0.7"


def test_a_threshold_that_is_no_number_passes_nothing() -> None:
    assert not decide(results=[passed()], threshold=math.nan).passed


def test_missing_evidence_makes_a_run_incomplete_whatever_else_it_did() -> None:
    verdict = decide(results=[failed("a")], incomplete=("case a: the judge gave no request_id",))
    assert verdict.exit_code == 3
    assert verdict.reasons == (
        "the evidence is incomplete: case a: the judge gave no request_id",
        "1 of 1 case failed",
    )


def test_arms_pass_together_or_not_at_all() -> None:
    red, incomplete = decide(results=[failed("a")]), decide(results=[passed()], incomplete=("x",))
    assert decide_all([("gpt", GREEN), ("claude", GREEN)]) == GREEN
    assert decide_all([("gpt", GREEN), ("claude", red)]) == Verdict(
        passed=False, exit_code=1, reasons=("claude: 1 of 1 case failed",)
    )
    assert decide_all([("gpt", red), ("claude", incomplete)]).exit_code == 3


@given(result_lists(), st.lists(gate_outcomes(), max_size=3), st.none() | st.floats(-1, 1), st.booleans())
def test_a_run_is_green_exactly_when_nothing_speaks_against_it(
    results: tuple[CaseResult, ...], gates: list[GateOutcome], threshold: float | None, require: bool
) -> None:
    verdict = decide(results=results, gates=gates, threshold=threshold, require_baseline=require)
    assert verdict.passed == (verdict.exit_code == 0) == (not verdict.reasons)
    cases_fine = bool(results) and all(result.status in ("passed", "unjudged") for result in results)
    measured = measured_mean(results)
    above = threshold is None or (measured is not None and measured >= threshold - 1e-9)
    assert verdict.passed == (cases_fine and all(each.passed for each in gates) and above and not require)


@pytest.mark.parametrize("count", [1, 2])
def test_reasons_are_counted_in_words_that_agree(count: int) -> None:
    worse = diff(regressed=tuple(change(str(n)) for n in range(count)))
    (reason,) = reasons(failed("0"), baseline=worse)
    assert reason == f'{count} {"case" if count == 1 else "cases"} regressed against baseline "main"'
