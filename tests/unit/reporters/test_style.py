"""Colours: who may have them."""

import pytest

from evalci.reporters import REPORTERS, Style, choose_color, render
from tests.factories import passed, report_of


@pytest.mark.parametrize(
    ("mode", "environ", "is_tty", "colored"),
    [
        ("always", {"NO_COLOR": "1", "TERM": "dumb"}, False, True),
        ("never", {"CLICOLOR_FORCE": "1"}, True, False),
        ("auto", {}, True, True),
        ("auto", {}, False, False),
        ("auto", {"NO_COLOR": "1"}, True, False),
        ("auto", {"NO_COLOR": ""}, True, True),
        ("auto", {"TERM": "dumb"}, True, False),
        ("auto", {"CLICOLOR_FORCE": "1"}, False, True),
        ("auto", {"CLICOLOR_FORCE": "0"}, False, False),
        ("auto", {"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, False, False),
    ],
)
def test_colour_follows_the_flag_then_the_environment_then_the_terminal(
    mode: str, environ: dict[str, str], is_tty: bool, colored: bool
) -> None:
    assert choose_color(mode, environ, is_tty) is colored


@pytest.mark.parametrize("name", sorted(REPORTERS))
def test_every_format_of_the_table_renders_and_ends_in_a_newline(name: str) -> None:
    text = render(name, report_of(passed()), Style())
    assert text.endswith("\n")
    assert REPORTERS[name].about
