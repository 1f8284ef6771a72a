"""The one number in a text, as people write numbers. Two candidates, or a doubtful one, are none: no guess is made."""

import math
import re
import unicodedata
from typing import Any, Final

_MINUS: Final = "-\u2212"
_CURRENCY: Final = "$€£¥₹₽₩฿"
_GROUP_BLANK: Final = "\u00a0\u202f\u2009'\u2019"
_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")

# One candidate: a sign, perhaps a currency mark, then digits and the groups, points and commas that hold them together.
_CANDIDATE: Final = re.compile(
    rf"""
    (?P<sign>[{_MINUS}+]?)\ ?(?:[{_CURRENCY}]|\b(?:USD|EUR|GBP|US\$)\ ?)?(?P<inner>[{_MINUS}+]?)
    (?P<digits>\d+(?:[.,{_GROUP_BLANK}]\d+)*|\.\d+)
    (?P<power>
        [eE][{_MINUS}+]?\d+
        |\ ?(?:[×x*·]|\\times|\\cdot)\ ?10(?:\^\{{?(?P<exp>[{_MINUS}+]?\d+)\}}?|(?P<sup>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))
    )?
    """,
    re.VERBOSE,
)
_COMMAND: Final = re.compile(r"\\(?:boxed|text|mathbf|mathrm|textbf|frac)\b|\\[,;! ]|\\(?=[$%#&_{}])")
_WORDLIKE: Final = re.compile(r"[^\W\d]|_")


def read_number(value: Any) -> float | None:
    """The value of a number, or the only number in a text; None when there is none, or more than one.

    Signs (also U+2212, also before a currency mark), thousands groups, decimal commas where only one reading is
    possible, exponents, emphasis and LaTeX are understood. Booleans, NaN and infinities are no numbers.
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        try:
            number = float(value)
        except OverflowError:
            return None
        return number if math.isfinite(number) else None
    if not isinstance(value, str):
        return None
    found = list(_numbers(_plain(value)))
    return found[0] if len(found) == 1 and found[0] is not None else None


def _plain(text: str) -> str:
    """The text without typography: full-width digits folded (superscripts kept), emphasis and LaTeX commands off."""
    folded = "".join(str(unicodedata.decimal(c)) if c.isdecimal() and not c.isascii() else c for c in text)
    folded = folded.replace("\uff0d", "-").replace("\uff0b", "+").replace("\uff0e", ".").replace("\uff0c", ",")
    return re.sub(r"\*\*|__|`", " ", _COMMAND.sub(" ", folded))


def _numbers(text: str) -> list[float | None]:
    """Every candidate in the text, None for one that cannot be read."""
    found: list[float | None] = []
    for match in _CANDIDATE.finditer(text):
        before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 2]
        if _is_inside_a_word(match, text):
            if _breaks_a_number(before, after):
                found.append(None)
            continue
        found.append(_value(match, before))
    return found


def _is_inside_a_word(match: re.Match[str], text: str) -> bool:
    """Digits of `v2`, `3rd`, `x_1` or `1.2.3` are no numbers."""
    before, after = text[: match.start()], text[match.end() :]
    unsigned_start = match.start("digits") == match.start()
    if before and unsigned_start and (_WORDLIKE.match(before[-1]) or before[-1] in ".\\"):
        return not (before[-1] == "." and before[-2:-1].isspace())
    if before and not unsigned_start and _WORDLIKE.match(before[-1]) and match["sign"]:
        return True
    return bool(after and (_WORDLIKE.match(after) or re.match(r"\.\d", after)))


def _breaks_a_number(before: str, after: str) -> bool:
    return before == "." or after.startswith(".")


def _value(match: re.Match[str], before: str) -> float | None:
    sign, inner = match["sign"], match["inner"]
    if sign and inner:
        return None
    digits = _without_groups(match["digits"])
    if digits is None:
        return None
    negative = (sign or inner) in tuple(_MINUS)
    # `5-10` is a range, not five and minus ten; `x -5` is minus five.
    if sign and before and (before.isdigit() or before in ".,"):
        return None
    exponent = match["exp"] or (match["sup"] or "").translate(_SUPERSCRIPTS)
    power = f"e{exponent}" if exponent else (match["power"] or "")
    try:
        number = float(digits + power.replace("\u2212", "-"))
    except (ValueError, OverflowError):
        return None
    if not math.isfinite(number):
        return None
    return -number if negative else number


def _without_groups(digits: str) -> str | None:
    """Digits as Python reads them, or None when commas and points can be read in two ways or in none."""
    for blank in _GROUP_BLANK:
        if blank in digits:
            head, *groups = re.split(rf"[{_GROUP_BLANK}]", digits)
            whole = [*groups[:-1], re.split(r"[.,]", groups[-1])[0]]
            if not 1 <= len(head) <= 3 or any(len(group) != 3 for group in whole):
                return None
            digits = re.sub(rf"[{_GROUP_BLANK}]", "", digits)
            break
    commas, points = digits.count(","), digits.count(".")
    if not commas:
        return digits if points <= 1 else _grouped(digits, ".", "")
    if not points:
        return _only_commas(digits)
    if digits.rfind(".") > digits.rfind(","):
        return _grouped(digits, ",", ".")
    return _grouped(digits, ".", ",")


def _only_commas(digits: str) -> str | None:
    """`1,000` and `1,000,000` are groups; `3,14` is a decimal comma; `1,2,3` is a list."""
    grouped = _grouped(digits, ",", "")
    if grouped is not None:
        return grouped
    whole, _, rest = digits.partition(",")
    return f"{whole}.{rest}" if "," not in rest else None


def _grouped(digits: str, group: str, decimal: str) -> str | None:
    """Digits in groups of three, then perhaps one decimal mark; None when they are not."""
    whole, mark, fraction = digits.partition(decimal) if decimal else (digits, "", "")
    parts = whole.split(group)
    if len(parts) < 2 or not 1 <= len(parts[0]) <= 3 or any(len(part) != 3 for part in parts[1:]):
        return None
    if parts[0] == "0" or (not fraction.isdigit() and mark):
        return None
    return "".join(parts) + (f".{fraction}" if mark else "")
