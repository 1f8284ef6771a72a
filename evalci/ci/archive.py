"""A downloaded zip, opened as if an enemy had packed it: bounded, names checked, nothing but plain files read."""

import fnmatch
import io
import stat
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

_READ_SIZE = 1 << 20


class ArchiveRefused(Exception):
    """The archive is not one of ours, or not as it should be; nothing of it was used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveRules:
    """Which members are wanted (shell patterns over whole names, `*` crosses no `/`), and how large all may be."""

    wanted: tuple[str, ...]
    max_archive_bytes: int = 100_000_000
    max_members: int = 2_000
    max_total_bytes: int = 300_000_000


def unpack(data: bytes, rules: ArchiveRules) -> Mapping[str, bytes]:
    """The wanted members by name. One unsafe name anywhere refuses the whole archive."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = _checked_members(archive, rules)
            return _read_all(archive, members, rules.max_total_bytes)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError) as exc:
        raise ArchiveRefused(f"the archive cannot be read ({type(exc).__name__})") from None


def _checked_members(archive: zipfile.ZipFile, rules: ArchiveRules) -> list[zipfile.ZipInfo]:
    members = archive.infolist()
    if len(members) > rules.max_members:
        raise ArchiveRefused(f"the archive holds {len(members):,} members, more than {rules.max_members:,}")
    seen: set[str] = set()
    for member in members:
        problem = _problem_with(member) or ("appears twice" if member.filename in seen else "")
        if problem:
            raise ArchiveRefused(f"the archive's member {member.filename[:100]!r} {problem}")
        seen.add(member.filename)
    return [member for member in members if not member.is_dir() and _is_wanted(member.filename, rules.wanted)]


def _problem_with(member: zipfile.ZipInfo) -> str:
    name = member.filename
    mode = member.external_attr >> 16
    if name != member.orig_filename or "\\" in name or any(ord(char) < 32 for char in name):
        return "has a name with a backslash or a control character"
    if name.startswith("/") or ":" in name.partition("/")[0]:
        return "has an absolute name"
    if ".." in name.split("/"):
        return "leads out of the archive"
    if mode and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_IFMT(mode) == 0):
        return "is a link or a special file"
    if member.flag_bits & 0x1:
        return "is encrypted"
    return ""


def _is_wanted(name: str, wanted: tuple[str, ...]) -> bool:
    """Whether one pattern matches, part by part."""
    parts = name.split("/")
    return any(
        len(parts) == len(pattern.split("/"))
        and all(fnmatch.fnmatchcase(part, piece) for part, piece in zip(parts, pattern.split("/"), strict=True))
        for pattern in wanted
    )


def _read_all(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], limit: int) -> Mapping[str, bytes]:
    """Every member's bytes; what a member claims to hold is not believed, what comes out is counted."""
    files: dict[str, bytes] = {}
    left = limit
    for member in members:
        content = bytearray()
        with archive.open(member) as stream:
            while chunk := stream.read(_READ_SIZE):
                content += chunk
                if len(content) > left:
                    raise ArchiveRefused(f"the archive unpacks to more than {limit:,} bytes")
        left -= len(content)
        files[member.filename] = bytes(content)
    return files
