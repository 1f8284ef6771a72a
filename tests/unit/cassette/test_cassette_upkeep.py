"""Work on recordings as they lie there."""

from pathlib import Path

import orjson
import pytest

from evalci.calls import Endpoint, Reply
from evalci.cassette import Redactor, upkeep
from evalci.cassette.codec import Recording, read_line, response_of, write_line
from evalci.errors import CassetteError
from evalci.model import Tokens
from tests.doubles import CHAT, a_call

EMBEDDINGS = Endpoint("embeddings", {"type": "embeddings", "url": "http://x/v1", "model": "e"})


def recording(text: str, reply: Reply | None = None, endpoint: Endpoint = CHAT, redacted: bool = False) -> Recording:
    call = a_call(text, endpoint=endpoint)
    response = response_of(reply or Reply(text=f"ok {text}"))
    return read_line(write_line(call, call.endpoint.request(text), response, redacted=redacted))


def changed(one: Recording, **parts: object) -> Recording:
    return read_line(orjson.dumps({**one.row, **parts}, option=orjson.OPT_SORT_KEYS))


def file_of(folder: Path, name: str, *parts: Recording | bytes) -> Path:
    path = folder / name
    path.write_bytes(b"".join((one.line if isinstance(one, Recording) else one) + b"\n" for one in parts))
    return path


def test_totals_count_kinds_models_and_what_is_known_of_tokens() -> None:
    found = upkeep.stats(
        [
            recording("a", Reply(text="x", tokens=Tokens(3, 4))),
            recording("b", redacted=True),
            recording("c", Reply(vector=(0.5,), tokens=Tokens(2, 0)), EMBEDDINGS),
            recording("d", endpoint=Endpoint("http", {"http": {"url": "http://x", "method": "GET"}})),
            changed(recording("e"), request={"identity": 7, "input": "e"}),
        ]
    )
    assert (found.recordings, found.tokens, found.redacted) == (5, 9, 1)
    assert found.kinds == {"chat": 3, "embeddings": 1, "http": 1}
    assert found.models == {"e": 1, "m": 2}
    assert found.bytes > 500


def test_a_key_that_is_not_the_hash_of_its_request_is_wrong_unless_it_was_masked() -> None:
    right = recording("a")
    wrong = changed(recording("b"), request={"identity": {}, "input": "other"})
    masked = changed(recording("c"), request={"identity": {}, "input": "[redacted]"}, redacted=True)
    found = upkeep.verify([wrong, masked, right, recording("d", redacted=True)])
    assert found == upkeep.Verified(right=2, wrong=(wrong.key,), unknowable=(masked.key,))


def test_two_branches_merge_and_conflict_markers_between_them_are_skipped(tmp_path: Path) -> None:
    ours, theirs, both = recording("ours"), recording("theirs"), recording("both")
    markers = (b"<<<<<<< HEAD", ours, b"||||||| base", b"=======", theirs, b">>>>>>> theirs", b"")
    merged, conflicts = upkeep.merge([file_of(tmp_path, "a", both, *markers), file_of(tmp_path, "b", both)], None)
    assert merged == {one.key: one for one in (ours, theirs, both)}
    assert conflicts == ()


@pytest.mark.parametrize(("prefer", "kept"), [(None, "yes"), ("first", "yes"), ("last", "no")])
def test_two_answers_are_a_conflict_that_a_preference_settles(tmp_path: Path, prefer: str | None, kept: str) -> None:
    yes, no = recording("q", Reply(text="yes")), recording("q", Reply(text="no"))
    paths = [file_of(tmp_path, "a", yes), file_of(tmp_path, "b", no)]
    merged, (conflict,) = upkeep.merge(paths, prefer)  # type: ignore[arg-type]
    assert (conflict.first, conflict.last) == (yes, no)
    assert merged[yes.key].text == kept


def test_of_identical_answers_the_same_line_stays_whatever_the_order(tmp_path: Path) -> None:
    fast, slow = recording("q", Reply(text="a", latency_ms=1)), recording("q", Reply(text="a", latency_ms=20))
    one, two = file_of(tmp_path, "a", fast), file_of(tmp_path, "b", slow)
    assert upkeep.merge([one, two], None) == upkeep.merge([two, one], None) == ({fast.key: fast}, ())


def test_a_torn_last_line_is_skipped_and_damage_elsewhere_is_not(tmp_path: Path) -> None:
    torn = recording("b").line[:40]
    assert upkeep.merge([file_of(tmp_path, "a", recording("a"), torn)], None)[0].keys() == {recording("a").key}
    with pytest.raises(CassetteError, match=r"b:1: damaged recording"):
        upkeep.merge([file_of(tmp_path, "b", torn, recording("a"))], None)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(CassetteError, match="No such file"):
        upkeep.merge([tmp_path / "none.jsonl"], None)


def test_masking_keeps_keys_and_embeddings_and_marks_what_it_changed() -> None:
    secret = "s3cret-value"
    clean, vector = recording("a"), recording("v", Reply(vector=(0.5,)), EMBEDDINGS)
    asked, answered = recording(f"is {secret}?"), recording("b", Reply(text=f"it is {secret}"))
    before = {one.key: one for one in (clean, vector, asked, answered)}
    after, count = upkeep.redact(before, Redactor([secret]))
    assert count == 2
    assert after.keys() == before.keys()
    assert (after[clean.key], after[vector.key]) == (clean, vector)
    for one in (asked, answered):
        assert after[one.key].redacted
        assert secret.encode() not in after[one.key].line
    assert upkeep.redact(after, Redactor([secret])) == (after, 0)
