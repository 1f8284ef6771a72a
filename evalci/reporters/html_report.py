"""One page for people: no script, no request, everything escaped by the template engine, light and dark."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from evalci.model import BaselineDiff, CaseResult, Change, Report, Score
from evalci.reporters import facts
from evalci.reporters.sanitise import spelled
from evalci.reporters.style import PLAIN, Style
from evalci.reporters.word_diff import word_diff
from evalci.wording import plain_number, quoted

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES: Final = Path(__file__).parent / "templates"
WORDS: Final = {0: "passed", 2: "did not run", 3: "incomplete", 130: "interrupted"}


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangeGroup:
    """One kind of change against the baseline, as a heading and its cases."""

    name: str
    about: str
    changes: tuple[Change, ...]
    is_open: bool


def render(report: Report, style: Style = PLAIN) -> str:
    """The page. The same report gives the same bytes."""
    page = environment().get_template("report.html.j2")
    return page.render(report=report, parts=report.arms or (report,), word=verdict_word(report), facts=facts)


def verdict_word(report: Report) -> str:
    """What the heading says of the run."""
    if report.verdict.passed:
        return "passed"
    return WORDS.get(report.verdict.exit_code, "failed")


@cache
def environment() -> "Environment":
    """The template engine: it escapes whatever it is handed, and knows how a report's values are spelled."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    found = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    found.filters |= {"shown": shown, "number": number, "pretty": pretty, "percent": percent, "quoted": quoted}
    found.globals |= {
        "word_diff": word_diff,
        "change_groups": change_groups,
        "case_reasons": case_reasons,
        "score_word": score_word,
        "status_mark": status_mark,
    }
    return found


def shown(text: Any) -> str:
    """Text with what cannot be seen, or would reorder the line, spelled out; line ends and tabs stay."""
    return "".join(spelled(char) if _is_hidden(char) else char for char in str(text))


def _is_hidden(char: str) -> bool:
    number_of = ord(char)
    if number_of < 0x20:
        return char not in "\n\t"
    return (
        0x7F <= number_of <= 0x9F or char in "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    )


def number(value: float) -> str:
    """A score as people read it: at most four decimals, no trailing zeros."""
    return plain_number(round(value, 4))


def percent(value: float) -> str:
    """A rate from 0 to 1."""
    return f"{100 * value:.0f} %"


def pretty(value: Any) -> str:
    """A JSON value on as few lines as it needs."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def change_groups(diff: BaselineDiff) -> Iterator[ChangeGroup]:
    """What changed, the worst first; nothing about what did not."""
    edited = {change.case_id for change in diff.edited}
    rows = (
        ("Regressed", "passed before", diff.regressed, True),
        ("Newly failing", "not in the baseline as they are now", diff.new_failing, True),
        ("Fixed", "failed before", diff.fixed, False),
        ("Edited", "the case itself changed", tuple(c for c in diff.edited if c.case_id in edited), False),
        ("Removed", "no longer in the dataset", diff.removed, False),
        ("Failing as before", "the baseline accepts these", diff.accepted, False),
    )
    for name, about, changes, is_open in rows:
        if changes:
            yield ChangeGroup(name=name, about=about, changes=changes, is_open=is_open)


def case_reasons(result: CaseResult) -> str:
    """Why a case did not pass, in one short line."""
    found = "; ".join(result.failures())
    return found if len(found) <= 160 else found[:160] + "…"


def score_word(score: Score) -> str:
    """The verdict of a score in a word: `broke`, `passed`, `failed`, or none."""
    if score.error is not None:
        return "broke"
    return "" if score.passed is None else "passed" if score.passed else "failed"


def status_mark(status: str) -> str:
    """A sign beside the word, so that neither colour nor reading is needed alone."""
    return {"passed": "✓", "failed": "✗", "errored": "!", "skipped": "–", "unjudged": "?"}[status]
