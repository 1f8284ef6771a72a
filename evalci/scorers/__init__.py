"""How outputs are judged: a table of kinds, one short file each.

The scorers of suites in Python live here by name as well: `from evalci.scorers import exact, levenshtein`.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final, Protocol

from evalci.config.kinds import Kind
from evalci.model import Case, Output, Score


class Scorer(Protocol):
    """Judges one output of one case."""

    async def score(self, case: Case, output: Output) -> Score:
        """What it made of it. A scorer that fails returns `Score.broken(…)` or raises `ScorerError`."""
        ...


class ScorerError(Exception):
    """The scorer itself failed; its text becomes the reason of a broken score."""


SCORERS: Final[Mapping[str, Kind]] = {
    "contains": Kind("evalci.scorers.contains_text:Contains", "a wanted text is present"),
    "exact": Kind("evalci.scorers.exact_text:Exact", "the output equals a value or the case's expected"),
    "close_to": Kind("evalci.scorers.close_number:CloseTo", "the one number in the output is close to the wanted one"),
    "factuality": Kind(
        "evalci.scorers.judge_model:Factuality",
        "a model says whether the output contradicts the expected answer",
        recorded=True,
    ),
    "json_fields": Kind("evalci.scorers.field_match:JsonFields", "the part of the expected fields that match"),
    "levenshtein": Kind("evalci.scorers.edit_distance:Levenshtein", "how few edits lead to the expected text"),
    "normalised_contains": Kind(
        "evalci.scorers.normalised:NormalisedContains", "the wanted text is present, normalised"
    ),
    "normalised_exact": Kind("evalci.scorers.normalised:NormalisedExact", "the expected text, normalised"),
    "python": Kind("evalci.scorers.python_file:PythonFile", "a function of yours in a Python file"),
    "ratio": Kind("evalci.scorers.edit_distance:Ratio", "how much of the two texts is common"),
    "json-schema": Kind("evalci.scorers.json_schema:JsonSchema", "the output is JSON that fits a schema file"),
    "judge": Kind(
        "evalci.scorers.judge_model:Judge",
        "a model grades the output with a rubric",
        forms={"adapter": "evalci.scorers.judge_adapter:AdapterJudge"},
        recorded=True,
    ),
    "regex": Kind("evalci.scorers.regex:Regex", "the output matches a pattern, in linear time"),
    "similarity": Kind(
        "evalci.scorers.similarity:Similarity", "the output means what the expected text means", recorded=True
    ),
    "subprocess": Kind(
        "evalci.scorers.subprocess:Subprocess", "a command of yours prints a verdict as JSON", starts=True
    ),
    "trajectory": Kind("evalci.scorers.trajectory:TrajectoryRules", "an agent's tool calls keep to rules"),
}

# No module of this folder may have one of these names: once imported, it would stand in the function's place.
FUNCTIONS: Final = (
    "close_to",
    "contains",
    "exact",
    "factuality",
    "json_fields",
    "judge",
    "levenshtein",
    "normalised_exact",
    "ratio",
    "regex_match",
    "scorer",
)


def __getattr__(name: str) -> Any:
    """A scorer function of suites in Python, imported when it is first asked for."""
    if name in FUNCTIONS:
        return getattr(import_module("evalci.scorers.functions"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
