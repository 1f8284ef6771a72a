"""Model calls from Python code."""

import asyncio
import json
from pathlib import Path

import pytest

from evalci import llm
from evalci.calls import CallError, Reply
from evalci.calls.cost import CostRates
from evalci.model import Tokens
from tests.doubles import Model, Network, chat_server, completion, tools_in

HELLO = [{"role": "user", "content": "hello"}]


def in_session(model: Model, **more: object) -> llm.Session:
    return llm.Session(caller=model, case_id="c1", label="c1", **more)  # type: ignore[arg-type]


def test_a_call_is_noted_with_its_tokens_and_cost() -> None:
    model = Model(lambda call: Reply(text="hi", latency_ms=5, tokens=Tokens(10, 5)))
    with llm.session(in_session(model, prices={"m": CostRates(input_per_1m=1, output_per_1m=2)})) as current:
        reply = asyncio.run(llm.acall("m", HELLO, temperature=0))
        other = llm.call("n", HELLO)
    assert (reply.text, reply.cost_usd, other.cost_usd) == ("hi", pytest.approx(20e-6), None)
    assert (current.tokens, current.cost_usd) == (Tokens(20, 10), pytest.approx(20e-6))
    assert [made.reply.model for made in current.made] == ["m", "n"]


def test_the_key_is_of_model_messages_and_params_alone() -> None:
    model = Model()
    with llm.session(in_session(model)):
        for params in ({}, {"temperature": 0}, {"temperature": 1}):
            asyncio.run(llm.acall("m", HELLO, **params))
    assert len({call.key for call in model.asked}) == 3
    assert model.asked[1].endpoint.identity == {"type": "openai-messages", "model": "m", "params": {"temperature": 0}}
    assert json.loads(model.asked[0].input) == HELLO


def test_what_a_call_sets_itself_cannot_be_a_param() -> None:
    with llm.session(in_session(Model())), pytest.raises(TypeError, match="stream cannot be set"):
        asyncio.run(llm.acall("m", HELLO, stream=True))


def test_a_blocking_call_in_async_code_says_what_to_write() -> None:
    async def asks() -> None:
        llm.call("m", HELLO)

    with pytest.raises(RuntimeError, match=r"await llm\.acall"):
        asyncio.run(asks())


def test_outside_a_run_a_call_is_made_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with chat_server() as (url, asked):
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        assert llm.call("m", HELLO).text == "ok hello done"
        assert asked == ["hello"]


def test_live_calls_go_where_the_environment_says_with_its_key(tmp_path: Path) -> None:
    import httpx

    network = Network([httpx.Response(200, json=completion("pong"))])
    environ = {"OPENAI_BASE_URL": "http://models.test/v1/", "OPENAI_API_KEY": "sk-1"}
    tools = tools_in(tmp_path, live=True, environ=environ, client=network.client)

    async def ask() -> llm.Reply:
        with llm.session(llm.Session(caller=llm.recorded_caller(tools), case_id="c", label="c")):
            try:
                return await llm.acall("m", [{"role": "system", "content": "Be brief."}, *HELLO], max_tokens=5)
            finally:
                await tools.transport.close()

    assert asyncio.run(ask()).text == "pong"
    (request,) = network.requests
    assert str(request.url) == "http://models.test/v1/chat/completions"
    assert request.headers["authorization"] == "Bearer sk-1"
    sent = json.loads(request.content)
    assert [message["role"] for message in sent["messages"]] == ["system", "user"]
    assert (sent["model"], sent["max_tokens"]) == ("m", 5)


def test_a_replay_calls_nobody(tmp_path: Path) -> None:
    caller = llm.recorded_caller(tools_in(tmp_path))
    with (
        llm.session(llm.Session(caller=caller, case_id="c", label="score:c")),
        pytest.raises(CallError, match="score:c"),
    ):
        asyncio.run(llm.acall("m", HELLO))
