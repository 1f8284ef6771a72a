"""The pages that people read, taken apart: fenced blocks with their section and what follows them, links, headings."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).parent.parent
_FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*)$\n(?P<text>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_LINK = re.compile(r"\]\(<?([^)\s>]+)>?\)")


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block: where it is, what it is written in, its section's heading, and the text up to the next one."""

    page: str
    line: int
    language: str
    text: str
    section: str
    after: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def pages() -> list[str]:
    """Every page for people, by its path from the root."""
    found = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*/README.md")]
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def read(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


def blocks(*languages: str) -> list[Block]:
    """Every block in one of the languages, on every page."""
    return [block for page in pages() for block in blocks_of(page) if block.language in languages]


def blocks_of(page: str) -> Iterator[Block]:
    text = read(page)
    found = list(_FENCE.finditer(text))
    for number, fence in enumerate(found):
        before = _without_blocks(text[: fence.start()])
        headings = _HEADING.findall(before)
        end = found[number + 1].start() if number + 1 < len(found) else len(text)
        after = re.split(r"^#+ ", text[fence.end() : end], maxsplit=1, flags=re.MULTILINE)[0]
        yield Block(
            page=page,
            line=text.count("\n", 0, fence.start()) + 1,
            language=fence["language"],
            text=dedent(fence["text"]),
            section=headings[-1] if headings else "",
            after=after,
        )


def links(page: str) -> list[str]:
    return _LINK.findall(_without_blocks(read(page)))


def anchors(page: str) -> set[str]:
    """What `#…` may name on a page: its headings as GitHub spells them."""
    headings = _HEADING.findall(_without_blocks(read(page)))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def inline_commands(page: str) -> list[str]:
    """Whatever stands between backticks and begins with `evalci `."""
    text = _without_blocks(read(page))
    return [" ".join(found.split()) for found in re.findall(r"`(evalci [^`]+)`", text)]


def _without_blocks(text: str) -> str:
    return _FENCE.sub("", text)
