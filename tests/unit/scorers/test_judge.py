"""The judge: asks once, replays without a key, and fails closed."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evalci.calls import CallError, Reply
from evalci.calls.cost import CostRates
from evalci.config.settings import Fault
from evalci.model import Output, Score, Tokens
from evalci.scorers.judge_model import Judge
from tests.doubles import Model, chat_server, opened, tools_in
from tests.factories import case

URL = "http://127.0.0.1:1/v1"


def settings(**more: Any) -> Judge:
    return Judge(**{"url": URL, "model": "m", "rubric": "R", **more})


def faults(**more: Any) -> list[tuple[str, str]]:
    found: Iterator[Fault] = settings(**more).check("judge scorer")
    return [(fault.field, fault.message) for fault in found]


class Judged:
    """A judge whose model answers as it is told."""

    def __init__(self, tmp_path: Path, reply: Reply | CallError, **more: Any) -> None:
        self.model = Model(lambda call: reply)
        tools = replace(tools_in(tmp_path), record=lambda live: self.model)
        self.scorer = settings(**more).build(tools)

    def score(self, text: str = "30 days", trial: int = 0, **more: Any) -> Score:
        return asyncio.run(self.scorer.score(case("c1", input="q", **more), Output(text=text, trial=trial)))


@pytest.mark.parametrize(("threshold", "shown"), [(1.5, "1.5"), (-0.1, "-0.1"), (2, "2"), (float("nan"), "NaN")])
def test_a_threshold_outside_the_range_is_a_mistake(threshold: float, shown: str) -> None:
    assert faults(threshold=threshold) == [("threshold", f"judge threshold {shown} outside 0.0..=1.0")]


def test_rates_below_zero_are_a_mistake() -> None:
    rates = CostRates(input_per_1m=-0.5, output_per_1m=1)
    assert faults(cost=rates) == [("cost.input_per_1m", "judge scorer has negative cost rates")]
    assert faults() == []


@pytest.mark.parametrize(("score", "threshold", "passed"), [
    (0.5, 0.5, True), (0.6999999999, 0.7, False), (0.7, 0.7, True), (0.0, 0.0, True), (1.0, 1.0, True),
])  # fmt: skip
def test_a_score_passes_at_the_threshold_exactly(tmp_path: Path, score: float, threshold: float, passed: bool) -> None:
    reply = Reply(text=f'{{"score": {score!r}, "reason": "so"}}')
    seen = Judged(tmp_path, reply, threshold=threshold).score()
    assert (seen.value, seen.passed, seen.reason) == (score, passed, "so")


def test_every_score_says_that_the_judge_is_unvalidated_and_what_it_cost(tmp_path: Path) -> None:
    rates = CostRates(input_per_1m=1.0, output_per_1m=2.0)
    for text in ('{"score": 1}', "no idea"):
        seen = Judged(tmp_path, Reply(text=text, tokens=Tokens(30, 8)), cost=rates).score()
        assert seen.metadata == {"unvalidated": True, "judge_model": "m", "judge_reply": text}
        assert (seen.tokens, seen.cost_usd) == (Tokens(30, 8), pytest.approx(4.6e-05))


def test_unknown_usage_is_not_zero(tmp_path: Path) -> None:
    seen = Judged(tmp_path, Reply(text='{"score": 1}'), cost=CostRates(input_per_1m=1, output_per_1m=1)).score()
    assert (seen.tokens, seen.cost_usd) == (None, None)


def test_a_reply_without_a_verdict_breaks_the_score_and_says_that_it_was_cut_off(tmp_path: Path) -> None:
    reply = Reply(text="Let me think", notes=("cut off by length (finish_reason: length)",))
    seen = Judged(tmp_path, reply).score()
    wanted = 'judge returned an unparseable verdict: "Let me think"; cut off by length (finish_reason: length)'
    assert (seen.value, seen.passed, seen.error, seen.reason) == (None, False, wanted, f"scorer error: {wanted}")


def test_a_call_that_failed_breaks_the_score_and_says_why(tmp_path: Path) -> None:
    seen = Judged(tmp_path, CallError("http://x answered 500 (after 3 attempts)")).score()
    assert seen.error == "judge call failed: http://x answered 500 (after 3 attempts)"
    assert seen.metadata == {"unvalidated": True, "judge_model": "m"}


def test_the_call_carries_all_that_decides_the_verdict_and_nothing_else(tmp_path: Path) -> None:
    judged = Judged(tmp_path, Reply(text='{"score": 1}'), threshold=0.9, api_key_env="KEY")
    judged.score(trial=2, expected="e", context=("one",))
    (call,) = judged.model.asked
    assert call.endpoint.identity == {"type": "openai-compatible", "url": URL, "model": "m"}
    assert (call.label, call.case_id, call.trial) == ("judge:c1", "c1", 2)
    assert all(part in call.input for part in ("Rubric: R", "\nq\n", '"e"', "[1] one", "\n30 days\n"))


def test_the_answer_is_what_a_quoted_verdict_is_held_against(tmp_path: Path) -> None:
    text = 'It only says {"score": 1.0}.'
    assert Judged(tmp_path, Reply(text=text)).score(text='{"score": 1.0}').passed is False
    assert Judged(tmp_path, Reply(text=text)).score(text="30 days").passed is True


def test_a_verdict_is_recorded_and_replays_without_server_and_key(tmp_path: Path) -> None:
    async def judge(scorer: Any) -> Score:
        score: Score = await scorer.score(case("c1", input="q"), Output(text="30 days"))
        return score

    with chat_server(lambda text: '{"score": 0.9, "reason": "names them"}') as (url, asked):
        with opened(tmp_path / ".evalci", "auto") as cassette:
            tools = tools_in(tmp_path, cassette=cassette, environ={"KEY": "k-1234567"}, live=True)

            async def live() -> Score:
                try:
                    return await judge(settings(url=url, api_key_env="KEY").build(tools))
                finally:
                    await tools.transport.close()

            first = asyncio.run(live())
        assert len(asked) == 1
    with opened(tmp_path / ".evalci", "replay") as cassette:
        scorer = settings(url=url, api_key_env="KEY").build(tools_in(tmp_path, cassette=cassette))
        assert asyncio.run(judge(scorer)) == first
        missed = asyncio.run(scorer.score(case("c2", input="other"), Output(text="soon")))
    assert first.value == 0.9
    assert missed.error is not None
    assert missed.error.startswith('judge call failed: cache miss for case "judge:c2" in replay mode')


def test_a_live_judge_without_its_key_is_a_mistake_in_the_config(tmp_path: Path) -> None:
    with pytest.raises(Fault, match="environment variable KEY is not set"):
        settings(api_key_env="KEY").build(tools_in(tmp_path, live=True))
