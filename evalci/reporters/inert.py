"""Other people's text inside Markdown, where it can do nothing: mention nobody, link nothing, break out of nothing.

Text stands in one of three places only, and in each it is shown as it is. In a code span and in a `<pre>` block
GitHub and GitLab look for no mentions, issues, commits or addresses, and no quick actions; in `<summary>` the same
holds inside `<code>`, since that line is raw HTML. Text is cut before it comes here: cutting afterwards could undo
what is done here.
"""

import re
from difflib import SequenceMatcher
from typing import Final

_STRIPPED: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_HALF: Final = re.compile("[\ud800-\udfff]")
_WHITE: Final = re.compile(r"[\s\x85]+")
_NEWLINE: Final = re.compile("\r\n?|[\x85\u2028\u2029]")
_TICKS: Final = re.compile("`+")
_ENTITIES: Final = re.compile(r"[&<>\"'`@#|\\\[\]*_~:$!]|(?<=www)\.|(?<=GH)-", re.IGNORECASE)
JOINER: Final = "\u200d"


def code(text: str) -> str:
    """A code span on one line, its fence longer than any run of backticks inside. Not for table cells."""
    plain = _one_line(text)
    if not plain:
        return "_(empty)_"
    plain = plain.replace("-->", f"--{JOINER}>").replace("<!--", f"<!{JOINER}--")
    fence = "`" * (1 + max((len(run) for run in _TICKS.findall(plain)), default=0))
    pad = " " if plain[0] == "`" or plain[-1] == "`" else ""
    return f"{fence}{pad}{plain}{pad}{fence}"


def html_code(text: str) -> str:
    """The same for a line of raw HTML."""
    return f"<code>{_entities(_one_line(text))}</code>" if _one_line(text) else "<i>(empty)</i>"


def block(text: str) -> str:
    """A `<pre>` block. Each line is indented, so that none can start with a command."""
    return _pre([f"  {line}" for line in _lines(text)])


def diff_block(before: str, after: str) -> str:
    """A `<pre>` block of both texts: what is gone after `-`, what is new after `+`, what stayed indented."""
    old, new = _lines(before), _lines(after)
    shown: list[str] = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            shown += (f"  {line}" for line in old[a:b])
        else:
            shown += (f"- {line}" for line in old[a:b])
            shown += (f"+ {line}" for line in new[c:d])
    return _pre(shown, ' lang="diff"')


def fenced(command: str) -> str:
    """A shell block that people can copy. A command with something odd in it is a `<pre>` block."""
    if "`" in command or not command.isprintable():
        return block(command)
    return f"```sh\n{command}\n```"


def _pre(lines: list[str], attributes: str = "") -> str:
    return f"<pre{attributes}>\n{_entities(chr(10).join(lines))}\n</pre>"


def _lines(text: str) -> list[str]:
    return _clean(_NEWLINE.sub("\n", text)).rstrip("\n").split("\n")


def _one_line(text: str) -> str:
    return _clean(_WHITE.sub(" ", text)).strip()


def _clean(text: str) -> str:
    return _HALF.sub("\ufffd", _STRIPPED.sub("", text))


def _entities(text: str) -> str:
    """Everything with a meaning in HTML, Markdown or links, by its number: in hex, since `&#12;` holds an issue's."""
    return _ENTITIES.sub(lambda found: f"&#x{ord(found[0]):x};", text)
