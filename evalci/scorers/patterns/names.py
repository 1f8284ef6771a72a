"""The sets that have names: `\\w`, `[:alpha:]`, `\\p{Greek}`."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from evalci.scorers.patterns.errors import PatternError
from evalci.scorers.patterns.sets import LAST, CharSet, Part, every_character, spans_as_ranges

UNDERSCORE: Final = 0x5F
_CONNECTORS: Final = ((0x203F, 0x2040), (0x2054, 0x2054), (0xFE33, 0xFE34), (0xFE4D, 0xFE4F), (0xFF3F, 0xFF3F))
_OTHER_ALPHABETIC: Final = ((0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189))
_JOINERS: Final = (0x200C, 0x200D)

WORD: Final = CharSet(
    (r"\p{L}", r"\p{M}", r"\p{Nd}", r"\p{Nl}", (UNDERSCORE, UNDERSCORE), *_CONNECTORS, *_OTHER_ALPHABETIC, _JOINERS)
)
"""Alphabetic, marks, decimal digits, connector punctuation and joiners."""

_SPACE: Final = CharSet((
    (0x09, 0x0D), (0x20, 0x20), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A),
    (0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000),
))  # fmt: skip
WHITE_SPACE: Final = frozenset(chr(code) for low, high in _SPACE.ranges() for code in range(low, high + 1))

PERL: Final[Mapping[str, CharSet]] = {"d": CharSet((r"\p{Nd}",)), "s": _SPACE, "w": WORD}


def _ascii(spans: str) -> CharSet:
    """A set from pairs of characters: `azAZ` is both cases of the alphabet."""
    return CharSet(tuple((ord(a), ord(b)) for a, b in zip(spans[::2], spans[1::2], strict=True)))


POSIX: Final[Mapping[str, CharSet]] = {
    "alnum": _ascii("09AZaz"),
    "alpha": _ascii("AZaz"),
    "ascii": _ascii("\x00\x7f"),
    "blank": _ascii("\t\t  "),
    "cntrl": _ascii("\x00\x1f\x7f\x7f"),
    "digit": _ascii("09"),
    "graph": _ascii("!~"),
    "lower": _ascii("az"),
    "print": _ascii(" ~"),
    "punct": _ascii("!/:@[`{~"),
    "space": _ascii("\t\r  "),
    "upper": _ascii("AZ"),
    "word": _ascii("09AZaz__"),
    "xdigit": _ascii("09AFaf"),
}
PERL_ASCII: Final[Mapping[str, CharSet]] = {"d": POSIX["digit"], "s": POSIX["space"], "w": POSIX["word"]}

_CATEGORIES: Final = """
L letter, Lu uppercaseletter, Ll lowercaseletter, Lt titlecaseletter, Lm modifierletter, Lo otherletter,
M mark combiningmark, Mn nonspacingmark, Mc spacingmark, Me enclosingmark,
N number, Nd decimalnumber digit, Nl letternumber, No othernumber,
P punctuation punct, Pc connectorpunctuation, Pd dashpunctuation, Ps openpunctuation, Pe closepunctuation,
Pi initialpunctuation, Pf finalpunctuation, Po otherpunctuation,
S symbol, Sm mathsymbol, Sc currencysymbol, Sk modifiersymbol, So othersymbol,
Z separator, Zs spaceseparator, Zl lineseparator, Zp paragraphseparator,
Cc control cntrl, Cf format, Co privateuse
"""
_CATEGORY_OF: Final[Mapping[str, str]] = {
    name.lower(): names[0] for names in map(str.split, _CATEGORIES.split(",")) for name in names
}
_CASED_LETTER: Final[tuple[Part, ...]] = (r"\p{Lu}", r"\p{Ll}", r"\p{Lt}")
_ODD_CATEGORIES: Final[Mapping[str, CharSet]] = {
    "any": CharSet(((0, LAST),)),
    "ascii": POSIX["ascii"],
    "lc": CharSet(_CASED_LETTER),
    "casedletter": CharSet(_CASED_LETTER),
}
# The general categories that RE2 has no table for, and properties by value: the `regex` package has them.
_ASKED_CATEGORIES: Final[Mapping[str, str]] = {
    "c": "C", "other": "C", "cn": "Cn", "unassigned": "Cn", "assigned": "^Cn"
}  # fmt: skip
_CATEGORY_PROPERTIES: Final = frozenset({"gc", "generalcategory", "category"})
_SCRIPT_PROPERTIES: Final = frozenset({"sc", "script"})
_VALUE_PROPERTIES: Final[Mapping[str, str]] = {
    "scx": "scx", "scriptextensions": "scx", "gcb": "gcb", "graphemeclusterbreak": "gcb",
    "wb": "wb", "wordbreak": "wb", "sb": "sb", "sentencebreak": "sb",
}  # fmt: skip
# Categories here and other properties' short names there, and names that only the `regex` package has.
_NOT_BINARY: Final = frozenset({"cf", "sc", "lc", "alnum", "alphanumeric", "blank", "graph", "print", "word", "xdigit"})


def property_set(name: str) -> CharSet:
    """The set that `\\p{name}` means, `name` being a category, a script, a binary property, or `property=value`."""
    key, sign, value = name.partition("=")
    found = _by_value(_plain(key), _plain(value)) if sign else _by_name(_plain(name))
    if found is None:
        raise PatternError(f"unknown Unicode property {name}")
    return found


def _plain(name: str) -> str:
    """Names are compared without case, blanks, `_` and `-`, and without a leading `is`."""
    plain = "".join(char for char in name.lower() if char not in "_- " and char.isascii())
    return plain[2:] if plain.startswith("is") and plain != "isc" else plain


def _by_name(name: str) -> CharSet | None:
    binary = None if name in _NOT_BINARY | _ODD_CATEGORIES.keys() else _asked(f"{name}=yes")
    return binary or _category(name) or _asked(f"script={name}")


def _by_value(key: str, value: str) -> CharSet | None:
    if key in _CATEGORY_PROPERTIES:
        return _category(value)
    if key in _SCRIPT_PROPERTIES:
        return _asked(f"script={value}")
    return _asked(f"{_VALUE_PROPERTIES[key]}={value}") if key in _VALUE_PROPERTIES else None


def _category(name: str) -> CharSet | None:
    if name in _ODD_CATEGORIES:
        return _ODD_CATEGORIES[name]
    if name in _CATEGORY_OF:
        return CharSet((f"\\p{{{_CATEGORY_OF[name]}}}",))
    return _asked(_ASKED_CATEGORIES[name]) if name in _ASKED_CATEGORIES else None


@lru_cache(maxsize=64)
def _asked(name: str) -> CharSet | None:
    """The set of a property as the `regex` package knows it, asked about every character; None when it does not."""
    import regex

    if not name.strip("^").replace("=", "").replace(".", "").isalnum():
        return None
    try:
        compiled = regex.compile(f"\\p{{{name}}}+")
    except regex.error:
        return None
    return CharSet(tuple(spans_as_ranges(match.span() for match in compiled.finditer(every_character()))))
