"""From a Python file to a suite: what it registers takes the places that the sections of a YAML file have."""

import hashlib
import inspect
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

from evalci.config.decode import Decoder
from evalci.config.kinds import Kinds
from evalci.config.suite import Block, Eval, RunSettings, Suite
from evalci.config.yaml_nodes import Mapping as MappingNode
from evalci.config.yaml_nodes import Scalar, read_yaml
from evalci.errors import ConfigError, Problem
from evalci.files import ProjectFiles
from evalci.model import Case, Source
from evalci.python.registry import Registered, registering
from evalci.python.task import Judged, Task
from evalci.scorers.python_file import load_file
from evalci.scorers.signature import name_of
from evalci.wording import choices_hint, quoted

TYPE = "python"


def load_python_suite(path: Path, kinds: Kinds) -> Suite:
    """The suite that a Python file registers; the file is run. Raises `ConfigError` when it cannot be used."""
    file = str(path)
    try:
        data = path.read_bytes()
    except OSError as exc:
        raise ConfigError([Problem(file=file, message=f"cannot read the config: {exc.strerror or exc}")]) from exc
    with registering() as evals, redirect_stdout(sys.stderr):
        loaded = load_file(path.absolute())
    if isinstance(loaded, str):
        raise ConfigError([Problem(file=file, message=f"cannot be loaded: {loaded}")])
    problems = [*_problems(evals, file), *_gate_problems(evals, file, kinds)]
    if problems:
        raise ConfigError(problems)
    return _suite(evals, path, data, kinds)


def _problems(evals: Sequence[Registered], file: str) -> Iterable[Problem]:
    if not evals:
        hint = "evaluate(name=…, cases=[…], task=…, scorers=[…]) registers one"
        yield Problem(file=file, message="the file registers no eval", hint=hint)
    for name, count in Counter(each.name for each in evals).items():
        if count > 1:
            line = [each.line for each in evals if each.name == name][1]
            yield Problem(file=file, line=line, message=f"two evals are named {quoted(name)}")
    if len({each.scorer_errors for each in evals}) > 1:
        yield Problem(file=file, line=evals[-1].line, message="scorer_errors must be the same for all evals of a file")


def _suite(evals: Sequence[Registered], path: Path, data: bytes, kinds: Kinds) -> Suite:
    folder = path.absolute().parent
    shown = ProjectFiles.around(folder).name(path)
    own = {
        each.name: Eval(
            cases=tuple(replace(case, source=Source(file=shown, line=each.line)) for case in each.cases),
            scorers=tuple(_scorer(each, function) for function in each.scorers),
            gates=_gates(each, str(path), kinds, []),
        )
        for each in evals
    }
    return Suite(
        file=str(path),
        folder=folder,
        targets={each.name: _target(each) for each in evals},
        datasets=(),
        scorers=tuple(scorer for each in own.values() for scorer in each.scorers),
        gates=tuple(gate for each in own.values() for gate in each.gates),
        run=RunSettings(concurrency=min(each.concurrency for each in evals), scorer_errors=evals[0].scorer_errors),
        plain={
            "file": hashlib.sha256(data).hexdigest(),
            "scorers": [[each.name, [_fingerprint(function) for function in each.scorers]] for each in evals],
            "cases": [[each.name, [_content(case) for case in each.cases]] for each in evals],
        },
        evals=own,
    )


def _target(each: Registered) -> Block:
    return Block(type=TYPE, name=each.name, settings=Task(function=each.task, prices=each.prices))


def _scorer(each: Registered, function: Callable[..., Any]) -> Block:
    return Block(type=TYPE, name=name_of(function), settings=Judged(function=function, prices=each.prices))


def _gate_problems(evals: Sequence[Registered], file: str, kinds: Kinds) -> list[Problem]:
    problems: list[Problem] = []
    for each in evals:
        _gates(each, file, kinds, problems)
    return problems


def _gates(each: Registered, file: str, kinds: Kinds, problems: list[Problem]) -> tuple[Block, ...]:
    """An eval's gates, checked as those of a YAML suite are; what is wrong is noted at the eval's line."""
    found = []
    scorers = {TYPE, *map(name_of, each.scorers)}
    for number, stated in enumerate(each.gates):
        path = f"eval {quoted(each.name)}: gates[{number}]"

        def note(message: str, hint: str = "") -> None:
            problems.append(Problem(file=file, line=each.line, message=message, hint=hint))

        root, _ = read_yaml(json.dumps(dict(stated), default=str).encode(), name=file)
        kind = root.get("type") if isinstance(root, MappingNode) else None
        name = kind.value if isinstance(kind, Scalar) else None
        if root is None or not isinstance(name, str) or name not in kinds.gates:
            note(f"{path} has no known type", choices_hint("types", str(name), kinds.gates))
            continue
        decoder = Decoder(file)
        settings: Any = decoder.block(
            root, kinds.gates[name].settings(), path, f"{path}: {name} ", ignore=frozenset({"type"})
        )
        for problem in decoder.problems:
            note(problem.message, problem.hint)
        scorer = getattr(settings, "scorer", None)
        if scorer is not None and scorer not in scorers:
            note(f"{path}: {quoted(scorer)} is not among the eval's scorers", choices_hint("scorers", scorer, scorers))
        if settings is not None:
            found.append(Block(type=name, name=name, settings=settings))
    return tuple(found)


def _fingerprint(function: Callable[..., Any]) -> Any:
    """What tells a scorer from another of its name: its source, and what its factory was given."""
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        source = ""
    cells = [cell.cell_contents for cell in getattr(function, "__closure__", None) or () if _is_filled(cell)]
    return [name_of(function), hashlib.sha256(source.encode()).hexdigest(), _plain(cells)]


def _is_filled(cell: Any) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True


def _content(case: Case) -> Any:
    return _plain([case.id, case.input, case.expected, list(case.context or ()), case.metadata])


def _plain(value: Any) -> Any:
    """A value as JSON, the same in every process: what JSON lacks is told by its type alone."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return f"<{type(value).__qualname__}>"
