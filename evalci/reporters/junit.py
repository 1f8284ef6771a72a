"""The report as JUnit XML: one testcase per case, one failure element per failing case. Gates are not tests.

The XML is built by hand to be the same bytes everywhere and to hold nothing that an XML 1.0 parser refuses: one escape
byte from a coloured log makes a CI system drop the whole file, and the red run then shows no tests at all.
"""

import re
from collections.abc import Iterator
from typing import Final

from evalci.model import CaseResult, Report
from evalci.reporters.sanitise import spelled
from evalci.reporters.style import Style
from evalci.wording import snippet

SUITE_NAME: Final = "evalci"
MESSAGE_LENGTH: Final = 4000
_SPECIAL: Final = re.compile("[&<>\"'\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
# White space as references, since a parser reads it back from an attribute as plain spaces otherwise.
_WRITTEN: Final = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&apos;",
    "\t": "&#x9;",
    "\n": "&#xA;",
    "\r": "&#xD;",
}


def render(report: Report, style: Style, suite_name: str = SUITE_NAME) -> str:
    """The XML text; a matrix has one suite per arm, named `<suite_name>/<target>`."""
    suites = [(f"{suite_name}/{arm.suite.target}", arm.results) for arm in report.arms]
    suites = suites or [(suite_name, report.results)]
    tests = sum(len(results) for _, results in suites)
    failures = sum(map(_is_failure, (result for _, results in suites for result in results)))
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuites tests="{tests}" failures="{failures}">']
    for name, results in suites:
        lines += _suite(name, results)
    return "\n".join([*lines, "</testsuites>", ""])


def escaped(text: str) -> str:
    """The text for an attribute. Characters that XML cannot hold are shown spelled out (`\\x1b`, `\\u{fffe}`)."""
    return _SPECIAL.sub(_written, text)


def _written(found: re.Match[str]) -> str:
    char = found[0]
    return _WRITTEN.get(char) or ("\ufffd" if "\ud800" <= char <= "\udfff" else spelled(char))


def _is_failure(result: CaseResult) -> bool:
    return result.status not in ("passed", "unjudged")


def _suite(name: str, results: tuple[CaseResult, ...]) -> Iterator[str]:
    failures = sum(map(_is_failure, results))
    unjudged = sum(result.status == "unjudged" for result in results)
    skipped = f' skipped="{unjudged}"' if unjudged else ""
    yield f'  <testsuite name="{escaped(name)}" tests="{len(results)}" failures="{failures}"{skipped}>'
    taken: set[str] = set()
    for result in results:
        yield from _testcase(_own_name(result.id, taken), result)
    yield "  </testsuite>"


def _own_name(case_id: str, taken: set[str]) -> str:
    """The escaped id; two ids that look the same once escaped stay apart by a number."""
    plain = name = escaped(case_id)
    number = 1
    while name in taken:
        number += 1
        name = f"{plain} ({number})"
    taken.add(name)
    return name


def _testcase(name: str, result: CaseResult) -> Iterator[str]:
    opening = f'    <testcase name="{name}" time="{result.latency_ms / 1000:.3f}"'
    if result.status == "passed":
        yield f"{opening}/>"
        return
    yield f"{opening}>"
    if result.status == "unjudged":
        yield '      <skipped message="no scorer gave a verdict"/>'
    else:
        message = "; ".join(result.failures()) or "failed, and no scorer gave a reason"
        yield f'      <failure message="{escaped(snippet(message, MESSAGE_LENGTH))}"/>'
    yield "    </testcase>"
