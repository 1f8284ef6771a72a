"""Other people's text and values as a page shows them: what cannot be seen is spelled out, what is endless is cut."""

import json
import re
from itertools import islice
from typing import Any, Final

from evalci.reporters.json_report import writable
from evalci.reporters.sanitise import spelled

JSON_DEPTH: Final = 32
MOST_MARKS: Final = 200
# Controls, changes of direction, marks without width, separators that look like a line's end, half characters and
# tags, which can hide whole sentences. The joiners of emoji and scripts stay.
_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ufffe\uffff\U000e0000-\U000e007f]+"
)
_UNSEEN_OR_BREAK: Final = re.compile("\n|\t|" + _UNSEEN.pattern)
_HALF: Final = re.compile("[\ud800-\udfff]")
_SHORT: Final = {"\r": "\\r", "\n": "\\n", "\t": "\\t"}


def whole(text: str) -> str:
    """The text as a file can hold it: half characters are replaced, as in the JSON report."""
    written: str = writable(text) if _HALF.search(text) else text
    return written


def shown(text: str) -> str:
    """Text of several lines for a template; what cannot be seen comes as a marked escape (`\\x1b`, `\\u{202e}`)."""
    return _marked(whole(text), _UNSEEN)


def line(text: str) -> str:
    """The same on one line: line feeds and tabs are spelled out too."""
    return _marked(whole(text), _UNSEEN_OR_BREAK)


def plain(text: str) -> str:
    """The same where no marks can be, as in a title."""
    return _UNSEEN_OR_BREAK.sub(_all_spelled, whole(text))


def _marked(text: str, unseen: re.Pattern[str]) -> str:
    """Autoescaping holds for both halves: what `unseen` finds and what lies between.

    Past `MOST_MARKS` escapes come without marks: text that is made of what cannot be seen would grow a dozenfold.
    """
    if unseen.search(text) is None:
        return text
    found = list(islice(unseen.finditer(text), MOST_MARKS + 1))
    if len(found) > MOST_MARKS:
        return unseen.sub(_all_spelled, text)
    from markupsafe import Markup

    mark = Markup('<span class="esc">{}</span>')
    pieces: list[str] = []
    at = 0
    for one in found:
        pieces += (text[at : one.start()], mark.format(_all_spelled(one)))
        at = one.end()
    return Markup("").join([*pieces, text[at:]])


def _all_spelled(found: re.Match[str]) -> str:
    return "".join(map(_spelled, found[0]))


def _spelled(char: str) -> str:
    return _SHORT.get(char) or spelled(char)


def as_json(value: Any) -> str:
    """A JSON value on one line where it is short, on many where it is not; text as it is."""
    if isinstance(value, str):
        return value
    data = writable(value, JSON_DEPTH)
    flat = json.dumps(data, ensure_ascii=False, sort_keys=True)
    return flat if len(flat) <= 100 else json.dumps(data, ensure_ascii=False, sort_keys=True, indent=2)
