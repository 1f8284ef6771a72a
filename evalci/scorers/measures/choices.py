"""The one labelled choice that a judge's reply names."""

import re
from collections.abc import Mapping


def read_choice(reply: str, choices: Mapping[str, float]) -> str | None:
    """The only label in the reply, in any case and packaging; None when none is there, or several.

    A label touches no ASCII letter or digit, so the `A` of `Answer` is none; the article `a` is one.
    """
    found = [label for label in choices if _names(reply, label)]
    return found[0] if len(found) == 1 else None


def _names(reply: str, label: str) -> bool:
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(label)}(?![A-Za-z0-9])", reply, re.IGNORECASE) is not None
