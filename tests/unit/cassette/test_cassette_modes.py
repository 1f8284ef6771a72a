"""The cassette in front of live callers: replay, auto, live, off."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalci.calls import Call, CallError, Endpoint, Reply
from evalci.cassette import Cassette, Mode, Redactor, store
from evalci.cassette.codec import read_line
from evalci.model import ChangedRecording, Tokens
from tests.doubles import Model, a_call, opened, record_all

EMBEDDINGS = Endpoint("embeddings", {"type": "embeddings", "url": "http://x/v1", "model": "e"})


def saying(*texts: str) -> Model:
    """A model that says these in turn."""
    left = iter(texts)
    return Model(answer=lambda call: Reply(text=next(left), latency_ms=5))


def ask(cassette: Cassette, model: Model, *calls: Call) -> list[Reply | str]:
    """The replies one after the other; of an error its text."""

    async def all_of_them() -> list[Reply | str]:
        caller = cassette.record(model)
        found: list[Reply | str] = []
        for call in calls:
            try:
                found.append(await caller(call))
            except CallError as exc:
                found.append(str(exc))
        return found

    return asyncio.run(all_of_them())


def texts_in(folder: Path) -> list[str]:
    return sorted(one.text for one in store.load(folder).recordings.values())


def bytes_in(folder: Path) -> bytes:
    return (folder / "cassette.jsonl").read_bytes()


# --- replay -----------------------------------------------------------------------------------------------------------


def test_replay_gives_text_latency_and_usage_as_recorded_and_calls_nothing(tmp_path: Path) -> None:
    reply = Reply(text="hello", latency_ms=42, tokens=Tokens(3, 4), notes=("cut off by length",))
    record_all(tmp_path, Model(answer=lambda call: reply), a_call("hi"))
    model = Model()
    with opened(tmp_path, "replay") as cassette:
        assert ask(cassette, model, a_call("hi"), a_call("hi")) == [reply, reply]
        assert cassette.counts().hits == 2
    assert model.asked == []


def test_a_miss_fails_its_call_calls_nothing_and_writes_nothing(tmp_path: Path) -> None:
    model = Model()
    with opened(tmp_path / "none", "replay") as cassette:
        (found,) = ask(cassette, model, a_call("hi", case_id="case-7"))
    assert found == ('cache miss for case "case-7" in replay mode — record it first with --cache auto (or live)')
    assert model.asked == []
    assert not (tmp_path / "none").exists()
    assert cassette.counts().misses == 1


def test_a_replayed_call_never_leaves_the_loop(tmp_path: Path) -> None:
    record_all(tmp_path, Model(), a_call("hi"))
    with opened(tmp_path, "replay") as cassette:
        coroutine = cassette.record(Model())(a_call("hi"))
        with pytest.raises(StopIteration) as done:
            coroutine.send(None)
    assert done.value.value.text == "ok hi"


def test_an_auto_hit_never_leaves_the_loop_either(tmp_path: Path) -> None:
    record_all(tmp_path, Model(), a_call("hi"))
    with opened(tmp_path, "auto") as cassette, pytest.raises(StopIteration):
        cassette.record(Model())(a_call("hi")).send(None)


def test_trials_are_recordings_of_their_own(tmp_path: Path) -> None:
    trials = [a_call("flip", trial=trial) for trial in range(3)]
    with opened(tmp_path, "auto") as cassette:
        first = ask(cassette, saying("heads", "tails", "heads"), *trials)
    with opened(tmp_path, "replay") as cassette:
        assert ask(cassette, Model(), *trials) == first
        assert ask(cassette, Model(), a_call("flip")) == first[:1]


# --- auto -------------------------------------------------------------------------------------------------------------


def test_auto_calls_only_what_is_not_recorded(tmp_path: Path) -> None:
    record_all(tmp_path, Model(), a_call("a"))
    model = Model()
    with opened(tmp_path, "auto") as cassette:
        ask(cassette, model, a_call("a"), a_call("b"), a_call("b"))
        counts = cassette.counts()
    assert [call.input for call in model.asked] == ["b"]
    assert (counts.hits, counts.misses, counts.recorded, counts.stale) == (2, 0, 1, 0)


def test_the_same_call_made_twice_at_once_is_asked_once(tmp_path: Path) -> None:
    model = Model()
    record_all(tmp_path, model, *(a_call("a", case_id=f"case-{i}") for i in range(10)), a_call("b"))
    assert sorted(call.input for call in model.asked) == ["a", "b"]


def test_a_failed_call_fails_those_who_waited_for_it_and_is_not_recorded(tmp_path: Path) -> None:
    model = Model(answer=lambda call: CallError("no answer"))

    async def twice(cassette: Cassette) -> tuple[object, object]:
        caller = cassette.record(model)
        return await asyncio.gather(caller(a_call("a")), caller(a_call("a")), return_exceptions=True)

    with opened(tmp_path, "auto") as cassette:
        assert list(map(str, asyncio.run(twice(cassette)))) == ["no answer", "no answer"]
        assert len(model.asked) == 1
        assert ask(cassette, Model(), a_call("a")) == [Model().answer(a_call("a"))]
    assert texts_in(tmp_path) == ["ok a"]


@dataclass
class Stuck:
    """A live caller that never answers, and says when it was asked."""

    asked: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, call: Call) -> Reply:
        self.asked.set()
        await asyncio.Event().wait()
        raise AssertionError


def test_who_waits_for_a_call_that_is_cancelled_is_told(tmp_path: Path) -> None:
    async def cancel_the_first(cassette: Cassette) -> str:
        stuck = Stuck()
        caller = cassette.record(stuck)
        first = asyncio.ensure_future(caller(a_call("a")))
        await stuck.asked.wait()
        second = asyncio.ensure_future(caller(a_call("a")))
        await asyncio.sleep(0)
        first.cancel()
        found, said = await asyncio.gather(first, second, return_exceptions=True)
        assert isinstance(found, asyncio.CancelledError)
        return str(said)

    with opened(tmp_path, "auto") as cassette:
        assert asyncio.run(cancel_the_first(cassette)) == "the same call was interrupted"


def test_who_waits_may_be_cancelled_without_ending_the_call(tmp_path: Path) -> None:
    async def cancel_the_second(cassette: Cassette) -> Reply:
        caller = cassette.record(Model())
        first = asyncio.ensure_future(caller(a_call("a")))
        second = asyncio.ensure_future(caller(a_call("a")))
        asyncio.get_running_loop().call_soon(second.cancel)
        await asyncio.gather(first, second, return_exceptions=True)
        assert second.cancelled()
        return await first

    with opened(tmp_path, "auto") as cassette:
        assert asyncio.run(cancel_the_second(cassette)).text == "ok a"
    assert texts_in(tmp_path) == ["ok a"]


# --- live -------------------------------------------------------------------------------------------------------------


def test_live_calls_every_time_and_keeps_the_last_answer(tmp_path: Path) -> None:
    record_all(tmp_path, saying("old"), a_call("hi"))
    with opened(tmp_path, "live") as cassette:
        found = ask(cassette, saying("first", "second"), a_call("hi"), a_call("hi"))
    assert [reply.text for reply in found] == ["first", "second"]  # type: ignore[union-attr]
    assert texts_in(tmp_path) == ["second"]
    (change,) = cassette.changed
    assert change == ChangedRecording(key=a_call("hi").key, case_id="case-1", before="old", after="second")


def test_a_new_answer_that_says_the_same_keeps_the_old_line(tmp_path: Path) -> None:
    def answer(latency: int, tokens: Tokens) -> Callable[[Call], Reply]:
        return lambda call: Reply(text="same", latency_ms=latency, tokens=tokens)

    record_all(tmp_path, Model(answer=answer(5, Tokens(1, 1))), a_call("hi"))
    before = bytes_in(tmp_path)
    with opened(tmp_path, "live") as cassette:
        ask(cassette, Model(answer=answer(900, Tokens(1, 1))), a_call("hi"))
        assert (cassette.counts().recorded, cassette.changed) == (0, ())
    assert bytes_in(tmp_path) == before
    assert [path.name for path in tmp_path.iterdir()] == ["cassette.jsonl"]
    record_all(tmp_path, Model(answer=answer(900, Tokens(1, 2))), a_call("hi"), mode="live")
    assert bytes_in(tmp_path) != before


def test_an_answer_that_changes_and_changes_back_has_not_changed(tmp_path: Path) -> None:
    record_all(tmp_path, saying("same"), a_call("hi"))
    with opened(tmp_path, "live") as cassette:
        ask(cassette, saying("other", "same"), a_call("hi"), a_call("hi"))
        assert cassette.changed == ()
    assert texts_in(tmp_path) == ["same"]


def test_a_failing_live_run_overwrites_nothing(tmp_path: Path) -> None:
    record_all(tmp_path, Model(), a_call("a"), a_call("b"))
    before = bytes_in(tmp_path)
    with opened(tmp_path, "live") as cassette:
        ask(cassette, Model(answer=lambda call: CallError("no")), a_call("a"), a_call("b"))
    assert bytes_in(tmp_path) == before


def test_changes_are_sorted_by_key_and_name_their_case(tmp_path: Path) -> None:
    calls = [a_call(text, case_id=f"case-{text}") for text in "abcdef"]
    record_all(tmp_path, Model(), *calls)
    with opened(tmp_path, "live") as cassette:
        ask(cassette, saying(*"uvwxyz"), *calls)
    assert [change.key for change in cassette.changed] == sorted(call.key for call in calls)
    assert {change.case_id for change in cassette.changed} == {call.case_id for call in calls}


# --- off --------------------------------------------------------------------------------------------------------------


def test_off_reads_nothing_and_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "cassette.jsonl").write_text("damaged\nbeyond repair\n")
    model = Model()
    with opened(tmp_path, "off") as cassette:
        ask(cassette, model, a_call("hi"), a_call("hi"))
        assert cassette.digest is None
        assert cassette.counts().hits == 0
    assert len(model.asked) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["cassette.jsonl"]


# --- embeddings -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["auto", "live", "off"])
def test_a_live_embedding_is_what_its_replay_will_be(tmp_path: Path, mode: Mode) -> None:
    call = a_call("hi", endpoint=EMBEDDINGS)
    model = Model(answer=lambda call: Reply(vector=(0.6, 0.123456789012, 1 / 3), tokens=Tokens(2, 0)))
    with opened(tmp_path, mode) as cassette:
        (live,) = ask(cassette, model, call)
    assert isinstance(live, Reply)
    assert live.vector == (0.6, 0.12345679, 0.33333334)
    if mode != "off":
        with opened(tmp_path, "replay") as cassette:
            assert ask(cassette, model, call) == [live]


@pytest.mark.parametrize("vector", [(), (float("nan"),), (1e39,)])
def test_an_embedding_that_cannot_be_kept_fails_its_call(tmp_path: Path, vector: tuple[float, ...]) -> None:
    model = Model(answer=lambda call: Reply(vector=vector))
    with opened(tmp_path, "auto") as cassette:
        (found,) = ask(cassette, model, a_call(endpoint=EMBEDDINGS))
    assert "embedding" in str(found)
    assert not (tmp_path / "cassette.jsonl").exists()


# --- counting ---------------------------------------------------------------------------------------------------------


def test_what_a_run_did_not_use_is_stale(tmp_path: Path) -> None:
    record_all(tmp_path, Model(), a_call("a"), a_call("b"), a_call("c"))
    with opened(tmp_path, "replay") as cassette:
        ask(cassette, Model(), a_call("a"), a_call("x"))
        counts = cassette.counts(with_keys=True)
    assert (counts.hits, counts.misses, counts.stale) == (1, 1, 2)
    assert counts.used_keys == (a_call("a").key,)
    assert cassette.counts().used_keys is None


def test_the_digest_covers_what_was_recorded(tmp_path: Path) -> None:
    with opened(tmp_path, "auto") as cassette:
        assert cassette.digest is None
        ask(cassette, Model(), a_call("a"))
        recorded = cassette.digest
    with opened(tmp_path, "replay") as cassette:
        assert cassette.digest == recorded is not None


# --- secrets ----------------------------------------------------------------------------------------------------------

SECRET = "zk-test-4f9b2c7d1e-DO-NOT-STORE"


@pytest.mark.parametrize("mode", ["auto", "live", "off"])
def test_a_secret_in_an_answer_is_masked_before_it_is_scored_or_written(tmp_path: Path, mode: Mode) -> None:
    model = saying(f"authorization was Bearer {SECRET}")
    with opened(tmp_path, mode, Redactor([SECRET])) as cassette:
        (live,) = ask(cassette, model, a_call("hi"))
        assert cassette.counts().redacted == 1
    assert live.text == "authorization was Bearer [redacted]"  # type: ignore[union-attr]
    if mode == "off":
        return
    assert SECRET.encode() not in bytes_in(tmp_path)
    row = json.loads(bytes_in(tmp_path))
    assert row["redacted"] is True
    with opened(tmp_path, "replay", Redactor()) as cassette:
        assert ask(cassette, Model(), a_call("hi")) == [live]
        assert cassette.counts().redacted == 1


def test_a_secret_in_a_request_is_masked_and_the_line_still_answers(tmp_path: Path) -> None:
    call = a_call(f"is {SECRET} a good key?")
    record_all(tmp_path, Model(answer=lambda call: Reply(text="no")), call, redactor=Redactor([SECRET]))
    row = json.loads(bytes_in(tmp_path))
    assert row["request"]["input"] == "is [redacted] a good key?"
    assert (row["key"], row["redacted"]) == (call.key, True)
    with opened(tmp_path, "replay", Redactor([SECRET])) as cassette:
        assert ask(cassette, Model(), call) == [Reply(text="no")]


def test_a_miss_does_not_show_a_secret(tmp_path: Path) -> None:
    record_all(tmp_path, Model(), a_call("my key is mine"))
    with opened(tmp_path, "replay", Redactor([SECRET])) as cassette:
        (found,) = ask(cassette, Model(), a_call(f"my key is {SECRET}"))
    assert "[redacted]" in str(found)
    assert SECRET not in str(found)


def test_without_secrets_no_line_says_redacted(tmp_path: Path) -> None:
    record_all(tmp_path, Model(), a_call("hi"), redactor=Redactor([SECRET]))
    assert b"redacted" not in bytes_in(tmp_path)


# --- the same bytes ---------------------------------------------------------------------------------------------------


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(st.permutations(list("abcdefgh")), st.lists(st.integers(0, 8), max_size=3))
def test_the_same_recordings_are_the_same_bytes_whatever_the_order_and_the_runs(
    tmp_path_factory: pytest.TempPathFactory, order: list[str], cuts: list[int]
) -> None:
    reference, folder = tmp_path_factory.mktemp("one"), tmp_path_factory.mktemp("many")
    record_all(reference, Model(), *(a_call(text, case_id=text) for text in "abcdefgh"))
    edges = [0, *sorted(cuts), len(order)]
    for start, end in pairwise(edges):
        record_all(folder, Model(), *(a_call(text, case_id=text) for text in order[start:end]))
    assert bytes_in(folder) == bytes_in(reference)
    assert all(read_line(line).line == line for line in bytes_in(folder).splitlines())
