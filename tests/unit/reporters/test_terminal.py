"""The terminal report, as people read it."""

import time
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given

from evalci.model import (
    ChangedRecording,
    Classification,
    GateOutcome,
    Output,
    ProgramStats,
    Recordings,
    Report,
    Shard,
    Verdict,
)
from evalci.reporters import PLAIN, Style
from evalci.reporters.terminal import baseline_section, render, verdict
from tests.factories import (
    broken,
    change,
    diff,
    errored,
    failed,
    good,
    graded,
    matrix_of,
    missed,
    passed,
    report_of,
    reports,
    skipped,
    suite,
    tried,
    unjudged,
)


def body(report: Report, style: Style = PLAIN) -> list[str]:
    return render(report, style).splitlines()


def end(report: Report) -> list[str]:
    return verdict(report, PLAIN).splitlines()


def floor(actual: float | None, low: float, **more: object) -> str:
    gate = GateOutcome(gate=f"mean_score >= {low}", type="mean_score", actual=actual, min=low, **more)
    [line] = [line for line in body(report_of(passed(), gates=(gate,))) if line.startswith("GATE")]
    return line


def test_a_passing_and_a_failing_case_read_as_everybody_expects() -> None:
    assert body(report_of(passed("a"), failed("b"))) == [
        "PASS a (12ms)",
        "FAIL b",
        '     contains: expected output to contain "30 days", got: "soon"',
        "",
        "1 passed, 1 failed, 2 total",
    ]


def test_a_case_of_several_trials_says_how_many_passed() -> None:
    lines = body(report_of(tried("a", True, False, True), tried("b", True, False, False)))
    assert lines[:3] == ["PASS a (10ms) [2/3 trials]", "FAIL b [1/3 trials]", "     contains: trial 1: wanted heads"]
    assert "1 passed, 1 failed, 2 total · 2 flaky" in lines


def test_errored_and_skipped_cases_fail_with_their_reason() -> None:
    lines = body(report_of(errored("a", "no answer"), skipped("b")))
    assert lines[:4] == [
        "FAIL a",
        "     target error: no answer",
        "FAIL b",
        "     target error: skipped: run budget of $5 exhausted (spent $5.2500)",
    ]
    assert lines[-1] == "0 passed, 2 failed, 2 total · 1 errored · 1 skipped"


def test_a_failure_without_a_reason_says_so() -> None:
    assert body(report_of(failed("a", scores=())))[1] == "     no scorer gave a reason"


def test_a_case_without_a_verdict_is_neither_pass_nor_fail() -> None:
    lines = body(report_of(unjudged("a", 0.62), unjudged("b", scores=())))
    assert lines[:2] == ["NONE a (12ms) no verdict: levenshtein 0.62", "NONE b (12ms) no verdict"]
    assert "0 passed, 0 failed, 2 total · 2 without a verdict" in lines


def test_tokens_and_cost_are_shown_when_they_are_known() -> None:
    lines = body(report_of(passed("a", tokens=120, cost_usd=0.00016480000000000002)))
    assert lines[-1] == "1 passed, 0 failed, 1 total · 120 tokens · $0.0002"


def test_a_tiny_cost_is_not_shown_as_nothing() -> None:
    assert body(report_of(passed(cost_usd=0.000001)))[-1].endswith(" · <$0.0001")
    assert body(report_of(passed(cost_usd=0.0)))[-1].endswith(" · $0.0000")


def test_quiet_leaves_out_passing_cases_and_nothing_else() -> None:
    report = report_of(passed("a"), failed("b"), unjudged("c"))
    loud, quiet = body(report), body(report, Style(quiet=True))
    assert [line for line in loud if line not in quiet] == ["PASS a (12ms)"]


def test_a_quiet_run_without_failures_has_no_blank_lines_to_start_with() -> None:
    assert body(report_of(passed("a")), Style(quiet=True)) == ["1 passed, 0 failed, 1 total"]


def test_a_run_without_cases_says_so() -> None:
    assert body(report_of())[0] == "no cases"


def test_remarks_on_an_output_stand_below_its_case() -> None:
    output = Output(text="x", latency_ms=3, notes=("the answer was cut off by length",))
    assert body(report_of(passed("a", output=output)))[1] == "     note: the answer was cut off by length"


def test_colour_is_on_the_words_alone() -> None:
    text = render(report_of(passed("a"), failed("b")), Style(color=True))
    assert "\x1b[32mPASS\x1b[0m a (12ms)\n\x1b[31mFAIL\x1b[0m b\n" in text


@given(reports())
def test_colour_changes_nothing_but_colour(report: Report) -> None:
    colored = render(report, Style(color=True)) + verdict(report, Style(color=True))
    for code in ("0", "1;31", "1;32", "31", "32", "33"):
        colored = colored.replace(f"\x1b[{code}m", "")
    assert colored == render(report, PLAIN) + verdict(report, PLAIN)


@given(reports())
def test_nobodys_text_moves_the_cursor_or_adds_a_line(report: Report) -> None:
    text = render(report, PLAIN) + verdict(report, PLAIN)
    assert not [char for char in text if char != "\n" and unicodedata.category(char) == "Cc"]
    assert not [char for char in text if char in "\u202a\u202e\u2066\u2069\u200e\u200f\u061c"]


def test_no_line_starts_with_what_a_case_says() -> None:
    hostile = "::error::x"
    report = report_of(
        failed(hostile, scores=(missed(reason=f"\n{hostile}"),)),
        gates=(GateOutcome(gate=hostile, type="cost", passed=False, reason=f"\n{hostile}"),),
        baseline=diff(label=hostile, regressed=(change(hostile),), removed=(change(hostile),)),
        notes=(hostile,),
        verdict=Verdict(passed=False, exit_code=1, reasons=(hostile,)),
    )
    text = render(report, PLAIN) + verdict(report, PLAIN)
    assert not [line for line in text.splitlines() if line.startswith("::")]


def test_an_endless_reason_is_cut() -> None:
    [line] = [line for line in body(report_of(errored(error="x" * 9999))) if "target error" in line]
    assert len(line) < 600
    assert line.endswith("…")


# --- means, gates and further lines ---------------------------------------------------------------------------------


def test_a_mean_that_counts_do_not_tell_is_shown_with_what_it_leaves_out() -> None:
    report = report_of(
        passed("a", scores=(good(), good("judge", value=0.9))),
        passed("b", scores=(good(), good("judge", value=0.7))),
        failed("c", scores=(good(), broken("judge")), status="errored"),
    )
    lines = body(report)
    assert "mean_score(judge) 0.80 over 2, 1 not measured" in lines
    assert not [line for line in lines if "mean_score(contains)" in line]


def test_a_mean_over_nothing_is_no_measurement() -> None:
    report = report_of(failed("a", scores=(broken("judge"),)), failed("b", scores=(broken("judge"),)))
    assert "mean_score(judge) not measured: 2 scores broke" in body(report)


def test_gates_show_what_they_saw_and_why_they_failed() -> None:
    gates = (
        GateOutcome(gate="pass_rate >= 0.5", type="pass_rate", passed=True, actual=0.5, min=0.5),
        GateOutcome(gate="cost <= $1", type="cost", passed=False, max=1, reason="no cost is known"),
    )
    lines = body(report_of(passed(), gates=gates))
    assert lines[-3:] == [
        "GATE PASS pass_rate >= 0.5 (actual 0.50)",
        "GATE FAIL cost <= $1 (actual not measured)",
        "     no cost is known",
    ]


@pytest.mark.parametrize(
    ("actual", "low", "passed", "shown"),
    [
        (0.33, 0.95, False, "0.33"),
        (0.39999999999999997, 0.4, True, "0.40"),
        (0.39999999999999997, 0.400001, False, "0.400000"),
        (0.7996, 0.8, False, "0.7996"),
        (0.664, 0.6635, True, "0.664"),
        (0.0004, 0.0001, True, "0.0004"),
        (-0.0000000001, 0.0, True, "0.00"),
        (0.0, 0.0, True, "0.00"),
        (1, 1, True, "1.00"),
    ],
)
def test_a_gate_shows_as_many_digits_as_it_takes_to_make_sense(
    actual: float, low: float, passed: bool, shown: str
) -> None:
    assert floor(actual, low, passed=passed).endswith(f"(actual {shown})")


def test_a_ceiling_shows_as_many_digits_as_it_takes_too() -> None:
    gate = GateOutcome(gate="cost <= $0.5", type="cost", passed=False, actual=0.5004, max=0.5)
    assert "GATE FAIL cost <= $0.5 (actual 0.5004)" in body(report_of(passed(), gates=(gate,)))


def test_classification_is_one_line() -> None:
    found = Classification(labeled_cases=5, accuracy=0.6, macro_f1=0.7222)
    assert body(report_of(passed(), classification=found))[-1] == (
        "classification: accuracy 0.60, macro-F1 0.72 over 5 labeled cases"
    )


def test_programs_are_summed_up_with_the_reasons_by_number() -> None:
    stats = ProgramStats(
        reason_counts={"timeout": 1, "success": 8, "exit_code_3": 1},
        timeout_rate=0.1,
        success_rate=0.8,
        total_executions=10,
    )
    assert body(report_of(passed(), programs=stats))[-2:] == [
        "programs: 10 runs, 80% succeeded, 10% timed out",
        "     success 8, exit_code_3 1, timeout 1",
    ]


def test_a_case_at_zero_without_a_verdict_needs_attention() -> None:
    report = report_of(
        unjudged("a", 0.0), unjudged("b", 0.2), passed("c", scores=(good(), graded(0.0, "ratio"))), failed("d")
    )
    lines = body(report)
    start = lines.index("needs attention: no verdict, but nothing right either")
    assert lines[start + 1 :] == ["     a: scored 0.00 on levenshtein", "     c: scored 0.00 on ratio"]


def test_a_long_list_of_cases_that_need_attention_is_cut() -> None:
    lines = body(report_of(*(unjudged(f"c{n}", 0.0) for n in range(25))))
    assert lines[-1] == "     and 5 more"


def test_recordings_notes_and_the_part_that_was_run_are_told() -> None:
    changed = (
        ChangedRecording(key="a" * 64, case_id="a", before="x", after="y"),
        ChangedRecording(key="b" * 64, case_id="b", before="x", after="y"),
    )
    report = report_of(
        passed("a"),
        recordings=Recordings(hits=40, recorded=2, misses=1, stale=3, redacted=1),
        changed_recordings=changed,
        baseline=diff(regressed=(change("b"),)),
        notes=("a torn line was dropped",),
        suite=suite(shard=Shard(index=1, count=4), filter="refund-*"),
        no_baseline="the artifact expired",
    )
    assert body(report)[-7:] == [
        "recordings: 40 replayed, 2 recorded, 1 missing, 3 unused, 1 with a secret redacted",
        "     `evalci record` calls what is missing and records it",
        "recordings: 2 answers re-recorded, 1 now scores lower",
        "shard 1/4 of the suite",
        "only the cases that match refund-*, not the whole suite",
        "no baseline: the artifact expired",
        "note: a torn line was dropped",
    ]


def test_unused_recordings_are_not_mentioned_when_there_are_none() -> None:
    assert body(report_of(passed(), recordings=Recordings())) == body(report_of(passed()))


def test_re_recorded_answers_are_not_called_lower_without_a_baseline() -> None:
    changed = (ChangedRecording(key="a" * 64, case_id="a", before="x", after="y"),)
    assert body(report_of(failed("a"), changed_recordings=changed))[-1] == "recordings: 1 answer re-recorded"


def test_a_score_that_fell_under_an_unchanged_status_counts_as_lower() -> None:
    moved = change("a", "failed", "failed")
    fixed = change("b", "failed", "passed")
    new = change("c", None)
    changed = tuple(ChangedRecording(key=c * 64, case_id=c, before="x", after="y") for c in "abcd")
    report = report_of(
        failed("a"),
        changed_recordings=changed,
        baseline=diff(accepted=(moved,), fixed=(fixed,), new_failing=(new,)),
    )
    assert body(report)[-1] == "recordings: 4 answers re-recorded, 1 now scores lower"


def test_a_scorer_that_the_baseline_did_not_have_lowers_nothing() -> None:
    moved = change("a", "failed", "failed")
    other = replace(moved, after=replace(moved.after, scores={"new": 0.0}))
    changed = (ChangedRecording(key="a" * 64, case_id="a", before="x", after="y"),)
    report = report_of(failed("a"), changed_recordings=changed, baseline=diff(accepted=(other,)))
    assert body(report)[-1] == "recordings: 1 answer re-recorded"


# --- baseline and verdict -------------------------------------------------------------------------------------------


def test_the_baseline_section_tells_what_changed() -> None:
    found = diff(
        regressed=(change("a"),),
        new_failing=(change("b", None), change("e")),
        edited=(change("e"), change("f", "passed", "passed")),
        fixed=(change("c", "failed", "passed"),),
        removed=(change("d", "passed", None),),
        accepted=(change("g", "failed", "failed"),),
        like_for_like=False,
    )
    assert baseline_section(found, PLAIN).splitlines() == [
        'baseline "main": 9/10 passed -> current: 8/10 passed',
        "     the scorers changed since: the two are not like for like",
        "REGRESSED a",
        "NEW FAIL  b",
        "NEW FAIL  e (edited)",
        "EDITED    f",
        "FIXED     c",
        "REMOVED   d",
        "     1 failure that the baseline already had",
        "baseline gate: FAIL (1 regressed, 2 new failing)",
    ]


def test_a_baseline_without_changes_is_two_lines() -> None:
    assert baseline_section(diff(), PLAIN) == (
        'baseline "main": 9/10 passed -> current: 8/10 passed\nbaseline gate: OK — no regressions\n'
    )


def test_a_run_ends_on_its_verdict_after_a_blank_line() -> None:
    assert verdict(report_of(passed()), PLAIN) == "\nPASSED\n"
    assert verdict(report_of(failed()), PLAIN) == "\nFAILED\n"


def test_a_run_that_got_worse_ends_on_how_much() -> None:
    report = report_of(failed(), baseline=diff(regressed=(change("a"),), new_failing=(change("b"), change("c"))))
    assert end(report)[-2:] == ["", "FAILED · 1 regressed, 2 new"]


def test_the_baseline_section_is_part_of_the_end_not_of_the_body() -> None:
    report = report_of(passed(), baseline=diff())
    assert not [line for line in body(report) if "baseline" in line]
    assert end(report)[1].startswith('baseline "main"')


def test_only_reasons_that_no_line_shows_are_given() -> None:
    gate = GateOutcome(gate="pass_rate >= 0.9", type="pass_rate", passed=False, actual=0.5, min=0.9)
    reasons = (
        "1 of 2 cases failed (1 errored)",
        '1 case regressed against baseline "main"',
        "2 new failing cases (1 edited since the baseline)",
        "gate pass_rate >= 0.9 failed: 0.50",
        "the mean score 0.52 is below the threshold 0.7",
        "a baseline is required and there is none: it expired",
    )
    report = report_of(passed(), gates=(gate,), verdict=Verdict(passed=False, exit_code=1, reasons=reasons))
    assert end(report) == [
        "",
        "not passed: the mean score 0.52 is below the threshold 0.7",
        "not passed: a baseline is required and there is none: it expired",
        "",
        "FAILED",
    ]


# --- matrix ---------------------------------------------------------------------------------------------------------


def test_a_matrix_shows_each_arm_and_then_who_won() -> None:
    arms = (
        report_of(passed("a"), failed("b"), suite=suite(target="gpt-4.1-mini")),
        report_of(failed("a"), suite=suite(target="claude")),
    )
    lines = body(matrix_of(*arms))
    assert lines[0] == "target gpt-4.1-mini"
    assert "target claude" in lines
    start = next(n for n, line in enumerate(lines) if "winner" in line)
    assert lines[start : start + 4] == [
        "  gpt-4.1-mini  claude  winner        case",
        "          1.00    0.00  gpt-4.1-mini  a",
        "          0.00       -  gpt-4.1-mini  b",
        "wins: gpt-4.1-mini 2, claude 0 · 0 ties",
    ]
    assert lines[-1] == "1 passed, 2 failed, 3 total"


def test_a_tie_has_no_winner() -> None:
    arms = [report_of(passed("a"), suite=suite(target=name)) for name in ("one", "two")]
    lines = body(matrix_of(*arms))
    assert "  1.00  1.00  tie     a" in lines
    assert "wins: one 0, two 0 · 1 tie" in lines


def test_each_arm_of_a_matrix_has_its_own_baseline_section() -> None:
    arms = [
        report_of(failed("a"), suite=suite(target=name), baseline=diff(regressed=(change("a"),)))
        for name in ("one", "two")
    ]
    lines = end(matrix_of(*arms))
    assert 'baseline "main" (one): 9/10 passed -> current: 8/10 passed' in lines
    assert 'baseline "main" (two): 9/10 passed -> current: 8/10 passed' in lines
    assert lines[-1] == "FAILED · 2 regressed, 0 new"


def test_arms_without_a_comparison_are_shown_all_the_same() -> None:
    whole = matrix_of(
        report_of(passed("a"), suite=suite(target="one")), report_of(passed("a"), suite=suite(target="two"))
    )
    assert not [line for line in body(replace(whole, comparison=None)) if "winner" in line]


def test_ten_thousand_cases_cost_next_to_nothing() -> None:
    report = report_of(*(passed(f"case-{n}") for n in range(10_000)))
    times = []
    for _ in range(5):
        began = time.process_time()
        render(report, PLAIN)
        times.append(time.process_time() - began)
    assert min(times) < 0.1  # about 0.02 s; the slack is for a busy machine
