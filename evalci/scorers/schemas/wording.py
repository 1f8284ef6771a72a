"""How violations of a schema read: the same for every version of the `jsonschema` package, values as JSON."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from evalci.wording import count_of, quoted, snippet

SHOWN: Final = 80
LONGEST: Final = 400


def shown(value: Any) -> str:
    """A value as JSON, cut when long."""
    if isinstance(value, str):
        return quoted(snippet(value, SHOWN))
    text = snippet(json.dumps(value, ensure_ascii=False, separators=(",", ":")), SHOWN)
    return "".join(char if char.isprintable() else quoted(char)[1:-1] for char in text)


def shown_list(values: Iterable[Any]) -> str:
    """Values as JSON, a comma between them, the longest lists cut."""
    return snippet(", ".join(map(shown, values)), 2 * SHOWN)


def pointer(path: Iterable[str | int]) -> str:
    """The JSON pointer of a path, `<root>` for the empty one."""
    tokens = [str(step).replace("~", "~0").replace("/", "~1") for step in path]
    return "".join(f"/{token}" for token in tokens) or "<root>"


def violation(error: Any) -> str:
    """`<pointer>: <message>` of one validation error."""
    where = pointer(error.absolute_path)
    where = where if where.isprintable() else quoted(where)[1:-1]
    return f"{where}: {_message(error)}"


def _message(error: Any) -> str:
    wording = _WORDINGS.get(error.validator)
    if wording is None:  # the keywords of ours say it themselves
        return snippet(str(error.message), LONGEST)
    return wording(error.instance, error.validator_value, error)


def _one_of(instance: Any, _: Any, error: Any) -> str:
    fits = "fits none" if error.context else "fits more than one"
    return f"{shown(instance)} {fits} of the schemas in oneOf"


def _type(instance: Any, types: Any, _: Any) -> str:
    names = [types] if isinstance(types, str) else types
    return f"{shown(instance)} is not of type {' or '.join(map(shown, names))}"


def _never(instance: Any, schema: Any, _: Any) -> str:
    return f"{shown(instance)} is not allowed here" if not schema else f"{shown(instance)} fits the schema in not"


def _counted(comparison: str, unit: str, more: str = "", plural: str | None = None) -> "Wording":
    return lambda instance, limit, _: f"{shown(instance)} has {comparison} than {count_of(limit, unit, plural)}{more}"


def _compared(relation: str) -> "Wording":
    return lambda instance, limit, _: f"{shown(instance)} is {relation} {shown(limit)}"


Wording = Callable[[Any, Any, Any], str]
_WORDINGS: Final[Mapping[str | None, Wording]] = {
    None: lambda instance, _, __: f"{shown(instance)} is not allowed here",
    "anyOf": lambda instance, _, __: f"{shown(instance)} fits none of the schemas in anyOf",
    "const": lambda instance, wanted, _: f"{shown(wanted)} was expected, got {shown(instance)}",
    "contains": lambda instance, _, __: f"{shown(instance)} holds no item that fits the schema in contains",
    "enum": lambda instance, values, _: f"{shown(instance)} is not one of {shown_list(values)}",
    "exclusiveMaximum": _compared("not less than"),
    "exclusiveMinimum": _compared("not greater than"),
    "maxContains": _counted("more", "item", " of those in contains"),
    "maxItems": _counted("more", "item"),
    "maxLength": _counted("more", "character"),
    "maxProperties": _counted("more", "property", plural="properties"),
    "maximum": _compared("greater than the maximum of"),
    "minContains": _counted("fewer", "item", " of those in contains"),
    "minItems": _counted("fewer", "item"),
    "minLength": _counted("fewer", "character"),
    "minProperties": _counted("fewer", "property", plural="properties"),
    "minimum": _compared("less than the minimum of"),
    "not": _never,
    "oneOf": _one_of,
    "type": _type,
    "unevaluatedItems": lambda instance, _, __: f"unevaluated items are not allowed in {shown(instance)}",
}
