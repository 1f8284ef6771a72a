"""Rows on other people's text in the terminal report."""

from typing import Any

from evalci.reporters import Style, render
from evalci.reporters.sanitise import sanitise
from tests.factories import errored, report_of


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    if "text" in given:
        assert sanitise(given["text"]) == want["text"]
        return
    report = report_of(errored(given["case_id"], given["error"]))
    lines = render("terminal", report).splitlines()
    assert [line for line in want["report_lines"] if line not in lines] == []
    for color in (False, True):
        text = render("terminal", report, Style(color=color)).replace("\x1b[31mFAIL\x1b[0m", "FAIL")
        assert ("\x1b" in text) == want["contains_raw_esc"]
