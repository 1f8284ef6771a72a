"""What a run would call: which answers are recorded, and tokens and dollars of the rest. Calls nobody, starts nothing.

The suite's own targets and scorers make their calls against the recordings, and each is noted. Where an answer is not
there, scorers are asked about an empty one: so many calls they make, though what is in them is not known yet.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import ceil
from typing import Any, Final, Literal, NamedTuple

from evalci.calls import Call, Caller, CallError, Reply
from evalci.config.suite import Block
from evalci.engine import Slot
from evalci.model import Case, Output, TargetError, Tokens
from evalci.pipeline import Arm, Plan
from evalci.scorers import SCORERS, ScorerError
from evalci.summary.numbers import mean, total
from evalci.targets import TARGETS
from evalci.wording import quoted

CHARACTERS_PER_TOKEN: Final = 4  # the usual rule of thumb, where nothing of a model is recorded
Certainty = Literal["about", "up to", "at least"]


class Seen(NamedTuple):
    """A call that a part would make. `reply` is None when none is recorded; `whole` tells that its text is known."""

    key: str
    characters: int
    is_answered_in_text: bool
    reply: Reply | None
    whole: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """Tokens and dollars of the calls to make; None is unknown, never zero. `certainty` is how to read the dollars."""

    input_tokens: int
    output_tokens: int | None
    cost_usd: float | None
    certainty: Certainty


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedCalls:
    """What a target or scorer would call. `waiting` of the calls `to_make` are about answers that are not there yet."""

    who: str
    model: str
    calls: int
    recorded: int
    to_make: int
    waiting: int
    estimate: Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedStarts:
    """A program that would be started so often at most; what it calls itself is not known."""

    who: str
    type: str
    starts: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Expected:
    """All that a run would call and start, part by part, in the order of the suite."""

    calls: tuple[PlannedCalls, ...]
    starts: tuple[PlannedStarts, ...]

    @property
    def to_make(self) -> int:
        """How many calls there are to make."""
        return sum(part.to_make for part in self.calls)

    @property
    def cost_usd(self) -> float | None:
        """Dollars as far as prices are known; None when no price is."""
        return total(part.estimate.cost_usd for part in self.calls if part.to_make)

    @property
    def certainty(self) -> Certainty:
        """How the dollars are to be read: a price that is not known makes them the least."""
        parts = [part.estimate for part in self.calls if part.to_make]
        words = {"at least" if part.cost_usd is None else part.certainty for part in parts}
        order: tuple[Certainty, ...] = ("at least", "up to", "about")
        return next((word for word in order if word in words), "about")


class Watcher:
    """Stands before the recordings and notes each call; one that is not recorded gets an empty answer."""

    def __init__(self) -> None:
        self._seen: list[Seen] = []
        self._whole = True

    def watch(self, replay: Caller) -> Caller:
        """A caller that never fails."""

        async def call(call: Call) -> Reply:
            try:
                reply = await replay(call)
            except CallError:
                reply = None
            characters = len(call.input) + len(call.endpoint.identity.get("system") or "")
            in_text = call.endpoint.kind != "embeddings"
            self._seen.append(Seen(call.key, characters, in_text, reply, self._whole or reply is not None))
            return Reply() if reply is None else reply

        return call

    def since(self, *, whole: bool) -> list[Seen]:
        """Calls noted since the last time this was asked; `whole` is about those to come."""
        found, self._seen, self._whole = self._seen, [], whole
        return found


async def plan_calls(plan: Plan, watcher: Watcher, *, everything: bool) -> Expected:
    """What a run of this replay plan would call, `everything` or what is not recorded. The plan's calls are watched."""
    calls: list[PlannedCalls] = []
    starts: list[PlannedStarts] = []
    plan.cassette.open()
    try:
        for arm in plan.arms:
            blocks = {block.name: block for block in plan.suite.scorers_of(arm.name)}
            noted = await _walk(plan, arm, watcher)
            several = len(plan.arms) > 1
            for name, seen in noted.items():
                block = plan.suite.targets[arm.name] if name is None else blocks[name]
                calls.append(_planned(_who(arm, name, several=several), block, seen, plan, everything=everything))
            starts += _starts(plan, arm, several=several)
    finally:
        plan.cassette.close()
    return Expected(calls=tuple(calls), starts=tuple(starts))


async def _walk(plan: Plan, arm: Arm, watcher: Watcher) -> dict[str | None, list[Seen]]:
    """The calls of an arm's target, under None, and of its scorers by name."""
    target_type = plan.suite.targets[arm.name].type
    judges = [slot for slot in arm.slots if slot.type in SCORERS and SCORERS[slot.type].recorded]
    judges = [slot for slot in judges if not hasattr(slot.scorer, "never_recorded")]
    noted: dict[str | None, list[Seen]] = {None: []} if TARGETS[target_type].recorded else {}
    noted |= {slot.name: [] for slot in judges}
    for case in arm.cases:
        for trial in range(plan.suite.run.trials.count):
            watcher.since(whole=True)
            output = None if _starts_something(target_type) else await _asked(arm, case, trial)
            found = watcher.since(whole=True)
            if None in noted:
                noted[None] += found
            is_there = output is not None and all(each.reply is not None for each in found)
            shown = output if output is not None and is_there else Output(text="", trial=trial)
            for slot in judges:
                watcher.since(whole=is_there)
                await _scored(slot, case, shown)
                noted[slot.name] += watcher.since(whole=True)
    return noted


def _starts_something(target_type: str) -> bool:
    return target_type not in TARGETS or TARGETS[target_type].starts


async def _asked(arm: Arm, case: Case, trial: int) -> Output | None:
    with suppress(TargetError):
        return await arm.target.ask(case, trial)
    return None


async def _scored(slot: Slot, case: Case, output: Output) -> None:
    """What it makes of an answer is not asked for; that it calls is."""
    with suppress(ScorerError, CallError):
        await slot.scorer.score(case, output)


def _planned(who: str, block: Block, seen: Sequence[Seen], plan: Plan, *, everything: bool) -> PlannedCalls:
    once = seen if everything else _distinct(seen)
    to_make = [each for each in once if everything or each.reply is None]
    return PlannedCalls(
        who=who,
        model=plan.tools.scrub(_model(block)),
        calls=len(seen),
        recorded=sum(each.reply is not None for each in seen),
        to_make=len(to_make),
        waiting=sum(not each.whole for each in to_make),
        estimate=_estimate(to_make, [each for each in seen if each.reply is not None], block.settings),
    )


def _distinct(seen: Sequence[Seen]) -> list[Seen]:
    """Without calls that an earlier one will have answered; those whose text is not known may all differ."""
    found: dict[object, Seen] = {}
    for place, each in enumerate(seen):
        found.setdefault(each.key if each.whole else place, each)
    return list(found.values())


def _estimate(to_make: Sequence[Seen], recorded: Sequence[Seen], settings: Any) -> Estimate:
    """By what is recorded of the same part; where nothing is, by the length of what is asked and of what is allowed."""
    known = [(each.characters, each.reply.tokens) for each in recorded if each.reply and each.reply.tokens]
    if known:
        per_character = sum(tokens.input for _, tokens in known) / max(1, sum(characters for characters, _ in known))
        means = [mean(tokens.input for _, tokens in known) or 0.0, mean(tokens.output for _, tokens in known) or 0.0]
        pairs = [_tokens_of(each, per_character, means) for each in to_make]
        return _priced(round(sum(pair[0] for pair in pairs)), round(sum(pair[1] for pair in pairs)), "about", settings)
    entered = sum(ceil(each.characters / CHARACTERS_PER_TOKEN) for each in to_make)
    most = _most_tokens(settings)
    limits = [most if each.is_answered_in_text else 0 for each in to_make]
    given = None if None in limits else sum(limit or 0 for limit in limits)
    if given is None or not all(each.whole for each in to_make):
        return _priced(entered, given, "at least", settings)
    return _priced(entered, given, "up to" if given else "about", settings)


def _tokens_of(each: Seen, per_character: float, means: Sequence[float]) -> tuple[float, float]:
    """Tokens in and out of a call to make: as recorded, or as those that are recorded lead to expect."""
    if each.reply is not None and each.reply.tokens is not None:
        return each.reply.tokens
    return (per_character * each.characters if each.whole else means[0]), means[1]


def _most_tokens(settings: Any) -> int | None:
    """How long an answer can be, where the suite says so."""
    params: Mapping[str, Any] = getattr(settings, "params", None) or {}
    found = (params.get(key) for key in ("max_completion_tokens", "max_tokens"))
    return next((value for value in found if isinstance(value, int) and not isinstance(value, bool)), None)


def _priced(entered: int, given: int | None, certainty: Certainty, settings: Any) -> Estimate:
    rates = getattr(settings, "cost", None)
    cost = None if rates is None else rates.of(Tokens(entered, given or 0))
    return Estimate(input_tokens=entered, output_tokens=given, cost_usd=cost, certainty=certainty)


def _starts(plan: Plan, arm: Arm, *, several: bool) -> Iterator[PlannedStarts]:
    """The programs of an arm: of its target, and of its scorers."""
    times = len(arm.cases) * plan.suite.run.trials.count
    kind = plan.suite.targets[arm.name].type
    if _starts_something(kind):
        yield PlannedStarts(who=_who(arm, None, several=several), type=kind, starts=times)
    for slot in arm.slots:
        starts = slot.type in SCORERS and SCORERS[slot.type].starts
        if starts or hasattr(slot.scorer, "never_recorded"):
            yield PlannedStarts(who=_who(arm, slot.name, several=several), type=slot.type, starts=times)


def _who(arm: Arm, scorer: str | None, *, several: bool) -> str:
    if scorer is None:
        return f"target {quoted(arm.name)}"
    return f"scorer {quoted(scorer)}{f' on {quoted(arm.name)}' if several else ''}"


def _model(block: Block) -> str:
    settings = block.settings
    model, url = getattr(settings, "model", None), getattr(settings, "url", "")
    return f"{model} at {url}" if model else url
