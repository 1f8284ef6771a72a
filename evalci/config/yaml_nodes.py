"""The text of a YAML file as nodes that know their line and column, or every problem that keeps it from being read.

Anything may be in the file: nothing here raises, recurses, builds objects, or grows past what the limits below say.
"""

from collections.abc import Iterable
from contextlib import closing
from typing import Any, Final

import yaml

from evalci.config.yaml_text import MOST_PROBLEMS, lines_of, text_of, with_stand_ins
from evalci.config.yaml_tree import Tree
from evalci.config.yaml_types import Entry, Mapping, Node, Scalar, Sequence, YamlProblem, plain

__all__ = ["Entry", "Mapping", "Node", "Scalar", "Sequence", "YamlProblem", "plain", "read_yaml"]

FASTEST_LOADER: Final[Any] = yaml.CBaseLoader if yaml.__with_libyaml__ else yaml.BaseLoader


def read_yaml(data: bytes, *, name: str, loader: Any = FASTEST_LOADER) -> tuple[Node | None, tuple[YamlProblem, ...]]:
    """The root node of a file, and every problem in it, in order.

    With problems the file is not to be used. The root is still there when the only problems are keys that come
    twice: the first one of each stands, so that a decoder can go on looking for mistakes.
    """
    text, problems = text_of(data, name)
    if problems:
        return None, _shortened(problems)
    safe_text, originals = with_stand_ins(text)
    tree = Tree(name, originals)
    complaint = _grow(tree, safe_text, text, loader)
    if complaint is not None:
        tree.spoil(complaint)
    elif not tree.problems and tree.is_empty:
        tree.spoil(YamlProblem(line=1, column=1, message=f"{name} is empty", hint="write at least one key"))
    return None if tree.spoiled else tree.root, _shortened(tree.problems)


def _grow(tree: Tree, safe_text: str, text: str, loader: Any) -> YamlProblem | None:
    """Hand the parser's events to the tree, until one of them gives up; what the parser complained of, if it did."""
    try:
        with closing(yaml.parse(safe_text, Loader=loader)) as events:  # type: ignore[type-var]
            for event in events:
                tree.take(event)
                if tree.gave_up:
                    break
    except yaml.MarkedYAMLError as error:
        return _complaint(error, text, tree)
    except (yaml.YAMLError, ValueError, OverflowError):
        # PyYAML's Python parser lets int() and chr() fail on absurd versions and escapes.
        line, column = tree.last
        message, hint = "what follows here cannot be read as YAML", "check the directives and escapes"
        return YamlProblem(line=line, column=column, message=message, hint=hint)
    return None


def _complaint(error: yaml.MarkedYAMLError, text: str, tree: Tree) -> YamlProblem:
    # A sound file does not pay for this.
    from evalci.config.yaml_syntax import Complaint, Spot, explain

    at, began = error.problem_mark, error.context_mark
    spot = Spot(line=at.line, column=at.column) if at else Spot(line=0, column=0)
    context = error.context or ""
    start = Spot(line=began.line, column=began.column) if began else spot
    if "flow node" in context:
        # A node that is missing at the end has no start; what matters is the bracket around it.
        line, column = tree.innermost
        start = Spot(line=line - 1, column=column - 1)
    lines = lines_of(text)
    return explain(Complaint(problem=error.problem or "", at=spot, context=context, began=start, lines=lines))


def _shortened(problems: Iterable[YamlProblem]) -> tuple[YamlProblem, ...]:
    """The problems in the order of the file, ending with a word on the rest where there are too many."""
    ordered = sorted(problems, key=lambda problem: (problem.line, problem.column))
    if len(ordered) <= MOST_PROBLEMS:
        return tuple(ordered)
    hidden, message = ordered[MOST_PROBLEMS], "more problems follow from here on"
    rest = YamlProblem(line=hidden.line, column=hidden.column, message=message, hint="mend those above first")
    return (*ordered[:MOST_PROBLEMS], rest)
