"""How a sticky comment is written down: a hidden marker, then one section per leg, suite or shard between hidden marks.

The first line finds the comment again; `rev` changes with every write, so two looks tell whether anybody wrote between.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import quote, unquote

# GitHub refuses 65,536 characters; counted in bytes, this is safe however it counts.
BODY_BYTES: Final = 65_000
_MARKER: Final = re.compile(
    r"<!-- evalci:1 key=([0-9a-f]{12}) sha=([0-9a-f]*) run=([0-9]+)\.([0-9]+) rev=([0-9]+)\.([0-9a-f]{8}) -->"
)
_SECTION: Final = re.compile(
    r"^<!-- evalci:section key=(\S*) sha=([0-9a-f]*) run=([0-9]+)\.([0-9]+) -->\n(.*?)\n^<!-- evalci:end -->$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One leg's part of the comment, and which commit, run and attempt it speaks of."""

    key: str
    sha: str
    run: int
    attempt: int
    content: str

    @property
    def version(self) -> tuple[int, int]:
        """What orders two sections of one key and one commit."""
        return self.run, self.attempt

    @property
    def headline(self) -> str:
        """The first line, which stands for the whole where there is no room for it."""
        return self.content.partition("\n")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class StickyBody:
    """A comment's text as parts. `rev` counts writes and names the last writer."""

    key: str
    sections: Mapping[str, Section]
    rev: tuple[int, str] = (0, "00000000")

    def render(self) -> str:
        """The text to post. Sections stand in the natural order of their keys."""
        ordered = [self.sections[key] for key in sorted(self.sections, key=_natural)]
        newest = max(ordered, key=lambda section: section.version)
        marker = f"key={self.key} sha={newest.sha} run={newest.run}.{newest.attempt} rev={self.rev[0]}.{self.rev[1]}"
        return f"<!-- evalci:1 {marker} -->\n" + "\n".join(map(_rendered, ordered))


def comment_key(*names: str) -> str:
    """The twelve digits that tell one sticky comment of a pull request from another."""
    return hashlib.sha256("\0".join(names).encode()).hexdigest()[:12]


def writer_mark(section: Section) -> str:
    """Eight digits that name who wrote a revision."""
    return hashlib.sha256(f"{section.key}\0{section.run}.{section.attempt}".encode()).hexdigest()[:8]


def parse(text: str, key: str) -> StickyBody | None:
    """The parts of a comment that starts with our marker for this key, else None."""
    text = text.replace("\r\n", "\n")
    marker = _MARKER.match(text)
    if marker is None or marker[1] != key:
        return None
    sections = {}
    for name, sha, run, attempt, content in _SECTION.findall(text):
        section = Section(key=unquote(name), sha=sha, run=int(run), attempt=int(attempt), content=content.strip("\n"))
        sections[section.key] = section
    return StickyBody(key=key, sections=sections, rev=(int(marker[5]), marker[6]))


def size_of(body: StickyBody) -> int:
    """Bytes of the text as posted."""
    return len(body.render().encode())


def cleaned(content: str) -> str:
    """The content as it will be read back, with nothing in it that could pass for one of our marks."""
    return content.replace("\r\n", "\n").replace("\r", "\n").replace("<!-- evalci", "<!-- \u200bevalci").strip("\n")


def folded(sections: Iterable[Section]) -> list[Section]:
    """The same sections with the longest one cut to its headline; all of them as they were when none can be."""
    ordered = list(sections)
    longest = max(ordered, key=lambda section: (len(section.content), section.key), default=None)
    if longest is None or longest.content == longest.headline:
        return ordered
    return [replace(section, content=section.headline) if section is longest else section for section in ordered]


def _rendered(section: Section) -> str:
    name = quote(section.key, safe="").replace("-", "%2D")
    mark = f"<!-- evalci:section key={name} sha={section.sha} run={section.run}.{section.attempt} -->"
    return f"{mark}\n\n{section.content}\n\n<!-- evalci:end -->\n"


def _natural(key: str) -> tuple[tuple[bool, int, str], ...]:
    """Sorts `shard 10` behind `shard 9`."""
    parts = re.split(r"([0-9]+)", key)
    return tuple((part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts)
