"""Asking for an embedding: what is sent, and what answers are read as."""

import json
import math
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.calls import CallError, Reply
from evalci.calls.embeddings import EmbeddingsCaller, embeddings_request, read_embedding
from evalci.calls.endpoint import embeddings_endpoint
from evalci.calls.transport import Transport
from evalci.cassette.codec import response_of
from evalci.model import Tokens
from tests.doubles import Handler, Network, Sleeps, a_call, as_it_is, serving, using

ENDPOINT = embeddings_endpoint("http://x/v1/", "embed")


def read(body: Any) -> Reply:
    text = body if isinstance(body, str) else json.dumps(body)
    return read_embedding(text, "http://x/v1/embeddings", latency_ms=3, scrub=as_it_is)


def listed(*items: Any, **more: Any) -> dict[str, Any]:
    return {"object": "list", "data": list(items), **more}


def test_one_text_is_sent_as_a_list_of_one() -> None:
    url, body = embeddings_request(ENDPOINT.identity, "hello")
    assert url == "http://x/v1/embeddings"
    assert json.loads(body) == {"model": "embed", "input": ["hello"]}


def test_the_identity_cannot_collide_with_a_chat() -> None:
    assert ENDPOINT.kind == "embeddings"
    assert ENDPOINT.identity == {"type": "embeddings", "url": "http://x/v1/", "model": "embed"}


def test_the_vector_comes_with_the_tokens_that_went_in() -> None:
    reply = read(listed({"index": 0, "embedding": [1, -0.5]}, usage={"prompt_tokens": 4, "total_tokens": 4}))
    assert reply == Reply(vector=(1.0, -0.5), latency_ms=3, tokens=Tokens(4, 0))


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": True}, {"prompt_tokens": -1}, {"total_tokens": 4}])
def test_unknown_usage_is_none(usage: Any) -> None:
    assert read(listed({"embedding": [1]}, usage=usage)).tokens is None


def test_results_are_taken_by_index_and_not_by_place() -> None:
    assert read(listed({"index": 1, "embedding": [2]}, {"index": 0, "embedding": [1]})).vector == (1.0,)


@pytest.mark.parametrize(("body", "said"), [
    (listed({"not_embedding": True}), "no list of numbers in data[0].embedding"),
    (listed({"index": 0, "embedding": []}), "no list of numbers in data[0].embedding"),
    (listed({"index": 0, "embedding": "AACAPw=="}), "no list of numbers in data[0].embedding"),
    (listed({"index": 0, "embedding": [1, None]}), "something in data[0].embedding that is no finite number"),
    (listed({"index": 0, "embedding": [1, True]}), "something in data[0].embedding that is no finite number"),
    (listed({"index": 0, "embedding": [1, "2"]}), "something in data[0].embedding that is no finite number"),
    ('{"data": [{"embedding": [1e39]}]}', "something in data[0].embedding that is no finite number"),
    ('{"data": [{"embedding": [1e999]}]}', "something in data[0].embedding that is no finite number"),
    (listed({"embedding": [10**400]}), "something in data[0].embedding that is no finite number"),
    ('{"data": [{"embedding": [NaN]}]}', "a non-JSON body"),
    (listed({"index": 1, "embedding": [1]}), "no data[0].embedding"),
    (listed({"index": False, "embedding": [1]}), "no data[0].embedding"),
    (listed({"embedding": [1]}, {"embedding": [2]}), "no data[0].embedding"),
    (listed(), "no data[0].embedding"),
    ({"data": {"embedding": [1]}}, "no data[0].embedding"),
    ({"data": [[1]]}, "no data[0].embedding"),
    ([], "no data[0].embedding"),
    ("<html>Sign in</html>", "a non-JSON body"),
    ("", "a non-JSON body"),
    pytest.param("[" * 100_000, "a non-JSON body", id="deep"),
])  # fmt: skip
def test_an_answer_without_a_usable_vector_is_refused(body: Any, said: str) -> None:
    with pytest.raises(CallError) as caught:
        read(body)
    assert str(caught.value).startswith(f"http://x/v1/embeddings answered with {said}: ")


@pytest.mark.parametrize("error", [{"message": "queue is full"}, "queue is full", {"code": "queue is full"}])
def test_an_error_in_a_200_is_told(error: Any) -> None:
    with pytest.raises(CallError, match="answered 200 with an error: queue is full"):
        read({"error": error})


@given(st.lists(st.floats(-3.4028235e38, 3.4028235e38) | st.integers(-(10**38), 10**38), min_size=1, max_size=5))
def test_what_is_read_can_be_recorded(vector: list[float]) -> None:
    reply = read(listed({"index": 0, "embedding": vector}))
    assert reply.vector is not None
    assert all(map(math.isfinite, reply.vector))
    assert "embedding" in response_of(reply)


def test_a_call_goes_out_with_its_key_and_is_tried_again() -> None:
    good = httpx.Response(200, json=listed({"index": 0, "embedding": [1]}))
    network = Network([httpx.Response(503), good])
    sleeps = Sleeps()

    async def ask(transport: Transport) -> Reply:
        caller = EmbeddingsCaller(transport, api_key="k-1", scrub=as_it_is, sleep=sleeps)
        return await caller(a_call("hello", endpoint=ENDPOINT))

    assert using(Transport(as_it_is, client=network.client), ask).vector == (1.0,)
    assert [str(request.url) for request in network.requests] == ["http://x/v1/embeddings"] * 2
    assert network.requests[0].headers["authorization"] == "Bearer k-1"
    assert sleeps.seconds == [0.5]


def test_a_real_server_is_asked_and_no_key_is_made_up() -> None:
    seen: list[Any] = []

    class Server(Handler):
        def do_POST(self) -> None:
            seen.append((self.path, self.headers.get("authorization"), json.loads(self.body())))
            self.reply(b'\xef\xbb\xbf{"data": [{"index": 0, "embedding": [0.6, 0.8]}]}')

    async def ask(transport: Transport) -> Reply:
        endpoint = embeddings_endpoint(url, "embed")
        caller = EmbeddingsCaller(transport, api_key=None, scrub=as_it_is, sleep=Sleeps())
        return await caller(a_call("hello", endpoint=endpoint))

    with serving(Server) as url:
        assert using(Transport(as_it_is), ask).vector == (0.6, 0.8)
    assert seen == [("/embeddings", None, {"model": "embed", "input": ["hello"]})]


def test_a_secret_in_a_refused_answer_is_not_shown() -> None:
    with pytest.raises(CallError) as caught:
        read_embedding("my key is k-1234", "http://x", latency_ms=0, scrub=lambda text: text.replace("k-1234", "***"))
    assert "k-1234" not in str(caught.value)
