"""Keys, modes and replays, as the golden rows have them."""

import asyncio
import hashlib
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from evalci.calls import Call, Endpoint, Reply, canonical
from evalci.calls.endpoint import chat_endpoint, http_endpoint
from evalci.cassette import Cassette, Redactor, store
from evalci.engine import EngineSettings, Slot, run_cases
from evalci.model import Case, CaseResult, Output, Tokens
from evalci.scorers.similarity import Similarity
from evalci.summary.trials import fold
from evalci.summary.verdicts import attempt
from evalci.targets import TARGETS
from tests.doubles import Model, a_call, opened, record_all, tools_in


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    with tempfile.TemporaryDirectory() as place:
        if "input" in given:
            _check_key(given, want)
        elif "text" in given:
            assert hashlib.sha256(given["text"].encode()).hexdigest() == want["sha256"]
        elif "case_id" in given:
            _check_miss(given, want, Path(place))
        elif "calls" in given:
            _check_mode(given, want, Path(place))
        elif "stored_response" in given:
            _check_replay(given["stored_response"], want["replayed"], Path(place))
        elif "suite" in given:
            _check_similarity_misses(want, Path(place))
        else:
            _check_never_recorded(given["target"], want)


def _check_key(given: dict[str, Any], want: dict[str, Any]) -> None:
    endpoint = _endpoint(given)
    request = endpoint.request(given["input"], given["trial"])
    assert canonical(request).decode() == want["canonical"]
    assert endpoint.key(given["input"], given["trial"]) == want["sha256"]


def _endpoint(given: dict[str, Any]) -> Endpoint:
    if "identity" in given:
        return Endpoint("chat", given["identity"])
    target = given["target"]
    if target["type"] == "openai-compatible":
        return chat_endpoint(target["url"], target["model"], system=target.get("system"), params=target.get("params"))
    if target["type"] == "embeddings":
        return Endpoint("embeddings", {"type": "embeddings", "url": target["url"], "model": target["model"]})
    return http_endpoint(
        url=target["url"],
        method=target.get("method", "POST"),
        headers=target.get("headers"),
        body=target.get("body"),
        response_path=target.get("response_path"),
    )


def _check_miss(given: dict[str, Any], want: dict[str, Any], folder: Path) -> None:
    tools = tools_in(folder)
    target = TARGETS["openai-compatible"].settings()(url="http://x/v1", model="m").build(tools)
    (found,) = asyncio.run(run_cases([Case(id=given["case_id"], input="hi")], target, (), EngineSettings()))
    assert found.attempts[0].error == want["case_error"]
    assert list(found.attempts[0].scores) == want["scores"]


def _check_mode(given: dict[str, Any], want: dict[str, Any], folder: Path) -> None:
    texts = iter(["first", "second"])
    model = Model(answer=lambda call: Reply(text=next(texts)))

    async def ask(cassette: Cassette) -> None:
        for text in given["calls"]:
            await cassette.record(model)(a_call(text))

    with opened(folder, given["mode"]) as cassette:
        asyncio.run(ask(cassette))
    stored = list(store.load(folder).recordings.values())
    assert (len(model.asked), len(stored)) == (want["live_calls"], want["stored_rows"])
    if "stored" in want:
        assert stored[0].text == want["stored"]


def _check_replay(given: dict[str, Any], want: dict[str, Any], folder: Path) -> None:
    reply = Reply(given["text"], given["latency_ms"], Tokens(**given["tokens"]))
    record_all(folder, Model(answer=lambda call: reply), a_call())
    with opened(folder, "replay") as cassette:
        replayed = asyncio.run(_ask(cassette, a_call()))
    shown = {"text": replayed.text, "latency_ms": replayed.latency_ms, "tokens": replayed.tokens._asdict()}  # type: ignore[union-attr]
    assert shown == want


async def _ask(cassette: Cassette, call: Call) -> Reply:
    return await cassette.record(_never)(call)


async def _never(call: Call) -> Reply:
    raise AssertionError("a replay calls nobody")


class _Fixed:
    async def ask(self, case: Case, trial: int) -> Output:
        return Output(text="an output")


def _check_similarity_misses(want: dict[str, Any], folder: Path) -> None:
    tools = tools_in(folder, cassette=Cassette(folder / ".evalci", "replay", Redactor()))
    scorer = Similarity(url="http://127.0.0.1:1/v1", model="e").build(tools)
    slots = [Slot.of("similarity", "similarity", scorer)]
    (found,) = asyncio.run(run_cases([Case(id="a", expected="b")], _Fixed(), slots, EngineSettings()))
    result: CaseResult = fold(found.case, tuple(attempt(output=a.output, scores=a.scores) for a in found.attempts))
    assert (result.scores[0].error is not None) == want["score_errored"]
    assert "cache miss" in str(result.scores[0].error)


def _check_never_recorded(target: dict[str, Any], want: dict[str, Any]) -> None:
    """A shell target is built without a cassette in front of it, in every mode."""
    with tempfile.TemporaryDirectory() as place:
        recorded: list[Any] = []
        tools = replace(tools_in(Path(place)), record=lambda live: recorded.append(live) or live)  # type: ignore[func-returns-value]
        TARGETS[target["type"]].settings()(cmd="cat").build(tools)
    assert (recorded == []) == (not want["cacheable"])
