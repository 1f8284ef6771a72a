"""Checks requests and answers against the cut OpenAPI document; what does not fit is a violation in words."""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from openapi_schema_validator import OAS30Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

DATA = Path(__file__).resolve().parent.parent / "data" / "github"
DOCUMENT = json.loads((DATA / "openapi.json").read_text("utf-8"))
_URI = "urn:github"
_REGISTRY = Registry().with_resource(_URI, DRAFT202012.create_resource(DOCUMENT))


class Operation:
    """One documented call: how its path looks, what it may ask, what it may answer."""

    def __init__(self, path: str, method: str) -> None:
        self.path, self.method = path, method
        self.spec = DOCUMENT["paths"][path][method]
        self.name = self.spec["operationId"]
        self.pattern = re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(path)))
        self.parameters = [_resolved(item) for item in self.spec.get("parameters", [])]

    def request_violations(self, query: str, body: bytes) -> list[str]:
        declared = {item["name"]: item for item in self.parameters if item["in"] == "query"}
        found = []
        for name, value in parse_qsl(query, keep_blank_values=True):
            if name not in declared:
                found.append(f"{self.name}: undeclared query parameter {name!r}")
                continue
            schema = declared[name]["schema"]
            found += [f"{self.name}: {name}={value}: {text}" for text in _violations(schema, _typed(value, schema))]
        if "requestBody" in self.spec:
            pointer = self._pointer("requestBody", "content", "application/json", "schema")
            found += [f"{self.name}: request: {text}" for text in _violations_at(pointer, json.loads(body or b"null"))]
        elif body:
            found.append(f"{self.name}: has no body")
        return found

    def answer_violations(self, status: int, body: bytes) -> list[str]:
        """Statuses of 400 and more happen undocumented (403 on an edit, for one); a success has to be documented."""
        documented = self.spec["responses"].get(str(status))
        if documented is None:
            return [] if status >= 400 else [f"{self.name}: answers {status}, which is not documented"]
        pointer = self._pointer("responses", str(status))
        if "$ref" in documented:
            pointer = documented["$ref"].removeprefix("#")
            documented = _resolved(documented)
        if "application/json" not in documented.get("content", {}):
            return []
        pointer += "/content/application~1json/schema"
        return [f"{self.name}: answer {status}: {text}" for text in _violations_at(pointer, json.loads(body))]

    def _pointer(self, *parts: str) -> str:
        whole = ("paths", self.path, self.method, *parts)
        return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in whole)


def operation_for(method: str, path: str) -> tuple[Operation, Mapping[str, str]] | None:
    """The documented call behind a request, with the values in its path."""
    for operation in OPERATIONS:
        if operation.method == method.lower() and (match := operation.pattern.fullmatch(path)):
            return operation, match.groupdict()
    return None


def _resolved(item: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in item:
        return item
    found: Any = DOCUMENT
    for part in item["$ref"].removeprefix("#/").split("/"):
        found = found[part.replace("~1", "/").replace("~0", "~")]
    return found


def _typed(value: str, schema: Mapping[str, Any]) -> Any:
    if schema.get("type") == "integer" and value.isdecimal():
        return int(value)
    if schema.get("type") == "boolean" and value in ("true", "false"):
        return value == "true"
    return value


def _violations(schema: Mapping[str, Any], value: Any) -> list[str]:
    return [error.message[:300] for error in OAS30Validator(schema).iter_errors(value)]


@cache
def _validator(pointer: str) -> OAS30Validator:
    return OAS30Validator({"$ref": f"{_URI}#{pointer}"}, registry=_REGISTRY)


def _violations_at(pointer: str, value: Any) -> list[str]:
    return [
        f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}"
        for error in _validator(pointer).iter_errors(value)
    ]


OPERATIONS = [Operation(path, method) for path, methods in DOCUMENT["paths"].items() for method in methods]
