"""The report as one HTML file for people: no script, no request, and the words of others are never markup."""

from evalci.reporters.html.page import render

__all__ = ["render"]
