"""What a Markdown text turns into: what is live in it, and what is only shown."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

from markdown_it import MarkdownIt

# GitHub and GitLab look for mentions, issues, commits, addresses and quick actions everywhere but in these.
INERT = frozenset({"pre", "code"})


@dataclass
class Tree(HTMLParser):
    """The rendered page: its tags with attributes, text that is live, text that is inert, and tags left open."""

    tags: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    attributes: set[tuple[str, str]] = field(default_factory=set)
    live: list[str] = field(default_factory=list)
    inert: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    mistakes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            self.attributes.add((tag, name))
            if name == "href":
                self.links.append(value or "")
        if tag not in ("br", "hr", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.mistakes.append(f"</{tag}>")

    def handle_comment(self, data: str) -> None:
        self.mistakes.append(f"<!--{data}-->")

    def handle_data(self, data: str) -> None:
        (self.inert if INERT & set(self.open) else self.live).append(data)

    @property
    def live_text(self) -> str:
        return "\n".join(self.live)

    @property
    def inert_text(self) -> str:
        return "\n".join(self.inert)


def tree(text: str) -> Tree:
    """The page that a text renders to, raw HTML included."""
    found = Tree()
    found.feed(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text))
    found.close()
    return found
