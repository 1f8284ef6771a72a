"""From the bytes of a schema file to a checked schema. Nothing outside the file is ever looked at."""

from collections.abc import Iterator
from typing import Any, Final

from evalci.scorers.schemas.patterns import compile_ecma
from evalci.scorers.schemas.wording import violation
from evalci.scorers.strict_json import NotJson, parse_json

_REFERENCES: Final = ("$ref", "$dynamicRef")
_DATA: Final = ("const", "enum", "default", "examples")
_SHOWN: Final = 3


class SchemaError(ValueError):
    """A file holds no usable schema; the text says why."""


class Schema:
    """A checked schema."""

    def __init__(self, contents: Any) -> None:
        from referencing import Registry

        from evalci.scorers.schemas.keywords import validator_class

        self._validator = validator_class()(contents, registry=Registry())

    def violations(self, value: Any) -> list[str]:
        """Everything in which the value does not fit, `<pointer>: <message>`, sorted. Raises RecursionError."""
        return sorted(map(violation, self._validator.iter_errors(value)))


def load_schema(data: bytes) -> Schema:
    """The schema in a file's bytes. Raises `SchemaError`."""
    try:
        contents = _without_dialects(parse_json(data.decode("utf-8-sig")))
        _check(contents)
        _check_below(contents)
    except UnicodeDecodeError as exc:
        raise SchemaError("it is not UTF-8") from exc
    except NotJson as exc:
        raise SchemaError(f"it is not JSON: {exc}") from exc
    except RecursionError as exc:
        raise SchemaError("it is nested too deeply") from exc
    return Schema(contents)


def _without_dialects(contents: Any) -> Any:
    """The same without `$schema`: every part of a schema is read as draft 2020-12, whatever it calls itself."""
    if isinstance(contents, list):
        return [_without_dialects(item) for item in contents]
    if not isinstance(contents, dict):
        return contents
    return {
        key: item if key in _DATA else _without_dialects(item)
        for key, item in contents.items()
        if not (key == "$schema" and isinstance(item, str))
    }


def _check(contents: Any) -> None:
    """Does it fit the draft's own schema? Raises `SchemaError`."""
    from jsonschema import Draft202012Validator

    draft = Draft202012Validator(Draft202012Validator.META_SCHEMA)
    errors = sorted(set(map(violation, draft.iter_errors(contents))))
    if errors:
        raise SchemaError("; ".join(errors[:_SHOWN]))


def _check_below(contents: Any) -> None:
    """Is every reference to something in this file, and every pattern one? Raises `SchemaError`."""
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]
    from referencing.jsonschema import DRAFT202012

    root = DRAFT202012.create_resource(contents)
    todo = [(contents, REGISTRY.resolver_with_root(root))]
    seen: dict[int, Any] = {}
    while todo:
        schema, resolver = todo.pop()
        if id(schema) in seen or not isinstance(schema, dict):
            continue
        seen[id(schema)] = schema
        _check_patterns(schema)
        for target in _targets(schema, resolver):
            if id(target.contents) not in seen:
                _check(target.contents)
                todo.append((target.contents, target.resolver))
        parts = DRAFT202012.create_resource(schema).subresources()
        todo.extend((part.contents, resolver.in_subresource(part)) for part in parts)
        todo.extend((part, resolver) for part in schema.get("dependencies", {}).values())


def _targets(schema: dict[str, Any], resolver: Any) -> Iterator[Any]:
    """What the references of one schema object lead to."""
    from referencing.exceptions import Unresolvable

    for keyword in _REFERENCES:
        if keyword not in schema:
            continue
        try:
            yield resolver.lookup(schema[keyword])
        except (Unresolvable, ValueError, LookupError) as exc:
            raise SchemaError(f'{keyword} "{schema[keyword]}" leads to nothing in this file') from exc


def _check_patterns(schema: dict[str, Any]) -> None:
    patterns = [schema["pattern"]] if "pattern" in schema else []
    for pattern in (*patterns, *schema.get("patternProperties", ())):
        try:
            compile_ecma(pattern)
        except ValueError as exc:
            raise SchemaError(f"invalid pattern {pattern}: {exc}") from exc
