"""JSON Schema, draft 2020-12: a schema is checked once, with every reference in it, and then fits values or not."""

from evalci.scorers.schemas.loading import Schema, SchemaError, load_schema

__all__ = ["Schema", "SchemaError", "load_schema"]
