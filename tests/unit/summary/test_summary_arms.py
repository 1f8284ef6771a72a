"""A matrix side by side, and programs taken together."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.model import CaseResult, Output, ProgramStats
from evalci.summary.attempts import attempts_of
from evalci.summary.comparison import compare_arms
from evalci.summary.programs import aggregate, program_stats
from evalci.summary.trials import fold
from evalci.summary.verdicts import attempt
from tests.factories import broken, case, errored, good, graded, passed, result_lists


def scored(case_id: str, *values: float) -> CaseResult:
    return passed(case_id, scores=tuple(graded(value) for value in values))


def winner(*cells: CaseResult) -> str | None:
    (row,) = compare_arms([(f"arm{number}", [cell]) for number, cell in enumerate(cells)]).rows
    return row.winner


def test_the_unique_maximum_wins() -> None:
    assert winner(scored("c", 0.5), scored("c", 0.9), scored("c", 0.7)) == "arm1"


def test_a_shared_maximum_ties_even_when_a_rounding_error_sets_it_apart() -> None:
    assert winner(scored("c", 0.9), scored("c", 0.9), scored("c", 0.1)) is None
    assert winner(scored("c", 0.1 + 0.2), scored("c", 0.3)) is None
    assert winner(scored("c", 0.3 + 2e-9), scored("c", 0.3)) == "arm0"


def test_the_only_arm_with_a_score_wins_even_with_nothing() -> None:
    assert winner(errored("c"), scored("c", 0.0)) == "arm1"
    assert winner(errored("c"), errored("c")) is None


def test_a_broken_scorer_is_left_out_of_the_mean() -> None:
    assert winner(passed("c", scores=(good(), broken())), scored("c", 0.9)) == "arm0"


def test_rows_follow_the_first_arm_and_cells_match_by_id() -> None:
    found = compare_arms([("b", [scored("x", 0.2), scored("a", 0.3)]), ("a", [scored("a", 0.4), scored("new", 1.0)])])
    assert [(row.case_id, row.means, row.winner) for row in found.rows] == [
        ("x", (0.2, None), "b"),
        ("a", (0.3, 0.4), "a"),
    ]
    assert found.rows[0].statuses == ("passed", None)
    assert [(arm.target, arm.wins) for arm in found.arms] == [("b", 1), ("a", 1)]
    assert found.ties == 0


def test_no_arms_are_no_rows() -> None:
    assert compare_arms([]).rows == ()


@given(result_lists())
def test_an_arm_never_beats_itself(results: tuple[CaseResult, ...]) -> None:
    found = compare_arms([("a", results), ("b", results)])
    assert found.ties == len(results)
    assert [arm.wins for arm in found.arms] == [0, 0]


@given(st.lists(result_lists(), min_size=1, max_size=3))
def test_every_row_is_won_once_or_tied(arms: list[tuple[CaseResult, ...]]) -> None:
    found = compare_arms([(str(number), results) for number, results in enumerate(arms)])
    assert sum(arm.wins for arm in found.arms) + found.ties == len(arms[0])


def execution(reason: str, exit_code: int | None, **more: Any) -> dict[str, Any]:
    return {"reason": reason, "exit_code": exit_code, "timed_out": reason == "timeout", **more}


def test_reasons_are_counted_and_rates_are_over_all_executions() -> None:
    found = aggregate([execution("success", 0), execution("exit_code_1", 1), execution("timeout", -1)])
    assert found is not None
    assert found.reason_counts == {"success": 1, "exit_code_1": 1, "timeout": 1}
    assert (found.timeout_rate, found.success_rate) == pytest.approx((1 / 3, 1 / 3))
    assert found.total_executions == 3


def test_a_mismatch_is_a_success_of_the_program() -> None:
    found = aggregate([execution("success", 0), execution("output_mismatch", 0)])
    assert found is not None
    assert found.success_rate == 1.0


def test_more_exit_codes_may_count_as_success() -> None:
    found = aggregate([execution("success", 3, exit_ok=True), execution("exit_code_1", 1, exit_ok=False)])
    assert found is not None
    assert found.success_rate == 0.5


def test_an_execution_that_says_nothing_is_counted_as_unknown() -> None:
    found = aggregate([{}])
    assert found == ProgramStats(reason_counts={"unknown": 1}, timeout_rate=0.0, success_rate=0.0, total_executions=1)


def test_programs_are_found_in_every_trial_and_nowhere_else() -> None:
    program = Output(text="", program=execution("success", 0))
    twice = fold(case(), (attempt(output=program), attempt(error="boom"), attempt(output=program)))
    assert len(attempts_of(twice)) == 3
    found = program_stats([twice, errored(), passed("a"), passed("b", output=program)])
    assert found is not None
    assert found.total_executions == 3
    assert program_stats([errored(), passed("a")]) is None
