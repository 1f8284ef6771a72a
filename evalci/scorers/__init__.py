"""How outputs are judged: a table of kinds, one short file each."""

from collections.abc import Mapping
from typing import Final, Protocol

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
    "contains": Kind("evalci.scorers.contains:Contains", "a wanted text is present"),
    "exact": Kind("evalci.scorers.exact:Exact", "the output equals a value or the case's expected"),
    "json-schema": Kind("evalci.scorers.json_schema:JsonSchema", "the output is JSON that fits a schema file"),
    "judge": Kind("evalci.scorers.judge:Judge", "a model grades the output with a rubric"),
    "regex": Kind("evalci.scorers.regex:Regex", "the output matches a pattern, in linear time"),
    "similarity": Kind("evalci.scorers.similarity:Similarity", "the output means what the expected text means"),
    "subprocess": Kind("evalci.scorers.subprocess:Subprocess", "a command of yours prints a verdict as JSON"),
    "trajectory": Kind("evalci.scorers.trajectory:TrajectoryRules", "an agent's tool calls keep to rules"),
}
