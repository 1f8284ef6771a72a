"""The chat target: what it asks, what it records, what its settings refuse."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from evalci.calls.cost import CostRates
from evalci.cassette import Cassette, Redactor
from evalci.config.settings import Fault
from evalci.model import Case, Output, TargetError, Tokens
from evalci.targets.openai_chat import OpenAIChat
from tests.doubles import Network, Sleeps, chat_server, completion, tools_in

CASE = Case(id="a", input="hi")


def settings(**more: Any) -> OpenAIChat:
    return OpenAIChat(**{"url": "http://x/v1", "model": "m", **more})


def faults(**more: Any) -> list[tuple[str, str]]:
    return [(fault.field, fault.message) for fault in settings(**more).check('target "t"')]


def ask(folder: Path, network: Network, environ: dict[str, str] | None = None, trial: int = 0, **more: Any) -> Output:
    tools = tools_in(folder, client=network.client, live=True, environ=environ)

    async def once() -> Output:
        try:
            return await settings(**more).build(tools).ask(CASE, trial)
        finally:
            await tools.transport.close()

    return asyncio.run(once())


def test_an_output_carries_text_time_tokens_cost_and_its_trial(tmp_path: Path) -> None:
    network = Network([httpx.Response(200, json=completion("pong", finish_reason="length"))])
    output = ask(tmp_path, network, trial=2, cost=CostRates(input_per_1m=100.0, output_per_1m=200.0))
    assert (output.text, output.tokens, output.trial) == ("pong", Tokens(10, 5), 2)
    assert output.cost_usd == pytest.approx(0.002)
    assert output.notes == ("cut off by length (finish_reason: length)",)


@pytest.mark.parametrize(
    ("cost", "usage"),
    [(None, {"prompt_tokens": 1, "completion_tokens": 1}), (CostRates(input_per_1m=1, output_per_1m=1), None)],
)
def test_what_a_call_costs_is_unknown_without_rates_or_usage(tmp_path: Path, cost: Any, usage: Any) -> None:
    network = Network([httpx.Response(200, json={**completion(), "usage": usage})])
    assert ask(tmp_path, network, cost=cost).cost_usd is None


def test_a_failed_call_is_the_cases_error(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="answered 401 Unauthorized: bad key"):
        ask(tmp_path, Network([httpx.Response(401, text="bad key")]))


def test_settings_reach_the_wire(tmp_path: Path) -> None:
    network = Network([httpx.Response(503), httpx.Response(503), httpx.Response(200, json=completion())])
    ask(tmp_path, network, {"KEY": "key-1"}, api_key_env="KEY", system="be terse", params={"seed": 1}, max_retries=3)
    assert [request.headers["authorization"] for request in network.requests] == ["Bearer key-1"] * 3
    assert b'"seed":1' in network.requests[0].content
    assert b"be terse" in network.requests[0].content


def test_what_was_recorded_is_replayed_without_key_or_network(tmp_path: Path) -> None:
    with chat_server() as (url, asked):
        recorded = run_through(tmp_path, "auto", {"KEY": "key-1"}, url)
    replayed = run_through(tmp_path, "replay", {}, url)
    assert replayed == recorded
    assert recorded.text == "ok hi done"
    assert asked == ["hi"]


def run_through(folder: Path, mode: Any, environ: dict[str, str], url: str) -> Output:
    redactor = Redactor()
    cassette = Cassette(folder, mode, redactor)
    tools = tools_in(folder, cassette=cassette, environ=environ, live=mode != "replay", sleep=Sleeps())

    async def once() -> Output:
        cassette.open()
        try:
            return await settings(url=url, api_key_env="KEY").build(tools).ask(CASE, 0)
        finally:
            cassette.close()
            await tools.transport.close()

    return asyncio.run(once())


@pytest.mark.parametrize("value", [None, ""])
def test_a_live_run_without_its_key_is_told_which_variable(tmp_path: Path, value: str | None) -> None:
    environ = {} if value is None else {"KEY": value}
    with pytest.raises(Fault, match="environment variable KEY is not set") as caught:
        settings(api_key_env="KEY").build(tools_in(tmp_path, environ=environ, live=True))
    assert caught.value.field == "api_key_env"
    assert "--cache replay" in caught.value.hint
    settings(api_key_env="KEY").build(tools_in(tmp_path, environ=environ))


@pytest.mark.parametrize("value", ["zk-1\n", "two\nlines", "nul\0", "ключ", "\udcff", "tab\x0b"])
def test_a_key_that_no_header_can_carry_is_told_before_any_case(tmp_path: Path, value: str) -> None:
    with pytest.raises(Fault, match="environment variable KEY cannot be sent in a header") as caught:
        settings(api_key_env="KEY").build(tools_in(tmp_path, environ={"KEY": value}, live=True))
    assert value.strip() not in f"{caught.value}{caught.value.hint}"
    settings(api_key_env="KEY").build(tools_in(tmp_path, environ={"KEY": value}))


@pytest.mark.parametrize("value", ["plain", " spaces ", "clé", "a b"])
def test_a_key_that_a_header_can_carry_is_sent(tmp_path: Path, value: str) -> None:
    network = Network([httpx.Response(200, json=completion())])
    ask(tmp_path, network, {"KEY": value}, api_key_env="KEY")
    assert ("Bearer " + value).strip().encode("latin-1") in [raw for _, raw in network.requests[0].headers.raw]


@pytest.mark.parametrize("key", ["model", "messages", "stream"])
def test_params_may_not_set_what_the_suite_sets_elsewhere(key: str) -> None:
    assert faults(params={key: "x"}) == [(f"params.{key}", f'target "t": params may not set "{key}"')]


@pytest.mark.parametrize("params", [{"a": float("nan")}, {"a": [float("inf")]}, {"a": {"b": [{"c": float("-inf")}]}}])
def test_params_hold_no_number_that_json_cannot_carry(params: Any) -> None:
    ((field, message),) = faults(params=params)
    assert field == "params"
    assert "NaN or infinity" in message


@pytest.mark.parametrize(("rates", "said"), [
    ((-1.0, 1.0), 'target "t" has negative cost rates'), ((1.0, -0.5), 'target "t" has negative cost rates'),
    ((float("nan"), 1.0), "no number"), ((1.0, float("inf")), "no number"),
])  # fmt: skip
def test_rates_are_finite_and_not_negative(rates: tuple[float, float], said: str) -> None:
    ((field, message),) = faults(cost=CostRates(input_per_1m=rates[0], output_per_1m=rates[1]))
    assert field.startswith("cost.")
    assert said in message


def test_sound_settings_have_no_faults() -> None:
    assert (
        faults(
            params={"temperature": 0.5, "stop": ["a"], "x": {"y": None}},
            cost=CostRates(input_per_1m=0, output_per_1m=0),
        )
        == []
    )
