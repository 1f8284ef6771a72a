"""A replay miss names the nearest recording and what differs."""

import random
import time
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.calls import Call, Endpoint, Reply
from evalci.calls.endpoint import chat_endpoint
from evalci.cassette.codec import Recording, read_line, response_of, write_line
from evalci.cassette.explain import Explainer
from tests.doubles import a_call

HTTP = Endpoint("http", {"http": {"url": "http://x", "method": "POST"}})


def recorded(*calls: Call) -> list[Recording]:
    reply = response_of(Reply(text="a"))
    return [read_line(write_line(c, c.endpoint.request(c.input, c.trial), reply, redacted=False)) for c in calls]


def explain(call: Call, *calls: Call) -> str:
    return Explainer(recorded(*calls)).explain(call)


def chat(text: str = "hi", *, trial: int = 0, model: str = "m", **more: Any) -> Call:
    return a_call(text, endpoint=chat_endpoint("http://x/v1", model, **more), trial=trial)


def test_nothing_of_the_kind_recorded_explains_nothing() -> None:
    assert explain(chat()) == ""
    assert explain(chat(), a_call(endpoint=HTTP)) == ""


@pytest.mark.parametrize(("was", "now", "difference"), [
    (chat(model="old"), chat(model="new"), 'model was "old" and is now "new"'),
    (chat(), chat(system="be terse"), 'system was not set and is now "be terse"'),
    (chat(params={"temperature": 0}), chat(params={"temperature": 0.5}), "params.temperature was 0 and is now 0.5"),
    (chat(params={"temperature": 0}), chat(params={"temperature": 0.0}), "params.temperature was 0 and is now 0.0"),
    (chat(params={"a": True}), chat(params={"a": 1}), "params.a was true and is now 1"),
    (chat(params={"stop": [0]}), chat(params={"stop": [0.0]}), "params.stop was [0] and is now [0.0]"),
    (chat(params={"a": {"b": {"c": 1}}}), chat(params={"a": {"b": {}}}), "params.a.b.c was 1 and is now not set"),
    (chat(), chat(trial=2), "trial was not set and is now 2"),
])  # fmt: skip
def test_with_the_same_input_it_says_what_else_differs(was: Call, now: Call, difference: str) -> None:
    assert explain(now, was) == f"the nearest recording ({was.key[:12]}…) has the same input, but {difference}"


def test_of_several_with_the_same_input_the_one_with_fewest_differences_is_nearest() -> None:
    far, near = chat(model="x", system="y"), chat(model="x")
    assert near.key[:12] in explain(chat(), far, near)


def test_at_most_three_differences_are_shown() -> None:
    assert explain(chat(params=dict.fromkeys("abcdef", 1)), chat(params={})).count("and is now") == 1
    assert explain(chat(params=dict.fromkeys("abcdef", 1)), chat(params={"z": 1})).count("and is now") == 3


@pytest.mark.parametrize(("recordings", "asked", "nearest"), [
    (["Where is my refund?", "How do I pay?"], "Where is my refund!", "Where is my refund?"),
    (["Where is my refund?", "And what then?"], "where is my refund?", "Where is my refund?"),
    (["Where is my refund now?", "Where are you?"], "Where is my money now?", "Where is my refund now?"),
    (["aaaa", "zzzz"], "zzz", "zzzz"),
    (["aaaa", "zzzz"], "", "aaaa"),
    ([""], "anything", ""),
])  # fmt: skip
def test_the_nearest_input_shares_most_of_its_beginning_and_end(
    recordings: list[str], asked: str, nearest: str
) -> None:
    assert a_call(nearest).key[:12] in explain(a_call(asked), *map(a_call, recordings))


def test_it_shows_where_the_inputs_part() -> None:
    said = explain(a_call("x" * 50 + "new"), a_call("x" * 50 + "old\x1b"))
    assert 'from character 51 on it was "' in said
    assert said.isprintable()
    assert r'old\u{1b}"' in said


def test_an_input_that_is_no_text_is_passed_over() -> None:
    (odd,) = recorded(a_call())
    row = {**odd.row, "request": {"identity": {}, "input": 7}}
    assert Explainer([read_line(orjson.dumps(row))]).explain(a_call()) == ""


def test_a_hostile_recording_is_compared_without_trouble() -> None:
    (odd,) = recorded(a_call("hi"))
    deep: Any = 1
    for _ in range(90):
        deep = [deep]
    for request in ({"input": "hi"}, {"input": "hi", "identity": deep}, {"input": "hi", "identity": None, "": 10**18}):
        row = {**odd.row, "request": request}
        assert Explainer([read_line(orjson.dumps(row))]).explain(a_call("hi"))


@given(st.lists(st.text("ab", max_size=5), max_size=8), st.text("ab", max_size=5), st.randoms())
def test_the_explanation_does_not_depend_on_the_order_of_recordings(
    texts: list[str], asked: str, rng: random.Random
) -> None:
    calls = [chat(text, trial=trial) for trial, text in enumerate(texts)]
    shuffled = rng.sample(calls, len(calls))
    assert explain(chat(asked, trial=99), *calls) == explain(chat(asked, trial=99), *shuffled)


@pytest.mark.parametrize("same", [True, False])
@pytest.mark.slow
def test_ten_thousand_misses_are_explained_in_little_time(same: bool) -> None:
    """Sorted indexes, not a comparison of all with all; loose enough for a busy machine."""
    rng = random.Random(3)
    calls = [chat("hi" if same else f"{rng.random()} question {i}", trial=i) for i in range(3000)]
    explainer = Explainer(recorded(*calls))
    began = time.process_time()
    for i in range(1000):
        explainer.explain(chat("hi" if same else f"{rng.random()} question {i}", trial=10**6 + i))
    assert time.process_time() - began < 3


def test_inputs_of_megabytes_are_compared_in_little_time() -> None:
    text = "x" * 3_000_000
    began = time.process_time()
    assert "from character 3000001 on" in explain(a_call(text + "a"), a_call(text + "b"))
    assert time.process_time() - began < 3
