"""The rules there are, each a mapping that its first word names: `must_call`, `must_not_call`, `max_steps`."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evalci.config.settings import setting
from evalci.model import Step
from evalci.scorers.trajectories.matching import FieldMatcher, fits_all
from evalci.wording import choices_hint, count_of, quoted

if TYPE_CHECKING:
    from evalci.config.decode import Decoder
    from evalci.config.yaml_nodes import Node

WHO: Final = "trajectory scorer: "


class Rule(ABC):
    """One thing that the tool calls of a run must keep to."""

    __slots__ = ()

    @abstractmethod
    def broken_by(self, steps: Sequence[Step]) -> str | None:
        """What is wrong with these calls, None when the rule holds."""

    @classmethod
    def decode(cls, node: "Node", decoder: "Decoder", path: str) -> "Rule | None":
        """The rule in a mapping, chosen by its key; None when there is a mistake, which the decoder has noted."""
        from evalci.config.yaml_nodes import Mapping as MappingNode

        entries = node.entries if isinstance(node, MappingNode) else ()
        named = [entry for entry in entries if entry.key in RULES]
        if len(named) > 1:
            names = " and ".join(entry.key for entry in named)
            message = f"{path} holds {names}, but a rule is one of them"
            decoder.problem(named[1], message, "make each an item of its own")
            return None
        if isinstance(node, MappingNode) and not named:
            hint = choices_hint("rules", entries[0].key if entries else "", RULES)
            decoder.problem(entries[0] if entries else node, f"{path} names no rule", hint)
            return None
        kind = RULES[named[0].key] if named else MustCall
        return decoder.block(node, kind, path, WHO)

    @staticmethod
    def json_schema() -> dict[str, Any]:
        """Either of the rules, for editors."""
        from evalci.config.json_schema import block_schema

        return {"oneOf": [block_schema(kind) for kind in RULES.values()]}


@dataclass(frozen=True, kw_only=True, slots=True)
class MustCall(Rule):
    """Some call of a tool fits, after the first call of another when one is named."""

    must_call: str = setting(about="a tool that has to be called")
    fields: Mapping[str, FieldMatcher] | None = setting(
        None, key="with", about="what the input of one such call has to be, field by field"
    )
    after: str | None = setting(None, about="a tool whose first call has to come before")

    def broken_by(self, steps: Sequence[Step]) -> str | None:
        rule = f"must_call {quoted(self.must_call)}"
        never = "never called"
        if self.after is not None:
            rule += f" after {quoted(self.after)}"
            never = "not called after it"
            first = _first_call(self.after, steps)
            if first is None:
                return f"{rule}: {quoted(self.after)} was never called"
            steps = steps[first + 1 :]
        calls = [step for step in steps if step.tool == self.must_call]
        if not calls:
            return f"{rule}: {never}"
        if not any(fits_all(self.fields or {}, call.input) for call in calls):
            return f"{rule}: called, but no call matched `with` constraints"
        return None


@dataclass(frozen=True, kw_only=True, slots=True)
class MustNotCall(Rule):
    """A tool is never called, or not before the first call of another."""

    must_not_call: str = setting(about="a tool that must not be called")
    before: str | None = setting(None, about="a tool from whose first call on it may be")

    def broken_by(self, steps: Sequence[Step]) -> str | None:
        rule = f"must_not_call {quoted(self.must_not_call)}"
        if self.before is not None:
            rule += f" before {quoted(self.before)}"
            steps = steps[: _first_call(self.before, steps)]
        place = _first_call(self.must_not_call, steps)
        return None if place is None else f"{rule}: called at step {place + 1}"


@dataclass(frozen=True, kw_only=True, slots=True)
class MaxSteps(Rule):
    """There are no more tool calls than so many."""

    max_steps: int = setting(about="the most tool calls there may be", low=0)

    def broken_by(self, steps: Sequence[Step]) -> str | None:
        if len(steps) <= self.max_steps:
            return None
        return f"max_steps {self.max_steps}: trajectory has {count_of(len(steps), 'tool call')}"


RULES: Final[Mapping[str, type[Rule]]] = {
    "must_call": MustCall,
    "must_not_call": MustNotCall,
    "max_steps": MaxSteps,
}


def _first_call(tool: str, steps: Sequence[Step]) -> int | None:
    """The place of a tool's first call, counted from 0."""
    return next((place for place, step in enumerate(steps) if step.tool == tool), None)
