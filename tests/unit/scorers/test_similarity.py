"""Similarity: the raw cosine of two embeddings, never NaN, and no call where there is nothing to compare."""

import asyncio
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evalci.calls import CallError, Reply
from evalci.calls.cost import CostRates
from evalci.config.settings import Fault
from evalci.model import Output, Score, Tokens
from evalci.scorers import ScorerError
from evalci.scorers.similarity import Similarity, cosine, judged
from tests.doubles import Handler, Model, opened, serving, tools_in
from tests.factories import case

URL = "http://127.0.0.1:1/v1"
NUMBERS = st.floats(-1e6, 1e6, width=32)
VECTORS = st.lists(NUMBERS, min_size=1, max_size=8)


def settings(**more: Any) -> Similarity:
    return Similarity(**{"url": URL, "model": "m", **more})


def scored(tmp_path: Path, model: Model, *, text: str = "out", trial: int = 0, case_: Any = None, **more: Any) -> Score:
    tools = replace(tools_in(tmp_path), record=lambda live: model)
    found = case_ or case("c1", expected="wanted")
    return asyncio.run(settings(**more).build(tools).score(found, Output(text=text, trial=trial)))


# --- the number -----------------------------------------------------------------------------------------------------


@given(VECTORS)
def test_equal_vectors_give_exactly_one(vector: list[float]) -> None:
    value = cosine(vector, vector)
    assert value == (1.0 if any(vector) else None)


@given(VECTORS, st.sampled_from((2.0, 3.0, 0.1, -1.0, -7.0)))
def test_length_is_irrelevant_and_direction_is_not(vector: list[float], factor: float) -> None:
    assume(any(vector))
    value = cosine(vector, [factor * number for number in vector])
    assert value == pytest.approx(math.copysign(1.0, factor), abs=1e-9)


@given(st.integers(1, 8).flatmap(lambda size: st.tuples(*[st.lists(NUMBERS, min_size=size, max_size=size)] * 2)))
def test_the_cosine_lies_within_its_range_and_has_no_order(pair: tuple[list[float], list[float]]) -> None:
    value = cosine(*pair)
    assert value == cosine(*reversed(pair))
    assert value is None or -1.0 <= value <= 1.0


@pytest.mark.parametrize("broken", [[0.0, 0.0], [math.nan, 1.0], [math.inf, -math.inf], [1e308, 1e308]])
def test_a_vector_without_direction_is_a_failing_score_with_a_reason(broken: list[float]) -> None:
    for pair in ((broken, [1.0, 2.0]), ([1.0, 2.0], broken)):
        score = judged(*pair, threshold=-1.0)
        assert (score.value, score.passed) == (0.0, False)
        assert "no cosine similarity" in score.reason


def test_vectors_of_two_lengths_are_not_compared() -> None:
    score = judged([1.0], [1.0, 2.0], threshold=-1.0)
    assert (score.value, score.passed, score.reason) == (0.0, False, "embedding dimensions differ (1 vs 2)")


@pytest.mark.parametrize(("threshold", "passed"), [(0.6, True), (0.6 + 5e-10, True), (0.6 + 2e-9, False), (-1, True)])
def test_it_passes_at_the_threshold_but_for_rounding(threshold: float, passed: bool) -> None:
    score = judged([1.0, 0.0], [0.6, 0.8], threshold=threshold)
    assert (score.value, score.passed) == (pytest.approx(0.6), passed)


def test_a_miss_shows_four_decimals_and_the_threshold() -> None:
    assert judged([1.0, 0.0], [0.0, 1.0], threshold=0.5).reason == "cosine similarity 0.0000 is below threshold 0.5"
    assert judged([3.0, 0.0], [-1.5, 0.0], threshold=1.0).value == -1.0


# --- the calls ------------------------------------------------------------------------------------------------------


def embed(call: Any) -> Reply:
    return Reply(vector=(1.0, 0.0), tokens=Tokens(len(call.input), 0))


def test_the_expected_text_is_embedded_before_the_output_and_both_know_their_trial(tmp_path: Path) -> None:
    model = Model(embed)
    score = scored(tmp_path, model, trial=3)
    assert [(call.label, call.input, call.trial) for call in model.asked] == [
        ("embed-expected:c1", "wanted", 3),
        ("embed-output:c1", "out", 3),
    ]
    assert (score.tokens, score.cost_usd) == (Tokens(9, 0), None)


def test_tokens_and_cost_ride_on_the_score_when_they_are_known(tmp_path: Path) -> None:
    rates = CostRates(input_per_1m=2.0, output_per_1m=0.0)
    assert scored(tmp_path, Model(embed), cost=rates).cost_usd == pytest.approx(18e-6)
    half = Model(lambda call: replace_tokens(embed(call), call.input == "out"))
    score = scored(tmp_path, half, cost=rates)
    assert (score.tokens, score.cost_usd) == (None, None)


def replace_tokens(reply: Reply, away: bool) -> Reply:
    return Reply(vector=reply.vector, tokens=None if away else reply.tokens)


def test_an_expectation_that_is_no_text_is_embedded_as_compact_json(tmp_path: Path) -> None:
    model = Model(embed)
    scored(tmp_path, model, case_=case("c", expected={"b": 1, "a": [2.0, "é"]}))
    assert model.asked[0].input == '{"a":[2.0,"é"],"b":1}'


def test_without_an_expectation_nothing_is_called(tmp_path: Path) -> None:
    model = Model(embed)
    score = scored(tmp_path, model, case_=case("c"))
    assert (score.value, score.passed) == (0.0, False)
    assert "expected" in score.reason
    assert model.asked == []


def test_a_call_that_failed_is_an_error_of_the_scorer(tmp_path: Path) -> None:
    with pytest.raises(ScorerError, match=r"^embedding call failed: no route$"):
        scored(tmp_path, Model(lambda call: CallError("no route")))


def test_vectors_are_recorded_and_replay_to_the_same_score(tmp_path: Path) -> None:
    class Server(Handler):
        def do_POST(self) -> None:
            (text,) = json.loads(self.body())["input"]
            vector = [0.1, 0.2, 0.3] if text == "wanted" else [0.3, 0.2, 1 / 3]
            self.reply(json.dumps({"data": [{"index": 0, "embedding": vector}]}).encode())

    found, output = case("c1", expected="wanted"), Output(text="out")
    with serving(Server) as url, opened(tmp_path / ".evalci", "auto") as cassette:
        tools = tools_in(tmp_path, cassette=cassette, live=True)

        async def live() -> Score:
            try:
                return await settings(url=url).build(tools).score(found, output)
            finally:
                await tools.transport.close()

        first = asyncio.run(live())
    with opened(tmp_path / ".evalci", "replay") as cassette:
        scorer = settings(url=url).build(tools_in(tmp_path, cassette=cassette))
        assert asyncio.run(scorer.score(found, output)) == first
        with pytest.raises(ScorerError, match='cache miss for case "embed-output:c1" in replay mode'):
            asyncio.run(scorer.score(found, Output(text="other")))
    assert first.value == pytest.approx(cosine([0.1, 0.2, 0.3], [0.3, 0.2, 1 / 3]), abs=1e-6)


# --- the settings ---------------------------------------------------------------------------------------------------


def test_settings_say_what_is_wrong_with_them() -> None:
    assert [fault.message for fault in settings(url="").check("similarity scorer")] == [
        "similarity scorer: url must be non-empty"
    ]
    rates = CostRates(input_per_1m=-1, output_per_1m=0)
    assert [fault.field for fault in settings(cost=rates).check("similarity scorer")] == ["cost.input_per_1m"]


def test_a_live_run_without_its_key_is_a_mistake_in_the_config(tmp_path: Path) -> None:
    with pytest.raises(Fault, match="environment variable KEY is not set"):
        settings(api_key_env="KEY").build(tools_in(tmp_path, live=True))
