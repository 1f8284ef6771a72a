"""The shape of `evals.yaml`: what each section may hold, and what must hold between sections."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from evalci.config.decode import Decoder, list_hint
from evalci.config.kinds import Kind, Kinds
from evalci.config.settings import Fault, setting
from evalci.config.yaml_nodes import Entry, Node, Scalar, Sequence, plain, read_yaml
from evalci.config.yaml_nodes import Mapping as MappingNode
from evalci.errors import ConfigError, Problem
from evalci.model import Case
from evalci.wording import choices_hint, closest, plain_number, quoted

SECTIONS = ("targets", "datasets", "scorers", "run")


@dataclass(frozen=True, kw_only=True, slots=True)
class Trials:
    """How often each case is tried, and how many of the trials must pass."""

    SHORTHAND: ClassVar = "count"

    count: int = setting(about="trials per case", low=1)
    require: Literal["all", "majority", "any"] = "all"


@dataclass(frozen=True, kw_only=True, slots=True)
class Dataset:
    """One JSONL file of cases."""

    file: str = setting(about="a JSONL file, relative to the config")

    def check(self, who: str) -> Iterator[Fault]:
        if not self.file:
            yield Fault("file", f"{who}.file must not be empty", "name a JSONL file, relative to the config")


@dataclass(frozen=True, kw_only=True, slots=True)
class RunSettings:
    """The `run:` section; `gates` are read beside it, since they are plug-ins."""

    concurrency: int = setting(4, about="cases in flight at once; never changes a result", low=1)
    trials: Trials = setting(default_factory=lambda: Trials(count=1), about="trials per case, or {count, require}")
    budget_usd: float | None = setting(None, about="no new case is started once this much is spent")
    matrix: tuple[str, ...] | None = setting(None, about="targets to run side by side")
    classification: bool = setting(False, about="report accuracy, macro-F1 and per-class scores")
    history: bool = setting(True, about="keep each run in .evalci/history.db")
    scorer_errors: Literal["fail", "exclude"] | None = setting(
        None, about="does a broken scorer fail its case (the default in YAML), or is it left out?"
    )

    def check(self, who: str) -> Iterator[Fault]:
        budget = self.budget_usd
        if budget is not None and not (budget > 0 and math.isfinite(budget)):
            yield Fault("budget_usd", f"run.budget_usd must be positive, got {plain_number(budget)}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """One plug-in as the suite sets it up: its kind, its name, its checked settings, and where it stands."""

    type: str
    name: str
    settings: Any
    node: Node | None = None
    file: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Eval:
    """One eval of a suite in Python: a target of the same name, with cases, scorers and gates that are its own."""

    cases: tuple[Case, ...]
    scorers: tuple[Block, ...]
    gates: tuple[Block, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Suite:
    """A checked config. `file` is how messages name it; relative paths resolve against `folder`.

    `plain` is the whole file as data, for digests. A suite in Python has `evals`, by the name of their target, and no
    datasets; its `scorers` are then those of all evals.
    """

    file: str
    folder: Path
    targets: Mapping[str, Block]
    datasets: tuple[Dataset, ...]
    scorers: tuple[Block, ...]
    gates: tuple[Block, ...] = ()
    run: RunSettings = field(default_factory=RunSettings)
    plain: Any = None
    root: Node | None = None
    evals: Mapping[str, Eval] = field(default_factory=dict)

    def scorers_of(self, target: str) -> tuple[Block, ...]:
        """What judges a target's outputs."""
        return self.evals[target].scorers if target in self.evals else self.scorers

    def gates_of(self, target: str) -> tuple[Block, ...]:
        """What the run of a target must meet."""
        return self.evals[target].gates if target in self.evals else self.gates


def read_suite(data: bytes, *, file: str, folder: Path, kinds: Kinds) -> Suite:
    """The suite that a config's text describes. Raises `ConfigError` with every mistake in it."""
    root, yaml_problems = read_yaml(data, name=file)
    reader = _SuiteReader(Decoder(file), kinds)
    reader.decoder.problems += [
        Problem(file=file, line=p.line, column=p.column, message=f"invalid YAML: {p.message}", hint=p.hint)
        for p in yaml_problems
    ]
    if root is None:
        raise ConfigError(reader.decoder.problems)
    suite = reader.read(root, folder)
    if suite is None or reader.decoder.problems:
        raise ConfigError(sorted(reader.decoder.problems, key=lambda p: (p.line or 0, p.column or 0)))
    return suite


class _SuiteReader:
    """Reads section after section, so that one run shows the mistakes of all."""

    def __init__(self, decoder: Decoder, kinds: Kinds) -> None:
        self.decoder = decoder
        self.kinds = kinds

    def read(self, root: Node, folder: Path) -> Suite | None:
        if not isinstance(root, MappingNode):
            self.decoder.problem(root, f"a suite is a mapping with the keys {', '.join(SECTIONS)}")
            return None
        self.decoder.unknown_keys(root, set(SECTIONS), "")
        targets = self._targets(root)
        datasets = self._datasets(root)
        scorers = self._scorers(root)
        self._own_scores(root)
        run, gates = self._run(root.get("run"))
        self._matrix(root)
        self._gate_scorers(root, gates)
        return Suite(
            file=self.decoder.file,
            folder=folder,
            targets=targets,
            datasets=datasets,
            scorers=scorers,
            gates=gates,
            run=run,
            plain=plain(root),
            root=root,
        )

    def _section(self, root: MappingNode, name: str, kind: type[Node], one: str) -> Any:
        """A section that must be there and hold something; None when it does not."""
        node = root.get(name)
        empty = node is None or (isinstance(node, Scalar) and node.value is None)
        if not empty and not isinstance(node, kind):
            shape = "a mapping of names to targets" if kind is MappingNode else "a list"
            hint = list_hint(node) if kind is Sequence else ""  # type: ignore[arg-type]
            self.decoder.problem(node, f"{name} must be {shape}", hint)
            return None
        if empty or not (node.entries if isinstance(node, MappingNode) else node.items):  # type: ignore[union-attr]
            self.decoder.problem(node or root, f"at least one {one} is required", f"add it under `{name}:`")
            return None
        return node

    def _targets(self, root: MappingNode) -> dict[str, Block]:
        node = self._section(root, "targets", MappingNode, "target")
        targets = {}
        for entry in node.entries if node else ():
            if not entry.key:
                self.decoder.problem(entry, "a target needs a name")
            who = f"target {quoted(entry.key)}: "
            block = self._plug_in(entry.value, self.kinds.targets, "target", f"targets.{entry.key}", who, entry.key)
            if block is not None:
                targets[entry.key] = block
        return targets

    def _datasets(self, root: MappingNode) -> tuple[Dataset, ...]:
        node = self._section(root, "datasets", Sequence, "dataset")
        found = [
            self.decoder.block(item, Dataset, f"datasets[{i}]", f"datasets[{i}]: ")
            for i, item in enumerate(node.items if node else ())
        ]
        return tuple(dataset for dataset in found if dataset)

    def _scorers(self, root: MappingNode) -> tuple[Block, ...]:
        node = self._section(root, "scorers", Sequence, "scorer")
        scorers: list[Block] = []
        for i, item in enumerate(node.items if node else ()):
            kind = _text(item, "type") or "?"
            block = self._plug_in(item, self.kinds.scorers, "scorer", f"scorers[{i}]", f"{kind} scorer: ", named=True)
            scorers += [block] if block else []
        self._scorer_names(node.items if node else ())
        return tuple(scorers)

    def _scorer_names(self, items: tuple[Node, ...]) -> None:
        """A name that was given tells its scorer from every other; unnamed scorers go by their type and may repeat."""
        names = [_text(item, "name") or _text(item, "type") for item in items]
        for i, item in enumerate(items):
            given = _text(item, "name")
            clashes = [j for j, name in enumerate(names) if name == given and j != i]
            if given and any(j < i or _text(items[j], "name") is None for j in clashes):
                message = f"scorers[{i}].name: two scorers are named {quoted(given)}"
                self.decoder.problem(locate_key(item, "name"), message)

    def _own_scores(self, root: MappingNode) -> None:
        """Scores that targets bring along have their names to themselves."""
        scorers, own = root.get("scorers"), self._own_names(root)
        for i, item in enumerate(scorers.items if isinstance(scorers, Sequence) else ()):
            if (name := _text(item, "name")) in own:
                message = f"scorers[{i}].name cannot be {quoted(name or '')}: that is the score of the {name} target"
                self.decoder.problem(locate_key(item, "name"), message)

    def _own_names(self, root: MappingNode) -> set[str]:
        targets = root.get("targets")
        types = {_text(entry.value, "type") for entry in targets.entries} if isinstance(targets, MappingNode) else set()
        return {name for name, kind in self.kinds.targets.items() if kind.own_score and name in types}

    def _run(self, node: Node | None) -> tuple[RunSettings, tuple[Block, ...]]:
        if node is None or (isinstance(node, Scalar) and node.value is None):
            return RunSettings(), ()
        run = self.decoder.block(node, RunSettings, "run", "run.", ignore=frozenset({"gates"}))
        return run or RunSettings(), self._gates(node)

    def _gates(self, run: Node) -> tuple[Block, ...]:
        node = run.get("gates") if isinstance(run, MappingNode) else None
        if node is None or (isinstance(node, Scalar) and node.value is None):
            return ()
        if not isinstance(node, Sequence):
            self.decoder.problem(node, "run.gates must be a list", list_hint(node))
            return ()
        found = []
        for i, item in enumerate(node.items):
            who = f"run.gates: {_text(item, 'type') or '?'} "
            found.append(self._plug_in(item, self.kinds.gates, "gate", f"run.gates[{i}]", who))
        return tuple(block for block in found if block)

    def _plug_in(
        self,
        node: Node,
        table: Mapping[str, Kind],
        family: str,
        path: str,
        who: str,
        name: str = "",
        named: bool = False,
    ) -> Block | None:
        """One row of a plug-in family: its `type` chooses the settings class."""
        if not isinstance(node, MappingNode):
            self.decoder.problem(node, f"{path} must be a mapping with a `type`")
            return None
        kind = self._kind(node, table, family, path)
        if named and node.get("name") is not None:
            name = self.decoder.value(node.get("name"), str, f"{path}.name", who)  # type: ignore[arg-type]
            if name == "":
                self.decoder.problem(node.get("name"), f"{path}.name must not be empty")
        if kind is None:
            return None
        row = table[kind]
        # A key that would choose another form is none of this one's, but hints should name it.
        ignore = frozenset({"type", *(["name"] if named else []), *row.forms})
        cls = row.settings(entry.key for entry in node.entries)
        settings = self.decoder.block(node, cls, path, who, ignore=ignore)
        if settings is None or not isinstance(name, str):
            return None
        return Block(type=kind, name=name or kind, settings=settings, node=node, file=self.decoder.file)

    def _kind(self, node: MappingNode, table: Mapping[str, Kind], family: str, path: str) -> str | None:
        chosen = node.get("type")
        if chosen is None:
            hint = f"known types: {', '.join(sorted(table))}"
            meant = closest("type", [entry.key for entry in node.entries])
            hint += f'\ndid you mean "type" where it says {quoted(meant)}?' if meant else ""
            self.decoder.problem(node, f'{path} lacks the key "type"', hint)
            return None
        kind = self.decoder.value(chosen, str, f"{path}.type", "")
        if not isinstance(kind, str):
            return None
        if kind not in table:
            hint = choices_hint("types", kind, table)
            self.decoder.problem(chosen, f"unknown {family} type {quoted(kind)} in {path}.type", hint)
            return None
        return kind

    # Names are looked up as they are written: a block with a mistake in it is there all the same.

    def _matrix(self, root: MappingNode) -> None:
        run, targets = root.get("run"), root.get("targets")
        matrix = run.get("matrix") if isinstance(run, MappingNode) else None
        if not isinstance(matrix, Sequence) or not isinstance(targets, MappingNode):
            return
        arms = [arm.value for arm in matrix.items if isinstance(arm, Scalar) and isinstance(arm.value, str)]
        if len(arms) == len(matrix.items):
            for message in matrix_problems(tuple(arms), {entry.key: entry for entry in targets.entries}):
                self.decoder.problem(matrix, message)

    def _gate_scorers(self, root: MappingNode, gates: tuple[Block, ...]) -> None:
        scorers = root.get("scorers")
        items = scorers.items if isinstance(scorers, Sequence) else ()
        known = {name for item in items for key in ("name", "type") if (name := _text(item, key))}
        known |= self._own_names(root)
        for gate in gates:
            scorer = getattr(gate.settings, "scorer", None)
            if scorer is not None and scorer not in known and gate.node is not None:
                message = f"run.gates: {gate.type} scorer {quoted(scorer)} is not among the configured scorers"
                self.decoder.problem(locate_key(gate.node, "scorer"), message, choices_hint("scorers", scorer, known))


def matrix_problems(matrix: tuple[str, ...], targets: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with a list of arms, from the config or the command line."""
    if len(matrix) < 2:
        yield f"run.matrix must list at least two targets, got {len(matrix)}"
    for i, arm in enumerate(matrix):
        if arm in matrix[:i]:
            yield f"run.matrix lists target {quoted(arm)} more than once"
        elif arm not in targets:
            yield f"run.matrix target {quoted(arm)} is not defined; available: {', '.join(sorted(targets))}"


def locate_key(node: Node, key: str) -> Node | Entry:
    """The value of a key, or the node itself."""
    found = node.get(key) if isinstance(node, MappingNode) else None
    return found or node


def _text(node: Node, key: str) -> str | None:
    """The text of a key, for messages only."""
    found = node.get(key) if isinstance(node, MappingNode) else None
    return found.value if isinstance(found, Scalar) and isinstance(found.value, str) else None
