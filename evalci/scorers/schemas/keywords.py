"""The keywords of JSON Schema where the `jsonschema` package is not exact, or could hang, or loses the place.

Its patterns run on Python's engine; its `$ref` may go round for ever; a `false` below an object or array loses its
path; its `uniqueItems` compares each item with each; 0.3 is no multiple of its 0.1.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from evalci.scorers.schemas.patterns import compile_ecma
from evalci.scorers.schemas.wording import shown, shown_list
from evalci.scorers.texts import one_line

Errors = Iterator[ValidationError]
NEVER: Final[Mapping[str, Any]] = {"not": {}}


def _below(validator: Any, value: Any, schema: Any, key: str | int) -> Errors:
    yield from validator.descend(value, NEVER if schema is False else schema, path=key)


def _reference() -> Callable[[Any, str, Any, Any], Errors]:
    """`$ref` that comes to an end: on its way back to itself with the same value it has nothing to add."""
    under_way: set[tuple[int, int]] = set()

    def reference(validator: Any, target: str, instance: Any, schema: Any) -> Errors:
        step = id(schema), id(instance)
        if step in under_way:
            return
        under_way.add(step)
        try:
            found = validator._resolver.lookup(target)
            yield from validator.descend(instance, found.contents, resolver=found.resolver)
        finally:
            under_way.discard(step)

    return reference


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, str) and not compile_ecma(pattern)(instance):
        yield ValidationError(f"{shown(instance)} does not match /{one_line(pattern)}/")


def _properties(validator: Any, properties: Mapping[str, Any], instance: Any, schema: Any) -> Errors:
    if isinstance(instance, dict):
        for key, subschema in properties.items():
            if key in instance:
                yield from _below(validator, instance[key], subschema, key)


def _pattern_properties(validator: Any, patterns: Mapping[str, Any], instance: Any, schema: Any) -> Errors:
    if isinstance(instance, dict):
        for pattern, subschema in patterns.items():
            matches = compile_ecma(pattern)
            for key, value in instance.items():
                if matches(key):
                    yield from _below(validator, value, subschema, key)


def _additional_properties(validator: Any, subschema: Any, instance: Any, schema: Any) -> Errors:
    if not isinstance(instance, dict):
        return
    named = _named(instance, schema)
    extra = [key for key in instance if key not in named]
    if subschema is False and extra:
        yield ValidationError(f"additional properties are not allowed: {shown_list(extra)}")
    elif subschema is not False:
        for key in extra:
            yield from _below(validator, instance[key], subschema, key)


def _unevaluated_properties(validator: Any, subschema: Any, instance: Any, schema: Any) -> Errors:
    if not isinstance(instance, dict):
        return
    seen = _evaluated(validator, instance, {key: schema[key] for key in schema if key != "unevaluatedProperties"})
    test = validator.evolve(schema=subschema)
    extra = [key for key in instance if key not in seen and not test.is_valid(instance[key])]
    if extra:
        yield ValidationError(f"unevaluated properties are not allowed: {shown_list(extra)}")


def _items(validator: Any, subschema: Any, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, list):
        for index in range(len(schema.get("prefixItems", ())), len(instance)):
            yield from _below(validator, instance[index], subschema, index)


def _prefix_items(validator: Any, subschemas: list[Any], instance: Any, schema: Any) -> Errors:
    if isinstance(instance, list):
        for index, (value, subschema) in enumerate(zip(instance, subschemas, strict=False)):
            yield from _below(validator, value, subschema, index)


def _required(validator: Any, keys: list[str], instance: Any, schema: Any) -> Errors:
    if isinstance(instance, dict):
        for key in keys:
            if key not in instance:
                yield ValidationError(f"{shown(key)} is a required property")


def _dependent_required(validator: Any, dependencies: Mapping[str, list[str]], instance: Any, schema: Any) -> Errors:
    if isinstance(instance, dict):
        for key in dependencies:
            for other in dependencies[key] if key in instance else ():
                if other not in instance:
                    yield ValidationError(f"{shown(other)} is a required property beside {shown(key)}")


def _unique_items(validator: Any, wanted: bool, instance: Any, schema: Any) -> Errors:
    if wanted and isinstance(instance, list) and len(set(map(_identity, instance))) < len(instance):
        yield ValidationError(f"{shown(instance)} has items that are the same")


def _identity(value: Any) -> Hashable:
    """Equal for two values that are equal as JSON, and for no others: true is not 1, 1.0 is."""
    if isinstance(value, list):
        return "list", tuple(map(_identity, value))
    if isinstance(value, dict):
        return "object", frozenset((key, _identity(item)) for key, item in value.items())
    return isinstance(value, bool), value


def _dependencies(validator: Any, dependencies: Mapping[str, Any], instance: Any, schema: Any) -> Errors:
    """The old name for both kinds of dependency, which EvalCore takes too."""
    if isinstance(instance, dict):
        for key, dependency in dependencies.items():
            if isinstance(dependency, list):
                yield from _dependent_required(validator, {key: dependency}, instance, schema)
            elif key in instance:
                yield from validator.descend(instance, dependency)


def _multiple_of(validator: Any, factor: float, instance: Any, schema: Any) -> Errors:
    if isinstance(instance, bool) or not isinstance(instance, (int, float)):
        return
    if isinstance(instance, int) and isinstance(factor, int):
        failed = instance % factor != 0
    else:
        failed = (_decimal(instance) / _decimal(factor)).denominator != 1
    if failed:
        yield ValidationError(f"{shown(instance)} is not a multiple of {shown(factor)}")


def _decimal(number: float) -> Fraction:
    """The number as it is written, not as binary holds it."""
    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


def _named(instance: Mapping[str, Any], schema: Mapping[str, Any]) -> set[str]:
    """The keys that `properties` and `patternProperties` of this schema speak of."""
    tests = [compile_ecma(pattern) for pattern in schema.get("patternProperties", ())]
    named = schema.get("properties", ())
    return {key for key in instance if key in named or any(test(key) for test in tests)}


def _evaluated(validator: Any, instance: Mapping[str, Any], schema: Any) -> set[str]:
    """The keys that a schema which the object fits has judged, itself or through another for the same object."""
    if not isinstance(schema, dict):
        return set()
    if "additionalProperties" in schema or "unevaluatedProperties" in schema:
        return set(instance)
    seen = _named(instance, schema)
    for other in _in_place(validator, instance, schema):
        if other.is_valid(instance):
            seen |= _evaluated(other, instance, other.schema)
    return seen


def _in_place(validator: Any, instance: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[Any]:
    """Validators for the schemas that speak of the same object."""
    for keyword in ("$ref", "$dynamicRef"):
        if keyword in schema:
            found = validator._resolver.lookup(schema[keyword])
            yield validator.evolve(schema=found.contents, _resolver=found.resolver)
    subschemas = [item for keyword in ("allOf", "anyOf", "oneOf") for item in schema.get(keyword, ())]
    dependent = schema.get("dependentSchemas", {})
    subschemas += [dependent[key] for key in dependent if key in instance]
    if "if" in schema:
        fits = validator.evolve(schema=schema["if"]).is_valid(instance)
        branch = "then" if fits else "else"
        subschemas += [schema["if"], *([schema[branch]] if branch in schema else ())]
    for subschema in subschemas:
        yield validator.evolve(schema=subschema)


def validator_class() -> Any:
    """Draft 2020-12 with the keywords of this file."""
    return extend(  # type: ignore[no-untyped-call]
        Draft202012Validator,
        {
            "$dynamicRef": _reference(),
            "$ref": _reference(),
            "additionalProperties": _additional_properties,
            "dependencies": _dependencies,
            "dependentRequired": _dependent_required,
            "items": _items,
            "multipleOf": _multiple_of,
            "pattern": _pattern,
            "patternProperties": _pattern_properties,
            "prefixItems": _prefix_items,
            "properties": _properties,
            "required": _required,
            "unevaluatedProperties": _unevaluated_properties,
            "uniqueItems": _unique_items,
        },
    )
