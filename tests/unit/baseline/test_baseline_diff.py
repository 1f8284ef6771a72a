"""A run against an accepted state."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.baseline.diff import compare, unchanged
from evalci.baseline.snapshot import Baseline, accepted
from evalci.model import BaselineDiff, CaseResult, Change, Status
from tests.factories import STATUSES, case, failed, graded, passed, result_lists

LISTS = ("regressed", "new_failing", "edited", "fixed", "removed", "accepted")


def state(*results: CaseResult) -> Baseline:
    return Baseline(arms={"bot": tuple(map(accepted, results))})


def against(before: Baseline, results: Sequence[CaseResult], **more: Any) -> BaselineDiff:
    return compare(before, results, **{"label": "main", "source": "main.json", "target": "bot", **more})


def moved(before: Status, after: Status) -> set[str]:
    found = against(state(passed("a", status=before)), [passed("a", status=after)])
    return {name for name in LISTS if getattr(found, name)}


def ids(changes: tuple[Change, ...]) -> list[str]:
    return [change.case_id for change in changes]


@given(result_lists())
def test_comparing_a_run_with_itself_finds_no_change(results: tuple[CaseResult, ...]) -> None:
    found = against(state(*results), results)
    assert found.is_empty
    assert found.passed
    assert found.like_for_like
    assert (found.before_passed, found.before_total) == (found.after_passed, found.after_total)


@pytest.mark.parametrize("after", ["failed", "errored", "skipped", "unjudged"])
def test_a_case_that_passed_and_no_longer_does_regressed(after: Status) -> None:
    assert moved("passed", after) == {"regressed"}


@pytest.mark.parametrize("after", ["failed", "errored", "skipped"])
def test_an_unjudged_case_that_fails_now_regressed(after: Status) -> None:
    assert moved("unjudged", after) == {"regressed"}


def test_an_unjudged_case_that_passes_now_is_no_change() -> None:
    assert moved("unjudged", "passed") == moved("unjudged", "unjudged") == moved("passed", "passed") == set()


@pytest.mark.parametrize("before", ["failed", "errored", "skipped"])
def test_a_failure_is_fixed_by_a_pass_and_by_nothing_else(before: Status) -> None:
    assert moved(before, "passed") == {"fixed"}
    assert all(moved(before, after) == {"accepted"} for after in STATUSES if after != "passed")


@pytest.mark.parametrize("before", STATUSES)
def test_an_edited_case_counts_as_new_whatever_it_was(before: Status) -> None:
    old = state(passed("a", status=before, case=case("a", expected="x")))
    failing = against(old, [failed("a", case=case("a", expected="y"))])
    assert (ids(failing.edited), ids(failing.new_failing), failing.passed) == (["a"], ["a"], False)
    assert not (failing.regressed or failing.accepted)
    passing = against(old, [passed("a", case=case("a", expected="y"))])
    assert (ids(passing.edited), passing.new_failing, passing.fixed, passing.passed) == (["a"], (), (), True)


def test_a_case_that_only_moved_in_its_file_is_not_edited() -> None:
    old = state(failed("a", case=case("a", line=1)))
    assert against(old, [failed("a", case=case("a", line=9, file="other.jsonl"))]).is_empty


def test_adding_a_blank_does_not_silence_an_accepted_failure() -> None:
    old = state(failed("a", case=case("a", input="hello")))
    assert not against(old, [failed("a", case=case("a", input="hello "))]).passed


def test_a_new_case_matters_only_when_it_fails() -> None:
    found = against(state(passed("a")), [passed("a"), passed("n1"), failed("n2")])
    assert ids(found.new_failing) == ["n2"]
    assert found.new_failing[0].before is None
    assert not found.passed


def test_lists_follow_the_dataset_and_removed_follows_the_baseline() -> None:
    old = state(passed("z"), passed("gone-2"), passed("a"), passed("gone-1"))
    found = against(old, [failed("a"), failed("new"), failed("z")])
    assert (ids(found.regressed), ids(found.new_failing), ids(found.removed)) == (
        ["a", "z"],
        ["new"],
        ["gone-2", "gone-1"],
    )


def test_a_change_shows_both_sides() -> None:
    found = against(
        state(passed("a", text="within 30 days", scores=(graded(0.9),))),
        [failed("a", text="soon", scores=(graded(0.1),))],
    )
    (change,) = found.regressed
    assert change.before is not None
    assert change.after is not None
    assert (change.before.text, change.before.scores) == ("within 30 days", {"levenshtein": 0.9})
    assert (change.after.text, change.after.scores) == ("soon", {"levenshtein": 0.1})


def test_a_part_of_a_suite_says_nothing_of_the_rest() -> None:
    old = state(passed("a"), passed("b"), failed("c"))
    found = against(old, [passed("b")], partial=True)
    assert found.is_empty
    assert (found.before_passed, found.before_total) == (1, 1)
    assert ids(against(old, [passed("b")]).removed) == ["a", "c"]


def test_scorers_that_changed_are_not_like_for_like() -> None:
    old = replace(state(passed("a")), scorers="1" * 64)
    assert against(old, [passed("a")], scorers="1" * 64).like_for_like
    assert not against(old, [passed("a")], scorers="2" * 64).like_for_like
    assert not against(old, [passed("a")]).like_for_like


def test_an_arm_of_a_matrix_compares_with_its_own_arm_alone() -> None:
    old = state(failed("a"))
    assert against(old, [failed("a")], target="other").passed
    assert not against(old, [failed("a")], target="other", alone=False).passed


def test_only_cases_of_the_same_content_can_be_compared() -> None:
    old = state(passed("same"), passed("edited", case=case("edited", expected="x")), passed("gone"))
    found = unchanged(old, [failed("same"), failed("edited"), failed("new")], target="bot")
    assert list(found) == ["same"]
    assert found["same"].status == "passed"
    assert unchanged(old, [failed("same")], target="other", alone=False) == {}


@st.composite
def runs(draw: st.DrawFn) -> tuple[tuple[CaseResult, ...], tuple[CaseResult, ...]]:
    """Two runs over overlapping cases, some edited in between."""

    def run() -> tuple[CaseResult, ...]:
        names = draw(st.lists(st.sampled_from("abcdef"), unique=True, max_size=6))
        return tuple(
            passed(name, status=draw(st.sampled_from(STATUSES)), case=case(name, expected=draw(st.sampled_from("xxy"))))
            for name in names
        )

    return run(), run()


@given(runs())
def test_every_case_is_accounted_for_once(both: tuple[tuple[CaseResult, ...], tuple[CaseResult, ...]]) -> None:
    before, after = both
    found = against(state(*before), after)
    lists = {name: ids(getattr(found, name)) for name in LISTS}
    once = [*lists["regressed"], *lists["fixed"], *lists["accepted"], *lists["edited"]]
    new = [name for name in lists["new_failing"] if name not in lists["edited"]]
    assert len(set(once + new)) == len(once + new)
    assert set(lists["removed"]) == {result.id for result in before} - {result.id for result in after}
    for name in ("regressed", "new_failing", "edited", "fixed", "accepted"):
        order = [result.id for result in after if result.id in lists[name]]
        assert lists[name] == order


@given(runs())
def test_a_failing_case_is_told_somewhere(both: tuple[tuple[CaseResult, ...], tuple[CaseResult, ...]]) -> None:
    before, after = both
    found = against(state(*before), after)
    told = {*ids(found.regressed), *ids(found.new_failing), *ids(found.accepted)}
    assert {result.id for result in after if result.status in ("failed", "errored", "skipped")} <= told
    assert found.passed == (not found.regressed and not found.new_failing)
