"""Keys of recordings: canonical JSON, and the hash over it."""

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.calls import Endpoint, canonical, digest
from evalci.calls.chat import chat_request
from evalci.calls.endpoint import chat_endpoint
from tests.doubles import a_call

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
# What every language prints alike: floats that need no exponent, integers of 64 bits.
NUMBERS = st.integers(-(2**63), 2**64 - 1) | st.floats(1e-3, 1e15) | st.floats(-1e15, -1e-3) | st.just(0.0)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


def by_the_book(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


@given(JSON)
def test_canonical_json_is_what_the_standard_library_writes_for_numbers_without_exponent(value: Any) -> None:
    assert canonical(value) == by_the_book(value)


@given(TEXTS, st.integers(0, 9))
def test_a_key_is_the_hash_of_identity_input_and_trial(text: str, trial: int) -> None:
    endpoint = chat_endpoint("http://x/v1", "m", params={"temperature": 0})
    request = endpoint.request(text, trial)
    assert endpoint.key(text, trial) == hashlib.sha256(by_the_book(request)).hexdigest()
    assert ("trial" in request) == (trial > 0)


def test_control_characters_use_short_escapes_where_json_has_them() -> None:
    assert (
        canonical('\b\t\n\f\r"\\/\x00\x1f\x7f\u2028é') == '"\\b\\t\\n\\f\\r\\"\\\\/\\u0000\\u001f\x7f\u2028é"'.encode()
    )


def test_keys_sort_by_code_point_at_every_level() -> None:
    assert (
        canonical({"é": 1, "z": {"\U0001f600": 1, "\uffff": 2}, "Z": 3})
        == '{"Z":3,"z":{"\uffff":2,"\U0001f600":1},"é":1}'.encode()
    )


@pytest.mark.parametrize(("value", "text"), [
    (2**63, b"9223372036854775808"),
    (2**64 - 1, b"18446744073709551615"),
    (2**64, b"1.8446744073709552e19"),
    (-(2**63) - 1, b"-9.223372036854775808e18"),
    (10**400, b"1" + b"0" * 400),
    (1e16, b"1e16"),
    (-0.0, b"-0.0"),
    (True, b"true"),
])  # fmt: skip
def test_numbers_print_as_evalcore_prints_them(value: float, text: bytes) -> None:
    written = canonical({"deep": [value]})
    assert written == b'{"deep":[%s]}' % text or json.loads(written) == {"deep": [float(text)]}


@given(st.text(st.characters(categories=["Cs", "Ll"]), max_size=8))
def test_a_lone_surrogate_never_keeps_a_call_from_having_a_key(text: str) -> None:
    assert len(a_call(text).key) == 64
    canonical({text: [text]}).decode("utf-8")


def test_two_kinds_of_endpoint_never_share_a_key() -> None:
    chat = chat_endpoint("http://x/v1", "m")
    embeddings = Endpoint("embeddings", {"type": "embeddings", "url": "http://x/v1", "model": "m"})
    assert chat.key("hi") != embeddings.key("hi")


def test_a_system_message_that_is_set_but_empty_is_part_of_the_identity() -> None:
    assert chat_endpoint("u", "m", system="").identity == {
        "type": "openai-compatible", "url": "u", "model": "m", "system": ""
    }  # fmt: skip


def test_empty_params_are_not_part_of_the_identity() -> None:
    assert "params" not in chat_endpoint("u", "m", params={}).identity


def test_a_digest_is_the_hash_of_canonical_json() -> None:
    assert digest({"b": 1, "a": 2}) == hashlib.sha256(b'{"a":2,"b":1}').hexdigest()


def test_a_chat_request_puts_the_system_message_first_and_params_beside_it() -> None:
    endpoint = chat_endpoint("http://x/v1/", "m", system="be terse", params={"temperature": 0.5, "stop": ["a"]})
    url, body = chat_request(endpoint.identity, "hi")
    assert url == "http://x/v1/chat/completions"
    assert json.loads(body) == {
        "model": "m",
        "messages": [{"role": "system", "content": "be terse"}, {"role": "user", "content": "hi"}],
        "temperature": 0.5,
        "stop": ["a"],
    }
