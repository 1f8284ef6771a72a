"""The JSON Schema of `evals.yaml`, made from the settings classes, for editors to complete from."""

import dataclasses
import types
import typing
from collections.abc import Mapping
from typing import Any, Final, Literal

from evalci.config.decode import fields_of
from evalci.config.kinds import Kind, Kinds
from evalci.config.settings import Note
from evalci.config.suite import Dataset, RunSettings

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
_SCALARS: Final[Mapping[Any, str]] = {str: "string", bool: "boolean", int: "integer", float: "number"}


def suite_schema(kinds: Kinds) -> dict[str, Any]:
    """A draft 2020-12 schema that accepts what the suite reader accepts, as far as a schema can say it."""
    run = block_schema(RunSettings)
    run["properties"]["gates"] = _list(_one_of(kinds.gates), about="floors and ceilings over the whole run")
    return {
        "$schema": DRAFT,
        "title": "EvalCI suite",
        "type": "object",
        "additionalProperties": False,
        "required": ["targets", "datasets", "scorers"],
        "properties": {
            "targets": {
                "description": "what is evaluated, by name",
                "type": "object",
                "minProperties": 1,
                "additionalProperties": _one_of(kinds.targets),
            },
            "datasets": _list(block_schema(Dataset), about="JSONL files of cases, merged in this order", least=1),
            "scorers": _list(_one_of(kinds.scorers, named=True), about="how outputs are judged", least=1),
            "run": run,
        },
    }


def _list(items: dict[str, Any], *, about: str, least: int = 0) -> dict[str, Any]:
    schema: dict[str, Any] = {"description": about, "type": "array", "items": items}
    return {**schema, "minItems": least} if least else schema


def _one_of(table: Mapping[str, Kind], *, named: bool = False) -> dict[str, Any]:
    """A plug-in family: `type` chooses which keys there are. Written as if/then, which editors complete best."""
    branches = [
        {"if": {"properties": {"type": {"const": name}}, "required": ["type"]}, "then": _plug_in(name, kind, named)}
        for name, kind in sorted(table.items())
    ]
    about = "\n".join(f"{name}: {kind.about}" for name, kind in sorted(table.items()))
    type_ = {"enum": sorted(table), "description": about}
    return {"type": "object", "required": ["type"], "properties": {"type": type_}, "allOf": branches}


def _plug_in(name: str, kind: Kind, named: bool) -> dict[str, Any]:
    """The keys of a kind; those of another form where the key stands that chooses it."""
    schema = _form(name, kind.settings(), named)
    for key in kind.forms:
        schema = {"if": {"required": [key]}, "then": _form(name, kind.settings([key]), named), "else": schema}
    return schema


def _form(name: str, settings: type, named: bool) -> dict[str, Any]:
    schema = block_schema(settings)
    extra: dict[str, Any] = {"type": {"const": name}}
    if named:
        extra["name"] = {"type": "string", "minLength": 1, "description": "a name of its own, for gates and reports"}
    schema["properties"] = {**extra, **schema["properties"]}
    return schema


def block_schema(cls: type) -> dict[str, Any]:
    """A settings class as an object, or also as its shorthand."""
    fields = fields_of(cls)
    schema: dict[str, Any] = {
        "type": "object",
        "additionalProperties": False,
        "properties": {f.key: _noted(_value(f.type), f.note) for f in fields},
    }
    required = [f.key for f in fields if f.required]
    return {**schema, "required": required} if required else schema


def _value(kind: Any) -> dict[str, Any]:
    if hasattr(kind, "json_schema"):
        return typing.cast(dict[str, Any], kind.json_schema())
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind in _SCALARS:
        return {"type": _SCALARS[kind]}
    if origin in (types.UnionType, typing.Union):
        return {"anyOf": [{"type": "null"} if one is type(None) else _value(one) for one in arguments]}
    if origin is tuple:
        return {"type": "array", "items": _value(arguments[0])}
    if origin is Mapping:
        return {"type": "object", "additionalProperties": _value(arguments[1])}
    if origin is Literal:
        return {"enum": list(arguments)}
    if dataclasses.is_dataclass(kind):
        return _with_shorthand(typing.cast(type, kind))
    return {}


def _with_shorthand(cls: type) -> dict[str, Any]:
    block = block_schema(cls)
    short = getattr(cls, "SHORTHAND", None)
    return {"anyOf": [block["properties"][short], block]} if short else block


def _noted(schema: dict[str, Any], note: Note) -> dict[str, Any]:
    """The schema with what the field says of itself. Bounds go to the number inside an optional value."""
    if note.low is not None or note.high is not None:
        bounds = {key: value for key, value in (("minimum", note.low), ("maximum", note.high)) if value is not None}
        inner = next((one for one in schema.get("anyOf", ()) if one.get("type") in ("number", "integer")), schema)
        inner.update(bounds)
    return {"description": note.about, **schema} if note.about else schema
