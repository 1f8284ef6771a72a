"""The archive under evaluation: readable, its members inside it, and the very bytes that somebody stated."""

import hashlib
import io
import re
import tarfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

from evalci.errors import EvalciError
from evalci.wording import quoted, snippet

MOST_BYTES: Final = 1 << 30
_DIGEST: Final = re.compile(r"[0-9a-fA-F]{64}")


class ArchiveError(EvalciError):
    """The archive cannot be evaluated; no adapter was started."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Archive:
    """A checked archive: its file's name, its bytes and their SHA-256."""

    name: str
    data: bytes = field(repr=False)
    sha256: str


def read_archive(path: Path, stated: str | None = None) -> Archive:
    """The archive, read once: what is hashed here is what is copied and run. Raises `ArchiveError`.

    `stated` is a digest from the config; a file `<archive>.sha256` beside it counts as well. One must be there, and
    all that are must agree.
    """
    data = _read(path)
    archive = Archive(name=path.name, data=data, sha256=hashlib.sha256(data).hexdigest())
    beside = _beside(path)
    if stated is None and beside is None:
        hint = f"write its digest beside it: sha256sum {path.name} > {path.name}.sha256"
        raise ArchiveError(f"nothing states the digest of the archive {quoted(path.name)}", hint=hint)
    for where, digest in (("the config", stated), (f"{path.name}.sha256", beside)):
        if digest is not None and digest.lower() != archive.sha256:
            message = f"the archive {quoted(path.name)} has SHA-256 {archive.sha256}, {where} says {digest[:80]}"
            raise ArchiveError(message, hint="build it again, or state the digest of the one that is meant")
    check_structure(archive)
    return archive


def check_structure(archive: Archive) -> None:
    """Every member can be read and stays inside. Raises `ArchiveError`."""
    who = f"the archive {quoted(archive.name)}"
    files = 0
    try:
        with tarfile.open(fileobj=io.BytesIO(archive.data), mode="r:gz") as tar:
            for number, member in enumerate(tar):
                if number > 100_000 or tar.offset > MOST_BYTES:
                    raise ArchiveError(f"{who} is too large to be looked through")
                problem = _problem(member)
                if problem:
                    raise ArchiveError(f"{who}: member {quoted(snippet(member.name, 120))} {problem}")
                files += member.isfile()
        _drain(archive.data, who)
    except (tarfile.TarError, OSError, EOFError, zlib.error, UnicodeError, ValueError) as exc:
        raise ArchiveError(f"{who} is not a readable tar.gz: {exc}") from exc
    if not files:
        raise ArchiveError(f"{who} holds no file")


def _problem(member: tarfile.TarInfo) -> str:
    if not _stays(PurePosixPath(), member.name):
        return "lies outside the archive"
    if member.issym() and not _stays(PurePosixPath(member.name).parent, member.linkname):
        return "is a link that leads outside the archive"
    if member.islnk() and not _stays(PurePosixPath(), member.linkname):
        return "is a link that leads outside the archive"
    if not (member.isfile() or member.isdir() or member.issym() or member.islnk()):
        return "is neither a file, a folder nor a link"
    return ""


def _stays(folder: PurePosixPath, name: str) -> bool:
    """Does a path stay below the archive's root at every step?"""
    if not name or name.startswith("/") or "\0" in name or "\\" in name or re.match("[A-Za-z]:", name):
        return False
    depth = 0
    for part in (*folder.parts, *PurePosixPath(name).parts):
        depth += -1 if part == ".." else part not in (".", "")
        if depth < 0:
            return False
    return True


def _drain(data: bytes, who: str) -> None:
    """Unpack all of it once, so that a checksum that does not hold is found here and not by an adapter."""
    import gzip

    total = 0
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as unpacked:
        while part := unpacked.read(1 << 20):
            total += len(part)
            if total > MOST_BYTES:
                raise ArchiveError(f"{who} is too large to be looked through")


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ArchiveError(f"the archive {quoted(path.name)} is too large")
        return path.read_bytes()
    except (OSError, ValueError) as exc:
        raise ArchiveError(f"cannot read the archive {quoted(str(path))}: {getattr(exc, 'strerror', exc)}") from exc


def _beside(path: Path) -> str | None:
    """The digest in `<archive>.sha256`, None when there is no such file."""
    try:
        text = path.with_name(f"{path.name}.sha256").read_text("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as exc:
        raise ArchiveError(f"cannot read {quoted(path.name + '.sha256')}") from exc
    word = (text.split() or [""])[0]
    if not _DIGEST.fullmatch(word):
        raise ArchiveError(f"{quoted(path.name + '.sha256')} does not begin with a SHA-256 in hex")
    return word
