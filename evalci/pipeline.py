"""A suite from its config to its report, told in named steps."""

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalci.calls import Caller, digest
from evalci.calls.transport import Transport
from evalci.cassette import Cassette, Mode, Redactor
from evalci.config.decode import place_faults
from evalci.config.kinds import Kinds
from evalci.config.settings import Fault, Faults
from evalci.config.suite import Block, Suite, read_suite
from evalci.config.yaml_text import MOST_BYTES
from evalci.datasets import Dataset, read_datasets
from evalci.engine import CaseRun, EngineSettings, Slot, run_cases
from evalci.errors import ConfigError, InputError, Problem, UsageError
from evalci.files import ProjectFiles, read_bounded
from evalci.gates import GATES
from evalci.model import Case, Digests
from evalci.scorers import SCORERS
from evalci.selection import Selection
from evalci.summary.budget import Budget
from evalci.targets import TARGETS, Target
from evalci.tools import Clock, Tools
from evalci.wording import quoted

if TYPE_CHECKING:
    import httpx

KINDS = Kinds(targets=TARGETS, scorers=SCORERS, gates=GATES)
STATE_FOLDER = ".evalci"


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """What somebody asked for: which suite, which part of it, and where answers come from.

    `recordings` is the folder of the cassette where it is not the `.evalci` beside the config.
    """

    config: Path
    cache: Mode = "replay"
    target: str | None = None
    matrix: tuple[str, ...] | None = None
    selection: Selection = field(default_factory=Selection)
    recordings: Path | None = None
    allow_outside: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Surroundings:
    """What a run finds around it: environment, clock, HTTP clients, and who wants to know how far it is.

    `watch` may stand before the recordings and see every call.
    """

    environ: Mapping[str, str]
    clock: Clock = field(default_factory=Clock)
    client: "Callable[[], httpx.AsyncClient] | None" = None
    progress: Callable[[int, int], None] = lambda done, total: None
    on_bug: Callable[[BaseException], None] = lambda exc: None
    watch: Callable[[Caller], Caller] = lambda caller: caller


@dataclass(frozen=True, kw_only=True, slots=True)
class Arm:
    """One target with the cases it is asked and the scorers that judge it."""

    name: str
    target: Target
    slots: tuple[Slot, ...]
    cases: tuple[Case, ...] = ()

    @property
    def parts(self) -> "tuple[tuple[str, Any], ...]":
        """The target and the scorers, each with how messages name it."""
        scorers = ((f"scorer {quoted(slot.name)}", slot.scorer) for slot in self.slots)
        return ((f"target {quoted(self.name)}", self.target), *scorers)


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """A checked suite with everything built: nothing that is left can be a mistake in a file."""

    suite: Suite
    tools: Tools
    dataset: Dataset
    cases: tuple[Case, ...]
    arms: tuple[Arm, ...]
    cassette: Cassette
    request: Request

    @property
    def config_name(self) -> str:
        """The config's path in its project, as reports show it."""
        return self.tools.files.name(self.suite.folder / Path(self.suite.file).name)

    @property
    def digests(self) -> Digests:
        """What the run is made from. Taken after the run, so that it covers what was recorded."""
        fingerprints = [getattr(slot.scorer, "fingerprint", None) for slot in self.arms[0].slots]
        return Digests(
            config=digest(_what_decides(self.suite.plain)),
            cases=self.dataset.digest,
            cassette=self.cassette.digest,
            scorers=digest([self.suite.plain["scorers"], fingerprints]),
        )

    @property
    def remarks(self) -> tuple[str, ...]:
        """What targets and scorers noticed over the whole run, once each, with who did."""
        parts: list[tuple[str, object]] = [(f"target {quoted(arm.name)}", arm.target) for arm in self.arms]
        parts += [(f"scorer {quoted(slot.name)}", slot.scorer) for arm in self.arms for slot in arm.slots]
        told = [f"{who}: {remark}" for who, part in parts for remark in getattr(part, "remarks", ())]
        return tuple(dict.fromkeys(told))


def _what_decides(plain: Any) -> Any:
    """A config without what can never change a result: how many cases are in flight, and whether runs are kept."""
    run = plain.get("run") if isinstance(plain, dict) else None
    if not isinstance(run, dict):
        return plain
    return {**plain, "run": {key: value for key, value in run.items() if key not in ("concurrency", "history")}}


def load_suite(config: Path) -> Suite:
    """The suite in a config file, YAML or Python. Raises `ConfigError` with every mistake in it."""
    if config.suffix == ".py":
        from evalci.python.suite import load_python_suite

        return load_python_suite(config, KINDS)
    try:
        data = read_bounded(config, MOST_BYTES)
    except OSError as exc:
        hint = "name a config, or make one with `evalci init`" if isinstance(exc, FileNotFoundError) else ""
        message = f"cannot read the config: {exc.strerror or exc}"
        raise ConfigError([Problem(file=str(config), message=message, hint=hint)]) from exc
    return read_suite(data, file=str(config), folder=config.absolute().parent, kinds=KINDS)


def prepare(request: Request, around: Surroundings, suite: Suite | None = None) -> Plan:
    """Everything a run needs, built and checked. Raises an `InputError` with the mistakes of all files at once."""
    suite = suite or load_suite(request.config)
    names = _arm_names(suite, request)
    redactor = Redactor(_secrets(suite, around.environ))
    cassette = Cassette(request.recordings or suite.folder / STATE_FOLDER, request.cache, redactor)
    tools = Tools(
        folder=suite.folder,
        files=ProjectFiles.around(suite.folder, allow_outside=request.allow_outside),
        environ=around.environ,
        record=lambda live: around.watch(cassette.record(live)),
        scrub=redactor.scrub,
        known_secrets=redactor.known,
        transport=Transport(redactor.scrub, client=around.client),
        live=request.cache != "replay",
        clock=around.clock,
    )
    problems: list[Problem] = []
    arms = tuple(_arm(name, suite, tools, problems) for name in names)
    dataset = _dataset(suite, names, tools, problems)
    if problems or dataset is None:
        raise InputError(list(dict.fromkeys(problems)))
    chosen = request.selection.choose(dataset.cases)
    return Plan(
        suite=suite,
        tools=tools,
        dataset=dataset,
        cases=chosen,
        arms=_with_cases([arm for arm in arms if arm], suite, chosen, whole_arms=request.selection.shard is not None),
        cassette=cassette,
        request=request,
    )


async def run_plan(plan: Plan, around: Surroundings) -> list[tuple[Arm, tuple[CaseRun, ...]]]:
    """Every case of every arm, arms one after the other. Recordings are safe on disk when this returns or raises."""
    plan.cassette.open()
    done = 0

    def progress(more: int) -> None:
        nonlocal done
        done += more
        around.progress(done, sum(len(arm.cases) for arm in plan.arms))

    settings = EngineSettings(
        concurrency=plan.suite.run.concurrency,
        trials=plan.suite.run.trials.count,
        scrub=plan.tools.known_secrets,
        progress=progress,
        on_bug=around.on_bug,
    )
    # A replay is charged afterwards, in dataset order, so that concurrency never changes a result.
    budget = None if plan.request.cache == "replay" else plan.suite.run.budget_usd
    try:
        ran = []
        for arm in plan.arms:
            purse = None if budget is None else Budget(budget)
            # What functions of a suite print is for people; stdout belongs to the report.
            with redirect_stdout(sys.stderr):
                ran.append((arm, await run_cases(arm.cases, arm.target, arm.slots, replace(settings, purse=purse))))
        return ran
    finally:
        plan.cassette.close()
        await _close(plan)


async def _close(plan: Plan) -> None:
    """Let go of connections and of what scorers and targets hold."""
    await plan.tools.transport.close()
    for arm in plan.arms:
        for _, part in arm.parts:
            close = getattr(part, "close", None)
            if close is not None:
                await close()


def _arm_names(suite: Suite, request: Request) -> tuple[str, ...]:
    """The targets to run: the matrix, the one that was named, or the only one."""
    available = ", ".join(sorted(suite.targets))
    named = request.matrix or (() if request.target is None else (request.target,))
    for name in named:
        if name not in suite.targets:
            raise UsageError(f"target {quoted(name)} not found; available: {available}")
    if named:
        return named
    if suite.run.matrix is not None:
        return suite.run.matrix
    if len(suite.targets) > 1 and not suite.evals:
        matrix = ", ".join(suite.targets)
        raise UsageError(
            f"multiple targets defined; pass --target <name> (available: {available})",
            hint=f"or run them side by side: `matrix: [{matrix}]` under `run:`",
        )
    return tuple(suite.targets)


def _secrets(suite: Suite, environ: Mapping[str, str]) -> list[str]:
    """What the suite's key variables hold, and what the config itself gives away; it must not be seen anywhere."""
    names: set[str] = set()
    stated: list[str] = []
    for block in (*suite.targets.values(), *suite.scorers):
        names.update(_variables(block.settings))
        stated += getattr(block.settings, "secrets", tuple)()
    return [*(environ[name] for name in sorted(names) if environ.get(name)), *stated]


def _variables(settings: object) -> Sequence[str]:
    single = getattr(settings, "api_key_env", None)
    return [*([single] if single else []), *(getattr(settings, "pass_env", None) or ())]


def _with_cases(arms: Sequence[Arm], suite: Suite, chosen: tuple[Case, ...], *, whole_arms: bool) -> tuple[Arm, ...]:
    """Each arm with its cases: all that were chosen, or in a suite in Python those of its eval, if it has any left."""
    if not suite.evals:
        return tuple(replace(arm, cases=chosen) for arm in arms)
    taken = set(map(id, chosen))
    own = [replace(arm, cases=tuple(case for case in suite.evals[arm.name].cases if id(case) in taken)) for arm in arms]
    # Every shard has every arm, so that their reports have one form.
    return tuple(arm for arm in own if arm.cases or whole_arms) or tuple(own)


def _arm(name: str, suite: Suite, tools: Tools, problems: list[Problem]) -> Arm | None:
    """One target and its scorers, or None with the problems of all of them noted."""
    before = len(problems)
    chosen = suite.targets[name]
    target = _build(chosen, tools, problems)
    scorers = [(block, _build(block, tools, problems)) for block in suite.scorers_of(name)]
    if len(problems) > before:
        return None
    slots = tuple(Slot.of(block.name, block.type, scorer) for block, scorer in scorers)
    if chosen.type in TARGETS and TARGETS[chosen.type].own_score:
        slots = (Slot.of(chosen.type, chosen.type, target.own_scorer), *slots)
    return Arm(name=name, target=target, slots=slots)


def _build(block: Block, tools: Tools, problems: list[Problem]):  # type: ignore[no-untyped-def]
    """The working part that settings describe; settings that need nothing are their own."""
    build = getattr(block.settings, "build", None)
    if build is None:
        return block.settings
    try:
        return build(replace(tools, name=block.name))
    except (Fault, Faults) as exc:
        problems.extend(place_faults(block.file, block.node, exc))
        return None


def _dataset(suite: Suite, names: Sequence[str], tools: Tools, problems: list[Problem]) -> Dataset | None:
    if suite.evals:
        cases = tuple(case for name in names for case in suite.evals[name].cases)
        return Dataset(cases=cases, digest=digest(suite.plain["cases"]))
    try:
        return read_datasets([dataset.file for dataset in suite.datasets], tools)
    except InputError as exc:
        problems.extend(exc.problems)
        return None
