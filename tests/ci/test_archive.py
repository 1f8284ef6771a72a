"""Downloaded zips: only the wanted plain files come out, within bounds; anything odd refuses the whole."""

import io
import stat
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.ci.archive import ArchiveRefused, ArchiveRules, unpack

from .fake_github import zipped

RULES = ArchiveRules(wanted=("report.json", "baselines/*/*.json"))


def made(name: str, content: bytes = b"x", *, mode: int = 0) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        info = zipfile.ZipInfo("placeholder")
        info.filename = name
        info.external_attr = mode << 16
        archive.writestr(info, content)
    return target.getvalue()


def test_only_the_wanted_files_come_out():
    data = zipped({"report.json": b"1", "baselines/suite/main.json": b"2", "baselines/x.json": b"3", "a/b/c": b"4"})
    assert unpack(data, RULES) == {"report.json": b"1", "baselines/suite/main.json": b"2"}


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../report.json", "a/../../report.json", "C:/report.json", "a\\..\\report.json", "a\nb"]
)
def test_a_name_that_leads_elsewhere_refuses_the_archive(name: str):
    with pytest.raises(ArchiveRefused):
        unpack(made(name), RULES)


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR])
def test_links_and_special_files_refuse_the_archive(kind: int):
    with pytest.raises(ArchiveRefused, match="link or a special"):
        unpack(made("report.json", b"/etc/passwd", mode=kind | 0o777), RULES)


def test_a_plain_file_with_its_mode_and_a_folder_are_fine():
    assert unpack(made("report.json", mode=stat.S_IFREG | 0o644), RULES) == {"report.json": b"x"}
    assert unpack(made("baselines/", b"", mode=stat.S_IFDIR | 0o755), RULES) == {}


def test_a_name_that_stands_twice_refuses_the_archive():
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("report.json", "good")
        archive.writestr("report.json", "bad")
    with pytest.raises(ArchiveRefused, match="twice"):
        unpack(target.getvalue(), RULES)


def test_a_bomb_stops_at_the_cap_whatever_it_claims():
    data = bytearray(zipped({"report.json": b"\0" * 5_000_000}))
    rules = ArchiveRules(wanted=("report.json",), max_total_bytes=1_000_000)
    with pytest.raises(ArchiveRefused, match="1,000,000"):
        unpack(bytes(data), rules)


def test_too_many_members_refuse_the_archive():
    rules = ArchiveRules(wanted=("*",), max_members=3)
    with pytest.raises(ArchiveRefused, match="4 members"):
        unpack(zipped({str(number): b"" for number in range(4)}), rules)


def test_a_damaged_or_encrypted_archive_is_refused():
    data = bytearray(made("report.json", b"some content that is long enough"))
    with pytest.raises(ArchiveRefused):
        unpack(b"no zip", RULES)
    encrypted = bytearray(data)
    encrypted[data.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(ArchiveRefused, match="encrypted"):
        unpack(bytes(encrypted), RULES)


@given(st.integers(0, 200), st.integers(0, 255))
def test_one_changed_byte_gives_an_archive_or_a_refusal(position: int, value: int):
    data = bytearray(zipped({"report.json": b'{"schema": "evalci.report/1"}', "other": b"x"}))
    data[position % len(data)] = value
    try:
        files = unpack(bytes(data), RULES)
    except ArchiveRefused:
        return
    assert set(files) <= {"report.json"}
