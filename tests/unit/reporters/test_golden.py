"""What people read, kept as files: each folder holds a report.json and what every reporter makes of it."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from evalci.model import Report
from evalci.reporters import PLAIN, render
from evalci.reporters.json_reader import read_report
from evalci.reporters.terminal import verdict

FOLDER = Path(__file__).parents[2] / "golden" / "reporters"
NAMES = sorted(path.parent.name for path in FOLDER.glob("*/report.json"))


def terminal(report: Report) -> str:
    return render("terminal", report) + verdict(report, PLAIN)


def without_style(page: str) -> str:
    """The page as kept: its style is one for all, and tests in a browser look at it."""
    return re.sub("(?<=<style>\n).*?(?=</style>)", "", page, flags=re.DOTALL)


WRITTEN: dict[str, Callable[[Report], str]] = {
    "report.json": lambda report: render("json", report),
    "terminal.txt": terminal,
    "junit.xml": lambda report: render("junit", report),
    "report.md": lambda report: render("markdown", report),
    "report.html": lambda report: without_style(render("html", report)),
}


@pytest.mark.parametrize("file", WRITTEN)
@pytest.mark.parametrize("name", NAMES)
def test_a_saved_report_renders_as_it_is_kept(name: str, file: str, golden: Callable[[Path, str], None]) -> None:
    report = read_report((FOLDER / name / "report.json").read_bytes())
    golden(FOLDER / name / file, WRITTEN[file](report))


def test_there_are_golden_reports() -> None:
    assert len(NAMES) >= 5
