"""Recordings on disk: any order loads, the same recordings are the same bytes, damage is named."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.calls import Reply
from evalci.cassette import store
from evalci.cassette.codec import Recording, read_line, response_of, write_line
from evalci.errors import CassetteError
from tests.doubles import a_call


def recording(text: str, answer: str = "", latency_ms: int = 1) -> Recording:
    call = a_call(text)
    reply = Reply(text=answer or f"ok {text}", latency_ms=latency_ms)
    return read_line(write_line(call, call.endpoint.request(text), response_of(reply), redacted=False))


def some(count: int) -> dict[str, Recording]:
    return {one.key: one for one in (recording(f"q{i}") for i in range(count))}


def lines_of(*recordings: Recording) -> bytes:
    return b"".join(one.line + b"\n" for one in recordings)


def put(folder: Path, data: bytes, name: str = "cassette.jsonl") -> Path:
    path = folder / ".evalci" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return folder / ".evalci"


def complaint(folder: Path) -> tuple[str, ...]:
    with pytest.raises(CassetteError) as caught:
        store.load(folder)
    return caught.value.lines()


def test_what_is_written_is_loaded(tmp_path: Path) -> None:
    store.write(tmp_path, some(20))
    assert store.load(tmp_path).recordings == some(20)
    assert (tmp_path / "cassette.jsonl").read_bytes() == lines_of(*(some(20)[key] for key in sorted(some(20))))


def test_a_folder_without_recordings_loads_as_nothing(tmp_path: Path) -> None:
    assert store.load(tmp_path / "none") == store.Loaded(recordings={})


def test_nothing_is_written_for_no_recordings(tmp_path: Path) -> None:
    store.write(tmp_path, {})
    assert list(tmp_path.iterdir()) == []


def test_the_last_recording_can_go(tmp_path: Path) -> None:
    store.write(tmp_path, some(1))
    store.write(tmp_path, {})
    assert store.load(tmp_path).recordings == {}


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\n\n \n", b" \t\n"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf", b"\n"])
def test_any_line_order_and_line_end_load(tmp_path: Path, start: bytes, end: bytes) -> None:
    shuffled = list(some(20).values())
    random.Random(1).shuffle(shuffled)
    folder = put(tmp_path, start + b"".join(one.line + end for one in shuffled))
    loaded = store.load(folder)
    assert loaded.recordings == some(20)
    assert loaded.notes == ()
    store.write(folder, loaded.recordings)
    assert (folder / "cassette.jsonl").read_bytes() == lines_of(*(some(20)[key] for key in sorted(some(20))))


def test_identical_doubles_are_one(tmp_path: Path) -> None:
    fast, slow = recording("q", latency_ms=1), recording("q", latency_ms=20)
    here, there = put(tmp_path / "a", lines_of(fast, slow, fast)), put(tmp_path / "b", lines_of(slow, fast))
    assert store.load(here).recordings == store.load(there).recordings == {fast.key: fast}


def test_two_answers_to_one_key_name_both_lines(tmp_path: Path) -> None:
    yes, no = recording("q", "yes"), recording("q", "no")
    first, *rest = complaint(put(tmp_path, lines_of(recording("other"), yes, yes, no)))
    assert first == (
        f"two different answers are recorded for the key {yes.key[:12]}…: "
        ".evalci/cassette.jsonl:2 and .evalci/cassette.jsonl:4"
    )
    assert "evalci cassette merge" in rest[0]


def test_two_answers_in_two_files_name_both_files(tmp_path: Path) -> None:
    yes, no = recording("q", "yes"), recording("q", "no")
    put(tmp_path, lines_of(yes))
    folder = put(tmp_path, lines_of(no), f"cassette/{no.key[0]}.jsonl")
    assert f".evalci/cassette.jsonl:1 and .evalci/cassette/{no.key[0]}.jsonl:1" in complaint(folder)[0]


@pytest.mark.parametrize("end", [b"", b"\n", b"\n\n", b"\r\n"])
@pytest.mark.parametrize("kept", [1, 10, 100, 200, -1])
def test_a_torn_last_line_loses_that_one_answer(tmp_path: Path, kept: int, end: bytes) -> None:
    folder = put(tmp_path, lines_of(recording("a"), recording("b")) + recording("c").line[:kept] + end)
    loaded = store.load(folder)
    assert loaded.recordings.keys() == {recording("a").key, recording("b").key}
    assert loaded.notes == (".evalci/cassette.jsonl:3: the last line is cut off; that one answer is lost",)


def test_zeros_at_the_end_are_a_torn_line(tmp_path: Path) -> None:
    loaded = store.load(put(tmp_path, lines_of(recording("a")) + b"\0" * 300))
    assert len(loaded.recordings) == len(loaded.notes) == 1


def test_a_whole_last_line_without_its_line_end_is_not_lost(tmp_path: Path) -> None:
    assert len(store.load(put(tmp_path, lines_of(recording("a"))[:-1])).recordings) == 1


def test_a_damaged_line_anywhere_else_names_file_and_line(tmp_path: Path) -> None:
    torn = recording("b").line[:50]
    first, *rest = complaint(put(tmp_path, lines_of(recording("a")) + torn + b"\n" + lines_of(recording("c"))))
    assert first.startswith(".evalci/cassette.jsonl:2: damaged recording (not valid JSON: ")
    assert "--cache auto" in rest[0]


def test_a_last_line_that_is_whole_but_wrong_is_damage(tmp_path: Path) -> None:
    assert complaint(put(tmp_path, lines_of(recording("a")) + b'{"key":1}'))[0].startswith(".evalci/cassette.jsonl:2:")


@pytest.mark.parametrize("marker", [b"<<<<<<< HEAD", b"||||||| base", b"=======", b">>>>>>> theirs"])
@pytest.mark.parametrize("at_the_end", [True, False])
def test_a_conflict_marker_says_how_to_settle_it(tmp_path: Path, marker: bytes, at_the_end: bool) -> None:
    data = lines_of(recording("a")) + marker + b"\n" + b"" * at_the_end + lines_of(recording("b")) * (not at_the_end)
    first, *rest = complaint(put(tmp_path, data))
    assert "a merge conflict marker" in first
    assert "evalci cassette merge" in rest[0]


def test_what_is_shown_of_a_damaged_line_cannot_drive_a_terminal(tmp_path: Path) -> None:
    first, *_ = complaint(put(tmp_path, b"\x1b[31m\xff" + b"x" * 500 + b"\n" + lines_of(recording("a"))))
    assert first.isprintable()
    assert len(first) < 200


def test_a_cassette_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / ".evalci" / "cassette" / "a.jsonl").mkdir(parents=True)
    assert complaint(tmp_path / ".evalci")[0].startswith(".evalci/cassette/a.jsonl: ")


def test_a_file_outside_the_state_folder_is_named_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "theirs.jsonl"
    path.write_bytes(b"x\n" + lines_of(recording("a")))
    with pytest.raises(CassetteError, match=r"^theirs\.jsonl:1: damaged"):
        store.load_files([path])


# --- the split form --------------------------------------------------------------------------------------------------


def test_past_the_limit_recordings_are_split_by_the_first_digit_of_their_key(tmp_path: Path) -> None:
    store.write(tmp_path, some(60), split_above=1000)
    assert not (tmp_path / "cassette.jsonl").exists()
    for path in (tmp_path / "cassette").iterdir():
        keys = [read_line(line).key for line in path.read_bytes().splitlines()]
        assert keys == sorted(keys)
        assert {key[0] for key in keys} == {path.stem}
    assert store.load(tmp_path).recordings == some(60)


def test_the_limit_counts_line_ends(tmp_path: Path) -> None:
    size = len(lines_of(*some(3).values()))
    store.write(tmp_path / "a", some(3), split_above=size)
    store.write(tmp_path / "b", some(3), split_above=size - 1)
    assert [(tmp_path / name / "cassette.jsonl").exists() for name in "ab"] == [True, False]


def test_going_from_one_form_to_the_other_and_back_leaves_nothing_behind(tmp_path: Path) -> None:
    for limit in (10**6, 1000, 10**6):
        store.write(tmp_path, some(60), split_above=limit)
        assert store.load(tmp_path).recordings == some(60)
        assert {path.name for path in tmp_path.iterdir()} == {"cassette.jsonl" if limit > 1000 else "cassette"}


def test_both_forms_load_together(tmp_path: Path) -> None:
    store.write(tmp_path, some(60), split_above=1000)
    put_beside = lines_of(recording("new"), *list(some(60).values())[:5])
    (tmp_path / "cassette.jsonl").write_bytes(put_beside)
    assert store.load(tmp_path).recordings == {**some(60), recording("new").key: recording("new")}


def test_a_file_that_would_not_change_is_left_alone(tmp_path: Path) -> None:
    store.write(tmp_path, some(60), split_above=1000)
    before = {path: path.stat().st_ino for path in (tmp_path / "cassette").iterdir()}
    new = recording("new")
    store.write(tmp_path, {**some(60), new.key: new}, split_above=1000)
    changed = {path.stem for path in before if path.stat().st_ino != before[path]}
    assert changed <= {new.key[0]}


def test_what_a_crash_left_of_a_write_is_cleared_away(tmp_path: Path) -> None:
    store.write(tmp_path, some(60), split_above=1000)
    (tmp_path / ".cassette.jsonl.123.tmp").write_bytes(b"half")
    (tmp_path / "cassette" / ".a.jsonl.123.tmp").write_bytes(b"half")
    store.write(tmp_path, some(60), split_above=10**6)
    assert [path.name for path in tmp_path.iterdir()] == ["cassette.jsonl"]


# --- digests ---------------------------------------------------------------------------------------------------------


def test_the_digest_is_the_same_for_both_forms(tmp_path: Path) -> None:
    digests = set()
    for limit in (10**6, 1000):
        store.write(tmp_path, some(60), split_above=limit)
        digests.add(store.digest(store.load(tmp_path).recordings))
    assert len(digests) == 1


def test_no_recordings_have_no_digest() -> None:
    assert store.digest({}) is None


@given(st.permutations(list(range(12))), st.integers(200, 6000))
def test_the_same_recordings_give_the_same_bytes_in_any_order(
    tmp_path_factory: pytest.TempPathFactory, order: list[int], limit: int
) -> None:
    folder = tmp_path_factory.mktemp("any")
    ordered, shuffled = list(some(12).values()), [list(some(12).values())[i] for i in order]
    written = []
    for name, recordings in (("a", ordered), ("b", shuffled)):
        store.write(folder / name, {one.key: one for one in recordings}, split_above=limit)
        paths = sorted((folder / name).rglob("*.jsonl"))
        written.append({path.relative_to(folder / name): path.read_bytes() for path in paths})
    assert written[0] == written[1]
