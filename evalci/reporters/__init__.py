"""What a run has to say, in every format: pure functions of the report. The table names each, loaded when asked for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Final

from evalci.model import Report
from evalci.reporters.style import PLAIN, ColorMode, Style, choose_color

__all__ = ["PLAIN", "REPORTERS", "ColorMode", "Render", "Reporter", "Style", "choose_color", "render"]

Render = Callable[[Report, Style], str]


@dataclass(frozen=True, slots=True)
class Reporter:
    """One format: `where` is `module:function` of its renderer, `about` one line for help and docs."""

    where: str
    about: str

    def render(self) -> Render:
        """The renderer, imported now."""
        module, _, name = self.where.partition(":")
        found: Render = getattr(import_module(module), name)
        return found


REPORTERS: Final[Mapping[str, Reporter]] = {
    "terminal": Reporter("evalci.reporters.terminal:render", about="lines for people: cases, totals, gates, verdict"),
    "json": Reporter("evalci.reporters.json_report:render", about="everything, as evalci.report/1, for programs"),
    "junit": Reporter("evalci.reporters.junit:render", about="JUnit XML, for CI systems that list tests"),
    "markdown": Reporter("evalci.reporters.markdown:render", about="the body of a pull request comment"),
    "html": Reporter("evalci.reporters.html:render", about="one page for people: what changed, scores, every case"),
}


def render(name: str, report: Report, style: Style = PLAIN) -> str:
    """The report in one of the formats of the table."""
    return REPORTERS[name].render()(report, style)
