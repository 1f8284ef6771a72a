"""From a parser's complaint to a problem a reader can act on: where, what was found, how to write it instead."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from evalci.config.yaml_types import TOO_DEEP, YamlProblem
from evalci.wording import count_of, quoted, snippet

_CLOSERS: Final = {"{": "}", "[": "]"}
_NAMED_BY: Final = {"*": "an alias", "&": "an anchor", "!": "a tag"}
_ESCAPE: Final = re.compile(r"\\(?:x[0-9a-fA-F]{0,2}|u[0-9a-fA-F]{0,4}|U[0-9a-fA-F]{0,8}|.)?")
_SURROGATES: Final = re.compile(r"\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A place in the file, counted from 0 as parsers do."""

    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """What a parser said: the problem at a place, and what it was reading, which began at another."""

    problem: str
    at: Spot
    context: str
    began: Spot
    lines: Sequence[str]

    def line(self, spot: Spot) -> str:
        return self.lines[spot.line] if spot.line < len(self.lines) else ""

    def rest(self, spot: Spot) -> str:
        """The line from a place on."""
        return self.line(spot)[spot.column :]

    def before(self, spot: Spot) -> str:
        """The line up to a place."""
        return self.line(spot)[: spot.column]

    @property
    def at_end(self) -> bool:
        """Is nothing left of the file?"""
        return not self.rest(self.at).strip() and not any(line.strip() for line in self.lines[self.at.line + 1 :])

    @property
    def starts_line(self) -> bool:
        """Is the place the first thing on its line?"""
        return not self.before(self.at).strip()


def explain(complaint: Complaint) -> YamlProblem:
    """The problem in our own words. Both of PyYAML's parsers are understood; they word things differently."""
    if complaint.rest(complaint.at).startswith("\t") and "block scalar" not in complaint.context:
        return _tab(complaint)
    for problem, context, say in _RULES:
        if re.search(problem, complaint.problem) and re.search(context, complaint.context):
            return say(complaint)
    return _at(complaint.at, f"this cannot be read: {complaint.problem}", "check the quotes and the indentation here")


def quote_hint(rest: str) -> str:
    """How to quote the text that begins here and ends with its line or at a comment."""
    text = re.split(r"\s#", rest, maxsplit=1)[0].strip()
    if not text or len(text) > 60 or not text.isprintable():
        return "if it is text, put it in quotes"
    doubled = text.replace("'", "''")
    return f"if it is text, put it in quotes: '{doubled}'"


def escape_problem(line: int, column: int, written: str) -> YamlProblem:
    """An escape in double quotes that stands for no character; `written` begins with it."""
    found = _ESCAPE.match(written)
    escape = found[0] if found else ""
    message = f"{escape if escape.isprintable() else quoted(escape)} is no escape that double quotes know"
    if pair := _SURROGATES.match(written):
        high, low = (int(half, 16) for half in pair.groups())
        code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)
        hint = f"write the character itself, or \\U{code:08X}"
    else:
        hint = "write \\\\ for a backslash, or use single quotes, where a backslash is only a backslash"
    return YamlProblem(line=line, column=column, message=message, hint=hint)


def _at(spot: Spot, message: str, hint: str) -> YamlProblem:
    return YamlProblem(line=spot.line + 1, column=spot.column + 1, message=message, hint=hint)


def _tab(it: Complaint) -> YamlProblem:
    return _at(it.at, "a tab where YAML wants spaces", "replace the tab with spaces")


def _reserved(it: Complaint) -> YamlProblem:
    rest = it.rest(it.at)
    return _at(it.at, f"a value may not start with {quoted(rest[:1])}", quote_hint(rest))


def _open_quote(it: Complaint) -> YamlProblem:
    mark = it.rest(it.began)[:1]
    kind = "single" if mark == "'" else "double"
    return _at(it.began, f"the {kind} quote that opens here is never closed", f"close it with {mark}")


def _escape(it: Complaint) -> YamlProblem:
    start = max(it.line(it.at).rfind("\\", 0, it.at.column + 1), 0)
    return escape_problem(it.at.line + 1, start + 1, it.line(it.at)[start:])


def _second_colon(it: Complaint) -> YamlProblem:
    if key := re.match(r"(?:\s*- )*[^'\"{\[]*?: +(?=\S)", it.before(it.at)):
        start = Spot(line=it.at.line, column=key.end())
        text = quoted(snippet(it.rest(start), 40))
        return _at(start, f'{text} has a second ": " on the line of a key', quote_hint(it.rest(start)))
    above = next((n for n in range(it.at.line - 1, -1, -1) if it.lines[n].strip()), 0)
    if re.match(r"\s*(?:- )*[\w-]+:(?!//)[^\s:]", it.lines[above]):
        return _no_colon_at(it, Spot(line=above, column=len(it.lines[above]) - len(it.lines[above].lstrip())))
    start = Spot(line=it.at.line, column=len(it.before(it.at)) - len(it.before(it.at).lstrip()))
    hint = "give the keys of one mapping the same indentation, and check the line above"
    return _at(start, "a key may not stand here: what is above it has not ended", hint)


def _no_colon(it: Complaint) -> YamlProblem:
    return _no_colon_at(it, it.began)


def _no_colon_at(it: Complaint, spot: Spot) -> YamlProblem:
    text = it.rest(spot).strip()
    if re.match(r"-[^\s-]", text):
        hint = 'if it is an item of a list, put a space after the "-"'
    elif re.match(r"[^\s:]+:[^\s/]", text):
        hint = "put a space after the colon"
    else:
        hint = "put a colon and a space after a key; text of several lines belongs in quotes or in a block after |"
    return _at(spot, f'{quoted(snippet(text, 40))} stands where a key is wanted, and no ": " follows', hint)


def _not_in_mapping(it: Complaint) -> YamlProblem:
    if not it.starts_line:
        return _after_value(it)
    if it.rest(it.at).startswith(":"):
        return _at(it.at, 'a key is missing before this ":"', "write the key, or put text in quotes")
    if it.at.column == 0 or it.rest(it.at)[:1] in ("]", "}", ","):
        text = quoted(snippet(it.rest(it.at).strip(), 40))
        return _at(it.at, f"{text} stands where a key is wanted", "check the quotes and brackets here and above")
    hint = "start the keys of one mapping, and the items of one list, in the same column"
    spaces = count_of(it.at.column, "space")
    message = f"this line is indented by {spaces}, which fits no line above it"
    return _at(it.at, message, f"{hint}\nput text of several lines in quotes, or in a block after |")


def _not_in_list(it: Complaint) -> YamlProblem:
    if not it.starts_line:
        return _after_value(it)
    hint = 'start the items of one list with "- " in the same column, and the keys of an item under its first key'
    return _at(it.at, "this line is no item of the list above it", hint)


def _after_value(it: Complaint) -> YamlProblem:
    text = quoted(snippet(it.rest(it.at).strip(), 40))
    hints = {
        "'": "put the whole value in one pair of quotes; inside single quotes write '' for '",
        '"': 'put the whole value in one pair of quotes; inside double quotes write \\" for "',
    }
    hint = hints.get(it.before(it.at).rstrip()[-1:], "put the whole value in quotes")
    return _at(it.at, f"{text} follows a value that has already ended", f"{hint}\ncheck that quotes above are closed")


def _in_brackets(it: Complaint) -> YamlProblem:
    opener = it.rest(it.began)[:1]
    closer = _CLOSERS.get(opener, "")
    hint = f'close it with "{closer}", put commas inside; text that starts with "{opener}" needs quotes'
    if it.at_end:
        return _at(it.began, f'the "{opener}" that opens here is never closed', hint)
    where = f"{it.began.line + 1}:{it.began.column + 1}"
    found = quoted(snippet(it.rest(it.at).strip(), 20))
    return _at(it.at, f'wanted "," or "{closer}" for the "{opener}" at {where}, found {found}', hint)


def _tight_colon(it: Complaint) -> YamlProblem:
    return _at(it.at, 'a ":" with no space after it', "put a space after the colon, or quote the text that holds it")


def _no_content(it: Complaint) -> YamlProblem:
    rest = it.rest(it.at)
    if it.at_end and it.rest(it.began)[:1] in _CLOSERS:
        return _in_brackets(it)
    if not rest.strip() or rest.startswith(("...", "---")):
        return _at(it.at, "a value is missing here", "write the value, or null")
    return _reserved(it)


def _list_on_key_line(it: Complaint) -> YamlProblem:
    hint = f"start the list on a line of its own; {quote_hint(it.rest(it.at))}"
    return _at(it.at, "a list may not start on the line of its key", hint)


def _question_mark(it: Complaint) -> YamlProblem:
    return _at(it.at, 'a value may not start with "? "', quote_hint(it.rest(it.at)))


def _block_scalar(it: Complaint) -> YamlProblem:
    if "tab" in it.problem:
        hint = "indent the text with spaces; write a tab that belongs to it as \\t in double quotes"
        return _at(it.at, "a tab where the indentation of a block of text is wanted", hint)
    mark = it.rest(it.began)[:1]
    hint = f"start the text on the next line; {quote_hint(it.rest(it.began))}"
    return _at(it.began, f'"{mark}" starts a block of text, and only a comment may follow on its line', hint)


def _name_wanted(it: Complaint) -> YamlProblem:
    rest = it.rest(it.began)
    kind = _NAMED_BY.get(rest[:1], "a tag")
    text = quoted(snippet(rest.strip(), 40))
    return _at(it.began, f'"{rest[:1]}" starts {kind}, and {text} is none', quote_hint(rest))


def _after_document(it: Complaint) -> YamlProblem:
    text = quoted(snippet(it.rest(it.at).strip(), 40))
    return _at(it.at, f"{text} follows the end of the document", "check the quotes and the indentation above")


def _directive(it: Complaint) -> YamlProblem:
    text = quoted(snippet(it.line(it.at).strip(), 40))
    return _at(it.at, f'"%" starts a directive, and {text} is none that is known', "remove the line")


def _too_deep(it: Complaint) -> YamlProblem:
    return _at(it.at, TOO_DEEP, "flatten what starts here")


_Rule = tuple[str, str, Callable[[Complaint], YamlProblem]]
# Words of the problem, words of the context, what we say; the first that fits.
_RULES: Final[Sequence[_Rule]] = (
    ("nesting depth", "", _too_deep),
    ("tab", "block scalar", _block_scalar),
    ("tab character", "", _tab),
    ("", "block scalar", _block_scalar),
    ("end of stream|document (indicator|separator)", "quoted", _open_quote),
    ("", "quoted", _escape),
    ("cannot start any token", "", _reserved),
    ("mapping values are not allowed", "", _second_colon),
    ("mapping keys are not allowed", "", _question_mark),
    ("sequence entries are not allowed", "", _list_on_key_line),
    ("could not find expected ':'", "simple key", _no_colon),
    ("unexpected ':'", "", _tight_colon),
    ("", "block mapping", _not_in_mapping),
    ("", "block (collection|sequence)", _not_in_list),
    ("", "flow (mapping|sequence)", _in_brackets),
    ("node content", "", _no_content),
    ("", "alias|anchor|tag", _name_wanted),
    ("tag handle", "", _name_wanted),
    ("document start", "", _after_document),
    ("directive|incompatible", "", _directive),
    ("", "directive", _directive),
)
