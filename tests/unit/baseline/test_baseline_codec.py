"""The baseline file: what is kept, and what is refused."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.baseline.codec import SCHEMA, decode, encode
from evalci.baseline.snapshot import (
    TEXT_LENGTH,
    Baseline,
    BaselineCase,
    accepted,
    baseline_of,
    content_digest,
    snapshot_of,
)
from evalci.errors import BaselineError
from evalci.model import CaseResult, Output
from tests.factories import (
    broken,
    case,
    errored,
    failed,
    good,
    graded,
    json_values,
    matrix_of,
    passed,
    report_of,
    reports,
    result_lists,
    suite,
)

DIGEST = "0123456789abcdef" * 4
NAME = ".evalci/baselines/evals/main.json"
STATE = Baseline(scorers=DIGEST, arms={"bot": (accepted(passed("a")), accepted(errored("b")))})


def file_with(change: Callable[[dict[str, Any]], object]) -> bytes:
    data = json.loads(encode(STATE))
    change(data)
    return json.dumps(data).encode()


def refusal(data: bytes) -> str:
    with pytest.raises(BaselineError) as caught:
        decode(data, name=NAME)
    assert caught.value.exit_code == 2
    assert caught.value.hint
    return caught.value.message


@given(st.dictionaries(st.text(max_size=3), result_lists(), max_size=2), st.none() | st.just(DIGEST))
def test_a_baseline_reads_back_as_it_was_written(arms: dict[str, tuple[CaseResult, ...]], scorers: str | None) -> None:
    baseline = Baseline(
        scorers=scorers, arms={target: tuple(map(accepted, results)) for target, results in arms.items()}
    )
    data = encode(baseline)
    assert decode(data, name=NAME) == baseline
    assert encode(decode(data, name=NAME)) == data


def test_text_with_half_a_surrogate_pair_survives() -> None:
    baseline = Baseline(arms={"bot": (accepted(passed("a", text="\ud800!")),)})
    assert decode(encode(baseline), name=NAME) == baseline


def test_the_file_is_for_people_and_for_git_too() -> None:
    state = Baseline(scorers=DIGEST, arms={"bot": (accepted(passed("café", text="30 days", scores=(graded(0.5),))),)})
    assert encode(state).decode().splitlines() == [
        "{",
        ' "arms": {',
        '  "bot": [',
        "   {",
        '    "case_id": "café",',
        f'    "content": "{content_digest(case())}",',
        f'    "output": "{accepted(passed(text="30 days")).output}",',
        '    "scores": {',
        '     "levenshtein": 0.5',
        "    },",
        '    "status": "passed",',
        '    "text": "30 days"',
        "   }",
        "  ]",
        " },",
        f' "schema": "{SCHEMA}",',
        f' "scorers": "{DIGEST}"',
        "}",
    ]


@given(result_lists(), st.integers(0, 5000))
def test_neither_time_nor_cost_is_kept(results: tuple[CaseResult, ...], latency_ms: int) -> None:
    slower = [
        replace(
            result,
            latency_ms=latency_ms,
            cost_usd=1.5,
            tokens=7,
            output=result.output and replace(result.output, latency_ms=latency_ms, tokens=None),
        )
        for result in results
    ]
    assert list(map(accepted, results)) == list(map(accepted, slower))


def test_cases_keep_the_order_of_the_dataset() -> None:
    state = baseline_of(report_of(passed("z"), passed("a"), passed("m")))
    assert [kept.case_id for kept in decode(encode(state), name=NAME).arm("bot")] == ["z", "a", "m"]


def test_the_start_of_a_long_text_is_kept_and_a_digest_of_all_of_it() -> None:
    long, longer = (accepted(passed(text="x" * length)) for length in (TEXT_LENGTH + 1, TEXT_LENGTH + 2))
    assert long.text == longer.text == "x" * TEXT_LENGTH
    assert long.output != longer.output
    assert snapshot_of(passed(text="x" * 9999)).text == long.text


def test_a_case_without_an_output_keeps_neither_text_nor_digest() -> None:
    kept = accepted(errored("a"))
    assert (kept.text, kept.output, kept.scores) == (None, None, {})
    assert accepted(passed(text="")).text == ""


def test_two_scorers_of_one_name_are_kept_apart_and_a_broken_one_has_no_value() -> None:
    kept = accepted(passed(scores=(good("judge"), graded(0.5, "judge"), broken("tone"))))
    assert kept.scores == {"judge": 1.0, "judge#2": 0.5, "tone": None}


@given(json_values(), json_values())
def test_a_cases_content_is_what_it_asks_and_expects(first: Any, second: Any) -> None:
    same = content_digest(case("a", line=1, expected=first)) == content_digest(case("b", line=2, expected=second))
    if json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True):
        assert same
    elif type(first) is not type(second):
        assert not same or {type(first), type(second)} == {int, float}


def test_each_part_of_the_content_counts() -> None:
    parts: tuple[dict[str, Any], ...] = ({}, {"input": "x"}, {"expected": "x"}, {"context": ("x",)}, {"trace": "x"})
    assert len({content_digest(case(**part)) for part in parts}) == len(parts)


class Opaque:
    """What a suite in Python may ask with."""


def test_content_that_json_lacks_is_the_same_in_every_process() -> None:
    first, second = (
        case(input={"a": Opaque(), 1: [Opaque(), (True, None, 2.5)], "d": date(2024, 1, 2)}) for _ in range(2)
    )
    assert content_digest(first) == content_digest(second)
    assert content_digest(first) != content_digest(case(input={"a": 1}))
    assert content_digest(case(input={"\ud800": Opaque()})) != content_digest(case(input={"\ud801": Opaque()}))


def test_a_matrix_is_kept_arm_by_arm() -> None:
    arms = [report_of(passed("a"), suite=suite(target=name)) for name in ("gpt", "claude")]
    state = baseline_of(matrix_of(*arms))
    assert list(state.arms) == ["gpt", "claude"]
    assert (state.passed, state.total) == (2, 2)


def test_a_run_of_one_target_compares_with_the_only_arm_there_is() -> None:
    state = baseline_of(report_of(passed("a"), failed("b")))
    assert (state.passed, state.total) == (1, 2)
    assert state.arm("bot") == state.arm("renamed") != ()
    assert state.arm("renamed", alone=False) == ()
    assert Baseline(arms={"x": STATE.arms["bot"], "y": ()}).arm("z") == ()


@given(reports())
def test_any_report_can_be_accepted(report: Any) -> None:
    state = baseline_of(report)
    assert decode(encode(state), name=NAME) == state


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", f"{NAME}:1:1: the baseline is no JSON: expecting value"),
        (b'{"arms": }', f"{NAME}:1:10: the baseline is no JSON: expecting value"),
        (b"\xff\xfe", f"{NAME}: the baseline is no JSON: 'utf-8' codec can't decode"),
        (b"[" * 100_000, f"{NAME}: the baseline is no JSON: nested too deeply"),
        (b'{"a": 1, "a": 2}', f'{NAME}: the baseline is no JSON: the key "a" comes twice'),
        (b'{"a": NaN}', f"{NAME}: the baseline is no JSON: NaN is no number in JSON"),
        (b"[]", f"{NAME}: the baseline must be a JSON object"),
        (b"{}", f"{NAME}: schema is missing, this evalci reads {SCHEMA}"),
        (b'{"schema": "evalci.baseline/2"}', f'{NAME}: schema is "evalci.baseline/2", this evalci reads {SCHEMA}'),
    ],
)
def test_a_file_that_is_no_baseline_is_refused(data: bytes, message: str) -> None:
    assert refusal(data).startswith(message)


def test_a_left_merge_conflict_is_named_as_such() -> None:
    data = encode(STATE).replace(b' "schema"', b'<<<<<<< ours\n "schema"')
    with pytest.raises(BaselineError) as caught:
        decode(data, name=NAME)
    assert "merge conflict" in caught.value.hint


def _case(**changes: Any) -> Callable[[dict[str, Any]], object]:
    return lambda data: data["arms"]["bot"][1].update(changes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.pop("arms"), 'the baseline lacks the key "arms"'),
        (lambda data: data.update(gates=[]), 'the baseline has the unknown key "gates"'),
        (lambda data: data.update(scorers="x"), "scorers must be a SHA-256 in 64 hex digits"),
        (lambda data: data.update(arms=[]), "arms must be a JSON object"),
        (lambda data: data.update(arms={"bot": {}}), "arms.bot must be a list of cases"),
        (lambda data: data["arms"].update(bot=[1]), "arms.bot[0] must be a JSON object"),
        (_case(latency_ms=1), 'arms.bot[1] has the unknown key "latency_ms"'),
        (lambda data: data["arms"]["bot"][1].pop("status"), 'arms.bot[1] lacks the key "status"'),
        (_case(status="ok"), "arms.bot[1].status must be one of passed, failed, errored, skipped, unjudged"),
        (_case(status=[]), "arms.bot[1].status must be one of passed, failed, errored, skipped, unjudged"),
        (_case(case_id=7), "arms.bot[1].case_id must be text"),
        (_case(case_id="a"), 'arms.bot[1] is the case "a" again, after [0]'),
        (_case(content="abc"), "arms.bot[1].content must be a SHA-256 in 64 hex digits"),
        (_case(output=None), "arms.bot[1].output must be a SHA-256 in 64 hex digits"),
        (_case(text=None), "arms.bot[1].text must be text"),
        (_case(scores=[]), "arms.bot[1].scores must be a JSON object"),
        (_case(scores={"judge": True}), "arms.bot[1].scores.judge must be a number, or null where the scorer broke"),
        (_case(scores={"judge": "1"}), "arms.bot[1].scores.judge must be a number, or null where the scorer broke"),
        (_case(scores={"judge": 10**400}), "arms.bot[1].scores.judge must be a number, or null where the scorer broke"),
    ],
)
def test_anything_that_was_not_written_here_is_refused_by_its_place(
    change: Callable[[dict[str, Any]], object], message: str
) -> None:
    assert refusal(file_with(change)) == f"{NAME}: {message}"


def test_a_whole_number_is_a_score() -> None:
    state = decode(file_with(_case(scores={"judge": 1})), name=NAME)
    assert state.arm("bot")[1].scores == {"judge": 1.0}


def test_a_baseline_case_shows_itself_as_a_snapshot() -> None:
    kept = BaselineCase(case_id="a", status="failed", content=DIGEST, scores={"x": None}, text="soon")
    assert (kept.snapshot.status, kept.snapshot.text, kept.snapshot.scores) == ("failed", "soon", {"x": None})
    assert kept.snapshot == snapshot_of(replace(failed(), output=Output(text="soon"), scores=(broken("x"),)))
