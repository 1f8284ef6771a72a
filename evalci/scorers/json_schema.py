"""Is the output JSON that fits a schema?"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from evalci.config.settings import Fault, setting
from evalci.files import FileRefused
from evalci.model import Case, Output, Score
from evalci.scorers import Scorer, ScorerError
from evalci.scorers.strict_json import NotJson, parse_json
from evalci.tools import Tools
from evalci.wording import seen

if TYPE_CHECKING:
    from evalci.scorers.schemas import Schema

SHOWN: Final = 3
WHO: Final = "json-schema scorer"


@dataclass(frozen=True, kw_only=True, slots=True)
class JsonSchema:
    """Passes when the output is one JSON value that fits the schema, always read as draft 2020-12."""

    schema: str = setting(about="a JSON Schema file, relative to the config")

    def check(self, who: str) -> Iterator[Fault]:
        if not self.schema:
            yield Fault("schema", f"{who}: schema path must be non-empty")

    def build(self, tools: Tools) -> Scorer:
        from evalci.scorers.schemas import SchemaError, load_schema

        try:
            return JsonSchemaScorer(load_schema(tools.files.read(self.schema, tools.folder)))
        except FileRefused as exc:
            raise Fault("schema", f"{WHO}: failed to read schema {exc}") from exc
        except SchemaError as exc:
            hint = "schemas are JSON Schema draft 2020-12; a $ref may only lead to a place in the same file"
            raise Fault("schema", f"{WHO}: {self.schema} cannot be used: {exc}", hint) from exc


class JsonSchemaScorer:
    """Holds outputs against a checked schema."""

    def __init__(self, schema: "Schema") -> None:
        self._schema = schema

    async def score(self, case: Case, output: Output) -> Score:
        from evalci.scorers.schemas.patterns import TookTooLong

        try:
            violations = self._schema.violations(parse_json(output.text))
        except NotJson as exc:
            return Score.missed(f"output is not valid JSON: {exc}; got: {seen(output.text)}")
        except RecursionError:
            return Score.missed("output is nested too deeply to be held against the schema")
        except TookTooLong as exc:
            raise ScorerError(str(exc)) from exc
        return Score.missed("; ".join(violations[:SHOWN])) if violations else Score.good()
