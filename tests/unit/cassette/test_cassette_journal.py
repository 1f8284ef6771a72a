"""Answers between a call and the cassette: nothing that was answered is lost, whatever happens."""

import asyncio
import os
import resource
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest

from evalci.calls import Reply
from evalci.cassette import Cassette, Redactor, store
from evalci.cassette.codec import Recording, read_line, response_of, write_line
from evalci.cassette.journal import Journal, load_with_journal, rewrite
from evalci.errors import CassetteError
from tests.doubles import Model, a_call, opened, record_all

JOURNAL = "cassette.journal"
AS_ROOT = pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")


def recording(text: str, answer: str = "") -> Recording:
    call = a_call(text)
    reply = Reply(text=answer or f"ok {text}")
    return read_line(write_line(call, call.endpoint.request(text), response_of(reply), redacted=False))


def crashed(folder: Path, *left: Recording, torn: bytes = b"") -> Path:
    """A folder as a run leaves it that was killed before it could fold its answers in."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / JOURNAL).write_bytes(b"".join(one.line + b"\n" for one in left) + torn)
    return folder


def cassette_of(folder: Path) -> set[str]:
    return {one.text for one in store.load(folder).recordings.values()}


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_an_answer_is_in_the_journal_before_it_is_counted(tmp_path: Path) -> None:
    async def ask(cassette: Cassette) -> None:
        await cassette.record(Model())(a_call("a"))

    with opened(tmp_path, "auto") as cassette:
        asyncio.run(ask(cassette))
        assert (tmp_path / JOURNAL).read_bytes().count(b"\n") == 1
        assert not (tmp_path / "cassette.jsonl").exists()
    assert names(tmp_path) == {"cassette.jsonl"}
    assert cassette_of(tmp_path) == {"ok a"}


@pytest.mark.parametrize("mode", ["auto", "live", "replay"])
@pytest.mark.parametrize(
    "torn", [b"", b'{"key":"0123', recording("c").line[:-1], b"\0" * 100], ids=["whole", "begun", "nearly", "zeros"]
)
def test_the_next_run_folds_in_what_a_crash_left(tmp_path: Path, mode: str, torn: bytes) -> None:
    store.write(tmp_path, {recording("a").key: recording("a")})
    with opened(crashed(tmp_path, recording("b"), torn=torn), mode) as cassette:  # type: ignore[arg-type]
        assert len(cassette.notes) == bool(torn)
        assert cassette_of(tmp_path) == {"ok a", "ok b"}
    assert names(tmp_path) == {"cassette.jsonl"}


@pytest.mark.parametrize("mode", ["auto", "replay"])
def test_a_journal_of_nothing_but_a_torn_line_is_emptied_before_anything_follows(tmp_path: Path, mode: str) -> None:
    crashed(tmp_path, torn=b'{"key":"0123')
    with opened(tmp_path, mode):  # type: ignore[arg-type]
        assert not (tmp_path / JOURNAL).exists() or (tmp_path / JOURNAL).stat().st_size == 0
    assert names(tmp_path) == set()


def test_an_empty_journal_is_no_trouble(tmp_path: Path) -> None:
    record_all(crashed(tmp_path), Model(), a_call("a"))
    assert names(tmp_path) == {"cassette.jsonl"}


def test_off_leaves_a_journal_where_it_lies(tmp_path: Path) -> None:
    with opened(crashed(tmp_path, recording("a")), "off"):
        pass
    assert names(tmp_path) == {JOURNAL}


def test_a_damaged_line_in_the_middle_of_a_journal_stops_the_run_and_keeps_it(tmp_path: Path) -> None:
    folder = tmp_path / ".evalci"
    crashed(folder, torn=b'{"key"\n' + recording("a").line + b"\n")
    for mode in ("auto", "live", "replay"):
        with pytest.raises(CassetteError, match=r"^\.evalci/cassette\.journal:1: damaged"), opened(folder, mode):
            pass
    assert recording("a").line in (folder / JOURNAL).read_bytes()


def test_a_damaged_cassette_stops_a_recording_before_its_first_call_and_leaves_no_lock(tmp_path: Path) -> None:
    store.write(tmp_path, {recording("a").key: recording("a")})
    good = (tmp_path / "cassette.jsonl").read_bytes()
    (tmp_path / "cassette.jsonl").write_bytes(b"damage\n" + good)
    with pytest.raises(CassetteError), opened(tmp_path, "auto"):
        pass
    assert names(tmp_path) == {"cassette.jsonl"}
    (tmp_path / "cassette.jsonl").write_bytes(good)
    with opened(tmp_path, "auto"):
        pass


def test_a_later_answer_in_a_journal_wins_over_an_earlier_one(tmp_path: Path) -> None:
    with opened(crashed(tmp_path, recording("a", "first"), recording("a", "second")), "replay"):
        pass
    assert cassette_of(tmp_path) == {"second"}


def test_a_crash_between_the_two_forms_is_settled_by_the_journal(tmp_path: Path) -> None:
    """The split files are written, the old single file is not yet removed, and one answer is new."""
    old, new = recording("a", "old"), recording("a", "new")
    store.write(tmp_path, {old.key: old})
    (tmp_path / "cassette").mkdir()
    (tmp_path / "cassette" / f"{new.key[0]}.jsonl").write_bytes(new.line + b"\n")
    with pytest.raises(CassetteError, match="two different answers"):
        store.load(tmp_path)
    with opened(crashed(tmp_path, new), "replay"):
        pass
    assert cassette_of(tmp_path) == {"new"}


# --- who may record ---------------------------------------------------------------------------------------------------


def test_only_one_run_records_at_a_time(tmp_path: Path) -> None:
    with opened(tmp_path, "auto"):
        with pytest.raises(CassetteError, match="another run is recording") as caught, opened(tmp_path, "live"):
            pass
        assert caught.value.hint
    with opened(tmp_path, "live"):
        pass


def test_a_replay_beside_a_recording_sees_what_is_recorded_so_far_and_takes_nothing_away(tmp_path: Path) -> None:
    async def ask(cassette: Cassette) -> None:
        await cassette.record(Model())(a_call("a"))

    with opened(tmp_path, "auto") as cassette:
        asyncio.run(ask(cassette))
        with opened(tmp_path, "replay") as beside:
            assert asyncio.run(beside.record(Model())(a_call("a"))).text == "ok a"
        assert (tmp_path / JOURNAL).stat().st_size > 0
    assert cassette_of(tmp_path) == {"ok a"}


def test_a_journal_removed_by_its_holder_is_not_written_to(tmp_path: Path) -> None:
    """Two runs take the journal one after the other; each writes to the file that has the name."""
    for text in ("a", "b"):
        journal = Journal(tmp_path)
        journal.open()
        assert os.stat(tmp_path / JOURNAL).st_ino > 0
        journal.append(recording(text).line)
        journal.fold(load_with_journal(tmp_path)[0])
        journal.close()
        assert not (tmp_path / JOURNAL).exists()
    assert cassette_of(tmp_path) == {"ok a", "ok b"}


def test_closing_twice_or_unopened_is_no_trouble(tmp_path: Path) -> None:
    cassette = Cassette(tmp_path, "auto", Redactor())
    cassette.close()
    cassette.open()
    cassette.close()
    cassette.close()
    Journal(tmp_path).close()


def test_a_rewrite_replaces_cassette_and_journal_and_waits_for_nobody(tmp_path: Path) -> None:
    store.write(tmp_path, {recording("a").key: recording("a")})
    rewrite(crashed(tmp_path, recording("b")), {recording("c").key: recording("c")})
    assert cassette_of(tmp_path) == {"ok c"}
    assert names(tmp_path) == {"cassette.jsonl"}
    with opened(tmp_path, "auto"), pytest.raises(CassetteError, match="another run is recording"):
        rewrite(tmp_path, {})
    assert cassette_of(tmp_path) == {"ok c"}


# --- folders and disks that refuse ------------------------------------------------------------------------------------


def test_a_state_folder_that_is_a_file_cannot_be_recorded_into(tmp_path: Path) -> None:
    (tmp_path / ".evalci").write_text("")
    with pytest.raises(CassetteError, match=r"cannot write recordings to \.evalci/cassette\.journal") as caught:
        Cassette(tmp_path / ".evalci", "auto", Redactor()).open()
    assert "--cache replay" in caught.value.hint


@AS_ROOT
def test_a_read_only_folder_is_replayed_with_its_journal_but_not_recorded_into(tmp_path: Path) -> None:
    folder = crashed(tmp_path / ".evalci", recording("a"))
    _check_read_only(folder)


def _check_read_only(folder: Path) -> None:
    before = (folder / JOURNAL).read_bytes()
    os.chmod(folder / JOURNAL, 0o444)
    os.chmod(folder, 0o555)
    try:
        with opened(folder, "replay") as cassette:
            assert asyncio.run(cassette.record(Model())(a_call("a"))).text == "ok a"
        with pytest.raises(CassetteError, match="cannot write recordings"), opened(folder, "auto"):
            pass
    finally:
        os.chmod(folder, 0o755)
    assert names(folder) == {JOURNAL}
    assert (folder / JOURNAL).read_bytes() == before


def in_a_child(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    code = textwrap.dedent(script)
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=30, cwd=ROOT
    )


ROOT = Path(__file__).parents[3]


@pytest.mark.skipif(os.geteuid() != 0, reason="the test above does this as it is")
def test_a_read_only_folder_is_refused_to_somebody_who_is_not_root() -> None:
    with tempfile.TemporaryDirectory() as place:  # pytest's own folders let nobody else in
        os.chmod(place, 0o755)
        folder = crashed(Path(place, ".evalci"), recording("a"))
        os.chown(folder, 65534, 65534)
        os.chown(folder / JOURNAL, 65534, 65534)
        _check_as_nobody(folder)


def _check_as_nobody(folder: Path) -> None:
    script = """
        import os, sys
        from pathlib import Path
        from tests.unit.cassette.test_cassette_journal import _check_read_only
        os.setgid(65534); os.setuid(65534)
        _check_read_only(Path(sys.argv[1]))
    """
    done = in_a_child(script, str(folder))
    assert done.returncode == 0, done.stderr


DISK_FULL = """
    import asyncio, resource, signal, sys
    from pathlib import Path
    from evalci.calls import CallError
    from evalci.errors import CassetteError
    from tests.doubles import Model, a_call, opened

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))

    async def ask(cassette):
        caller = cassette.record(Model())
        for i in range(10):
            await caller(a_call(f"q{i}"))

    try:
        with opened(Path(sys.argv[1]), "auto") as cassette:
            asyncio.run(ask(cassette))
    except CassetteError as exc:
        print("\\n".join(exc.lines()))
"""


def test_a_disk_that_fills_up_stops_the_run_and_keeps_every_whole_answer(tmp_path: Path) -> None:
    done = in_a_child(DISK_FULL, str(tmp_path))
    assert "cannot write recordings: " in done.stdout, done.stderr
    assert "what was recorded so far is kept" in done.stdout
    assert done.stderr == ""
    model = Model()
    record_all(tmp_path, model, *(a_call(f"q{i}") for i in range(10)))
    kept = 10 - len(model.asked)
    assert kept >= 4
    assert {call.input for call in model.asked} == {f"q{i}" for i in range(kept, 10)}
    assert cassette_of(tmp_path) == {f"ok q{i}" for i in range(10)}
    assert names(tmp_path) == {"cassette.jsonl"}


HALF_A_LINE = """
    import resource, signal, sys
    from pathlib import Path
    from evalci.cassette.journal import Journal
    from evalci.errors import CassetteError

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    journal = Journal(Path(sys.argv[1]))
    journal.open()
    journal.append(b"a" * 80)
    try:
        journal.append(b"b" * 40)
    except CassetteError:
        journal.append(b"c" * 10)
"""


def test_half_a_line_does_not_stay_when_the_disk_is_full(tmp_path: Path) -> None:
    done = in_a_child(HALF_A_LINE, str(tmp_path))
    assert done.stderr == ""
    assert (tmp_path / "cassette.journal").read_bytes() == b"a" * 80 + b"\n" + b"c" * 10 + b"\n"


def test_a_cassette_that_cannot_be_written_leaves_its_answers_in_the_journal(tmp_path: Path) -> None:
    (tmp_path / "cassette").mkdir()
    (tmp_path / "cassette" / "0.jsonl").write_bytes(b"")
    model = Model()
    cassette = Cassette(tmp_path, "auto", Redactor())
    cassette.open()
    asyncio.run(cassette.record(model)(a_call("a")))
    (tmp_path / "cassette.jsonl").mkdir()
    with pytest.raises(CassetteError, match="cannot write recordings") as caught:
        cassette.close()
    assert "what was recorded so far is kept" in caught.value.hint
    (tmp_path / "cassette.jsonl").rmdir()
    with opened(tmp_path, "replay"):
        pass
    assert cassette_of(tmp_path) == {"ok a"}


def test_a_disk_without_room_for_the_fold_keeps_cassette_and_journal(tmp_path: Path) -> None:
    """The journal fits under the limit; the cassette with the answers of before does not."""
    record_all(tmp_path, Model(), *(a_call(f"q{i}") for i in range(4)))
    before = (tmp_path / "cassette.jsonl").read_bytes()
    script = DISK_FULL.replace("range(10)", "range(4, 6)").replace("1500", str(len(before) + 10))
    done = in_a_child(script, str(tmp_path))
    assert "cannot write recordings: File too large" in done.stdout, done.stderr
    assert (tmp_path / "cassette.jsonl").read_bytes() == before
    assert names(tmp_path) == {"cassette.jsonl", JOURNAL}
    with opened(tmp_path, "replay"):
        pass
    assert cassette_of(tmp_path) == {f"ok q{i}" for i in range(6)}


def test_the_limits_used_above_exist_here() -> None:
    assert resource.getrlimit(resource.RLIMIT_FSIZE)
