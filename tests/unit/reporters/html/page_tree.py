"""A page as a parser reads it: its elements, texts and anchors. A page that is not well formed is refused."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Final

VOID: Final = {"meta", "input", "line", "polyline", "circle"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str | None]
    parts: "list[Element | str]" = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(part if isinstance(part, str) else part.text for part in self.parts)

    def all(self, tag: str = "", class_: str = "") -> "list[Element]":
        """Every element below with this tag and class."""
        found = []
        for part in self.parts:
            if isinstance(part, Element):
                classes = (part.attributes.get("class") or "").split()
                if tag in ("", part.tag) and (not class_ or class_ in classes):
                    found.append(part)
                found += part.all(tag, class_)
        return found


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Element("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs))
        assert len(element.attributes) == len(attrs), f"<{tag}> names an attribute twice"
        self.open[-1].parts.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].parts.append(Element(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        parent = self.open[-1]
        # A parser drops the line feed right after <pre>.
        is_first = parent.tag == "pre" and not parent.parts
        parent.parts.append(data.removeprefix("\n") if is_first else data)


def tree(page: str) -> Element:
    """The page's root. Every element is closed in order and no id stands twice."""
    builder = _Builder()
    builder.feed(page)
    builder.close()
    assert len(builder.open) == 1, f"<{builder.open[-1].tag}> is never closed"
    root = builder.open[0]
    ids = [element.attributes["id"] for element in root.all() if "id" in element.attributes]
    assert len(ids) == len(set(ids))
    return root
