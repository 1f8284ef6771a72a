"""One line of a cassette, there and back, and lines that are none."""

import base64
import json
import math
import struct
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from typing import Any

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalci.calls import Endpoint, Reply
from evalci.cassette.codec import BadLine, read_line, reply_of, response_of, write_line
from evalci.cassette.vectors import decode_vector, encode_vector, is_vector
from evalci.model import Tokens
from tests.doubles import a_call

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
COUNTS = st.integers(0, 2**53)
EMBEDDINGS = Endpoint("embeddings", {"type": "embeddings", "url": "http://x/v1", "model": "e"})

replies = st.builds(
    Reply,
    text=TEXTS,
    latency_ms=COUNTS,
    tokens=st.none() | st.builds(Tokens, COUNTS, COUNTS),
    notes=st.lists(TEXTS, max_size=2).map(tuple),
    vector=st.none(),
)


def line_of(reply: Reply, text: str = "hi", *, redacted: bool = False) -> bytes:
    call = a_call(text) if reply.vector is None else a_call(text, endpoint=EMBEDDINGS)
    return write_line(call, call.endpoint.request(text), response_of(reply), redacted=redacted)


@given(replies, TEXTS)
def test_a_reply_survives_its_line(reply: Reply, text: str) -> None:
    line = line_of(reply, text)
    assert b"\n" not in line
    assert reply_of(read_line(line)) == reply


def test_a_line_is_compact_with_sorted_keys() -> None:
    line = line_of(Reply(text="hello", latency_ms=42, tokens=Tokens(3, 4), notes=("cut off",)), redacted=True)
    assert line.decode() == (
        '{"key":"994f21732ceb6c0260f3023ea02725fcfaa528547eee7039bee57fdd0b70dbf1","kind":"chat","redacted":true,'
        '"request":{"identity":{"model":"m","type":"openai-compatible","url":"http://x/v1"},"input":"hi"},'
        '"response":{"latency_ms":42,"notes":["cut off"],"text":"hello","tokens":{"input":3,"output":4}}}'
    )


def test_what_is_unknown_is_left_out_of_a_line() -> None:
    assert response_of(Reply(text="a")) == {"latency_ms": 0, "text": "a"}


def test_a_recording_keeps_answer_and_line_and_reads_the_rest_when_asked() -> None:
    recording = read_line(line_of(Reply(text="a"), "q"))
    assert (recording.text, recording.redacted) == ("a", False)
    assert recording.row["request"]["input"] == "q"
    assert recording.answer == read_line(line_of(Reply(text="a", latency_ms=9))).answer
    assert recording.answer != read_line(line_of(Reply(text="a", tokens=Tokens(1, 1)))).answer


# --- lines that are none ---------------------------------------------------------------------------------------------

GOOD: dict[str, Any] = json.loads(line_of(Reply(text="hello", tokens=Tokens(3, 4))))


def changed(**parts: Any) -> bytes:
    return orjson.dumps({**GOOD, **parts})


def with_response(**parts: Any) -> bytes:
    return changed(response={**GOOD["response"], **parts})


def without(*path: str) -> bytes:
    row = json.loads(json.dumps(GOOD))
    at = row
    for part in path[:-1]:
        at = at[part]
    del at[path[-1]]
    return orjson.dumps(row)


NO_RECORDINGS = {
    "a number": b"7",
    "null": b"null",
    "a list": b"[]",
    "an empty object": b"{}",
    "a text": b'"key"',
    "no key": without("key"),
    "no kind": without("kind"),
    "no request": without("request"),
    "no response": without("response"),
    "no text": without("response", "text"),
    "a short key": changed(key="abc"),
    "a key in capitals": changed(key=GOOD["key"].upper()),
    "a key that is a list of digits": changed(key=list(GOOD["key"])),
    "a key with a line end": changed(key=GOOD["key"][:63] + "\n"),
    "an unknown kind": changed(kind="chatty"),
    "a kind that is a list": changed(kind=["chat"]),
    "a kind that is an object": changed(kind={}),
    "a request that is text": changed(request="hi"),
    "a response that is text": changed(response="hi"),
    "a response that is null": changed(response=None),
    "a text that is a number": with_response(text=7),
    "a text that is null": with_response(text=None),
    "a latency with a fraction": with_response(latency_ms=1.5),
    "a latency that is true": with_response(latency_ms=True),
    "a negative latency": with_response(latency_ms=-1),
    "a latency past 64 bits": orjson.dumps(GOOD).replace(b'"latency_ms":0', b'"latency_ms":' + b"9" * 30),
    "tokens that are a number": with_response(tokens=7),
    "tokens that are true": with_response(tokens={"input": True, "output": 1}),
    "negative tokens": with_response(tokens={"input": -1, "output": 1}),
    "half the tokens": with_response(tokens={"input": 1}),
    "tokens as text": with_response(tokens={"input": "1", "output": "1"}),
    "notes that are text": with_response(notes="cut off"),
    "notes that are numbers": with_response(notes=[7]),
    "an embedding of a chat": changed(response={"embedding": "AACAPw=="}),
    "a text of embeddings": changed(kind="embeddings"),
    "an embedding that is no base64": changed(kind="embeddings", response={"embedding": "AACA*w=="}),
    "an embedding beyond ASCII": changed(kind="embeddings", response={"embedding": "é"}),
    "an embedding that is a list": changed(kind="embeddings", response={"embedding": [1.0]}),
    "an empty embedding": changed(kind="embeddings", response={"embedding": ""}),
    "half a number of an embedding": changed(kind="embeddings", response={"embedding": "AACA"}),
    "an embedding that is not finite": changed(
        kind="embeddings", response={"embedding": base64.b64encode(struct.pack("<f", math.nan)).decode()}
    ),
    "nested past all sense": changed(request={"input": "hi", "x": json.loads("[" * 200 + "]" * 200)}),
    "nested past what the parser takes": b'{"key":' + b"[" * 5000,
    "two objects": orjson.dumps(GOOD) * 2,
    "NaN": orjson.dumps(GOOD).replace(b'"latency_ms":0', b'"latency_ms":NaN'),
    "not UTF-8": orjson.dumps(GOOD).replace(b"hello", b"hel\xfflo"),
    "half a surrogate pair": orjson.dumps(GOOD).replace(b"hello", b"hel\\ud800lo"),
    "half a line": orjson.dumps(GOOD)[:100],
    "a conflict marker": b"<<<<<<< HEAD",
    "prose": b"hello",
}


@pytest.mark.parametrize("line", NO_RECORDINGS.values(), ids=NO_RECORDINGS)
def test_a_line_that_is_no_recording_says_so(line: bytes) -> None:
    with pytest.raises(BadLine):
        read_line(line)


@pytest.mark.parametrize("what", ["half a line", "nested past what the parser takes", "not UTF-8"])
def test_a_line_that_may_be_cut_off_is_told_from_one_that_is_wrong(what: str) -> None:
    with pytest.raises(BadLine) as caught:
        read_line(NO_RECORDINGS[what])
    assert caught.value.torn


@pytest.mark.parametrize("what", ["no text", "a conflict marker", "prose", "a list", "nested past all sense"])
def test_a_whole_line_that_is_wrong_is_not_taken_for_torn(what: str) -> None:
    with pytest.raises(BadLine) as caught:
        read_line(NO_RECORDINGS[what])
    assert not caught.value.torn


def test_brackets_in_text_are_not_depth() -> None:
    assert read_line(line_of(Reply(text='[{"\\' * 500 + "]}" * 100))).text.startswith('[{"')


@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "replace")))
def test_any_bytes_are_a_recording_or_a_bad_line(line: bytes) -> None:
    with pytest.raises(BadLine):
        read_line(line)


@given(st.data())
def test_a_line_with_anything_in_place_of_a_part_is_a_recording_or_a_bad_line(data: st.DataObject) -> None:
    anything = st.recursive(
        st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | TEXTS,
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
        max_leaves=4,
    )
    row = json.loads(json.dumps(GOOD))
    place = data.draw(st.sampled_from([row, row["response"], row["response"]["tokens"], row["request"]]))
    place[data.draw(st.sampled_from(sorted(place)))] = data.draw(anything)
    row["kind"] = data.draw(st.sampled_from(["chat", "http", "embeddings"]))
    try:
        reply_of(read_line(orjson.dumps(row)))
    except BadLine as exc:
        assert str(exc)


# --- embeddings ------------------------------------------------------------------------------------------------------


def float32(value: float) -> float:
    number: float = struct.unpack("<f", struct.pack("<f", value))[0]
    return number


def is_float32(decimal: Decimal, value: float) -> bool:
    try:
        return float32(float(decimal)) == value
    except OverflowError:
        return False


def shortest_decimals(value: float) -> set[float]:
    """The decimals of fewest digits that name a float32, nearest first; two when both are as near."""
    exact = Decimal(value)
    for digits in range(1, 18):
        found = set()
        for rounding in (ROUND_FLOOR, ROUND_CEILING):
            with localcontext() as context:
                context.prec, context.rounding = digits, rounding
                found.add(+exact)
        named = [decimal for decimal in found if is_float32(decimal, value)]
        if named:
            best = min(abs(decimal - exact) for decimal in named)
            return {float(decimal) for decimal in named if abs(decimal - exact) == best}
    raise AssertionError(value)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
@example(0.6)
@example(-(2.0**-96))
@example(2.0**87)
@example(2.0**-149)
@example(3.4028234663852886e38)
@example(1165929.75)
@example(-0.0)
def test_the_shortest_decimal_of_any_float32_comes_back_exactly(value: float) -> None:
    value = float32(value)
    (back,) = decode_vector(encode_vector((value,)))
    assert back in shortest_decimals(value)
    assert math.copysign(1, back) == math.copysign(1, value)
    assert decode_vector(encode_vector((back,))) == (back,)


@given(st.lists(st.integers(-(10**6), 10**6).map(lambda n: n / 10**6), min_size=1, max_size=40))
def test_decimals_of_six_digits_come_back_as_they_were(vector: list[float]) -> None:
    assert decode_vector(encode_vector(tuple(vector))) == tuple(vector)


def test_zero_point_six_comes_back_as_zero_point_six() -> None:
    reply = reply_of(read_line(line_of(Reply(vector=(0.6, -0.1, 1.0), latency_ms=3))))
    assert reply == Reply(vector=(0.6, -0.1, 1.0), latency_ms=3)


@pytest.mark.parametrize("vector", [(), (math.nan,), (math.inf,), (1e39,), (10**400,), (0.1, -math.inf)])
def test_a_vector_that_float32_cannot_carry_is_refused(vector: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="embedding"):
        encode_vector(vector)


@pytest.mark.parametrize("text", [None, 7, "", "AACA", "AACAPw", "AACAPw==\n", "é", "AACAf/==", "AACAfw=="])
def test_what_is_no_vector_is_told(text: Any) -> None:
    assert not is_vector(text)
