"""Shards' reports into the one report that an unsharded run would have written; what does not fit is refused by name.

Shards leave out what only the whole can say, so the config, the dataset and the baseline are read again, and everything
over all cases is made anew: the budget, the summary, the difference to the baseline, the gates, the verdict.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evalci.assemble import DROP_ACCEPTED_BY, Asked, assemble
from evalci.errors import ReportError, UsageError
from evalci.model import CaseResult, ChangedRecording, Recordings, Report, Shard
from evalci.pipeline import Arm, Plan, Request, Surroundings, load_suite, prepare
from evalci.reporters.json_reader import read_report
from evalci.selection import Selection, shard_of
from evalci.wording import count_of, quoted


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """One shard's report, and how messages name it: by its file."""

    name: str
    report: Report

    @property
    def shard(self) -> Shard:
        shard = self.report.suite.shard
        if shard is None:
            raise ReportError(
                f"{quoted(self.name)} is the report of a whole run, not of a shard",
                hint="merge the reports of `evalci run --shard I/N --json PATH`",
            )
        return shard

    @property
    def arms(self) -> tuple[Report, ...]:
        return self.report.arms or (self.report,)


def read_parts(places: Iterable[Path], name: str = "*.json") -> list[Part]:
    """The reports in these files, and in folders every file of this name, however deep."""
    files = [file for place in places for file in _files(place, name)]
    return [Part(name=str(file), report=_read(file)) for file in files]


def _files(place: Path, name: str) -> list[Path]:
    if not place.is_dir():
        return [place]
    files = sorted(place.rglob(name))
    if not files:
        raise UsageError(f"there is no report in {quoted(str(place))}")
    return files


def _read(file: Path) -> Report:
    try:
        return read_report(file.read_bytes())
    except OSError as exc:
        raise UsageError(f"cannot read {quoted(str(file))}: {exc.strerror or exc}") from exc
    except ReportError as exc:
        raise ReportError(f"{file}: {exc.message}", hint=exc.hint) from exc


def merge(parts: Sequence[Part], config: Path, asked: Asked, around: Surroundings) -> tuple[Plan, Report]:
    """The whole report, and the plan behind it.

    Raises `ReportError` when the parts are not all shards of one run of this suite.
    """
    ordered = _ordered(parts)
    for part in ordered[1:]:
        _check_same_run(ordered[0], part)
    plan = _plan(ordered[0], config, around)
    _check_suite(ordered[0], plan)
    results = [(arm, _results_of(place, arm, ordered, plan)) for place, arm in enumerate(plan.arms)]
    whole = assemble(plan, asked, ordered[0].report.suite.digests, results)
    return plan, replace(
        whole,
        recordings=_recordings([part.report.recordings for part in ordered]),
        changed_recordings=_changed(part.report for part in ordered),
        notes=tuple(dict.fromkeys((*_shard_notes(ordered), *whole.notes))),
    )


def _ordered(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts by their number, when each number is there once."""
    if not parts:
        raise ReportError("there is no shard to merge", hint="name the reports of all shards")
    count = parts[0].shard.count
    found: dict[int, Part] = {}
    for part in parts:
        if part.shard.count != count:
            first = f"{quoted(parts[0].name)} is shard {parts[0].shard}"
            raise ReportError(f"the shards do not belong together: {first}, {quoted(part.name)} is {part.shard}")
        other = found.setdefault(part.shard.index, part)
        if other is not part:
            raise ReportError(f"shard {part.shard} is there twice: {quoted(other.name)} and {quoted(part.name)}")
    missing = [f"{index}/{count}" for index in range(1, count + 1) if index not in found]
    if missing:
        named = ", ".join(missing[:10]) + (f" and {len(missing) - 10} more" if len(missing) > 10 else "")
        raise ReportError(
            f"{count_of(len(missing), 'shard')} missing: {named}",
            hint="a shard that crashed left no report; run it again, nothing is merged without it",
        )
    return tuple(found[index] for index in sorted(found))


def _check_same_run(first: Part, other: Part) -> None:
    """Refuses shards of different suites, targets, modes, or of the same suite made from something else."""
    one, two = _facts(first.report), _facts(other.report)
    for what, value in one.items():
        if two[what] != value:
            differ = f"{_told(two[what])}, not {_told(value)}"
            raise ReportError(
                f"{quoted(other.name)} has another {what} than {quoted(first.name)}: {differ}",
                hint="all shards must run the same commit with the same recordings",
            )


def _facts(report: Report) -> dict[str, Any]:
    """What must be the same in all shards, by the word for it."""
    suite = report.suite
    return {
        "suite": suite.config,
        "target": suite.target,
        "cache mode": suite.cache,
        "filter": suite.filter,
        "config": suite.digests.config,
        "dataset": suite.digests.cases,
        "cassette": suite.digests.cassette,
        "scorers": suite.digests.scorers,
    }


def _told(value: str | None) -> str:
    return "none" if value is None else quoted(value if len(value) != 64 else value[:12])


def _plan(first: Part, config: Path, around: Surroundings) -> Plan:
    """The suite as the shards ran it, but whole. Nothing of it is run."""
    suite, report = load_suite(config), first.report
    filters = () if report.suite.filter is None else tuple(report.suite.filter.split(", "))
    names = tuple(arm.suite.target for arm in first.arms)
    known = not suite.evals and all(name in suite.targets for name in names)
    request = Request(
        config=config,
        target=names[0] if known and not report.arms else None,
        matrix=names if known and report.arms else None,
        selection=Selection(filters=filters),
    )
    plan = prepare(request, around, suite)
    return replace(plan, request=replace(request, cache=report.suite.cache))  # type: ignore[arg-type]


def _check_suite(first: Part, plan: Plan) -> None:
    """Refuses shards that were not run from this config and these datasets."""
    mine = {
        "suite": plan.config_name,
        "config": plan.digests.config,
        "dataset": plan.digests.cases,
        "scorers": plan.digests.scorers,
    }
    facts = _facts(first.report)
    for what, value in mine.items():
        if facts[what] != value:
            raise ReportError(
                f"the shards were run from another {what} than {quoted(plan.suite.file)} has: "
                f"{_told(facts[what])}, not {_told(value)}",
                hint="merge in a checkout of the commit that the shards ran",
            )


def _results_of(place: int, arm: Arm, parts: Sequence[Part], plan: Plan) -> tuple[CaseResult, ...]:
    """One arm's results in dataset order, each with its case as the dataset has it."""
    found: dict[str, tuple[Part, CaseResult]] = {}
    for part in parts:
        if len(part.arms) != len(plan.arms) or part.arms[place].suite.target != arm.name:
            raise ReportError(f"{quoted(part.name)} lacks the results of target {quoted(arm.name)}")
        for result in part.arms[place].results:
            _check_place(part, result)
            other, _ = found.setdefault(result.id, (part, result))
            if other is not part or found[result.id][1] is not result:
                raise ReportError(f"case {quoted(result.id)} is in {quoted(other.name)} and in {quoted(part.name)}")
    asked = {case.id for case in arm.cases}
    for case_id, (part, _) in found.items():
        if case_id not in asked:
            raise ReportError(f"{quoted(part.name)} holds case {quoted(case_id)}, which is no case of the suite")
    missing = [quoted(case.id) for case in arm.cases if case.id not in found]
    if missing:
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        raise ReportError(f"the shards lack {count_of(len(missing), 'case')}: {', '.join(missing[:5])}{more}")
    return tuple(replace(found[case.id][1], case=case) for case in arm.cases)


def _check_place(part: Part, result: CaseResult) -> None:
    belongs = shard_of(result.id, part.shard.count)
    if belongs != part.shard.index:
        raise ReportError(
            f"{quoted(part.name)} is shard {part.shard} and holds case {quoted(result.id)}, which belongs to "
            f"shard {belongs}/{part.shard.count}"
        )


def _recordings(all_counts: Sequence[Recordings | None]) -> Recordings | None:
    """How the cassette was used by all shards: what two of them used, missed or redacted counts once."""
    counts = [each for each in all_counts if each is not None]
    if not counts:
        return None
    used = {key for each in counts for key in each.used_keys or ()}
    # All shards loaded the same recordings: what one of them used, and what it did not.
    loaded = counts[0].stale + len(counts[0].used_keys or ()) - counts[0].recorded
    whole = Recordings(
        hits=sum(each.hits for each in counts),
        misses=len({key for each in counts for key in each.missed_keys}),
        recorded=sum(each.recorded for each in counts),
        stale=max(loaded - len(used), 0),
        redacted=len({key for each in counts for key in each.redacted_keys}),
    )
    return None if whole == Recordings() else whole


def _changed(reports: Iterable[Report]) -> tuple[ChangedRecording, ...]:
    by_key: Mapping[str, ChangedRecording] = {one.key: one for report in reports for one in report.changed_recordings}
    return tuple(by_key[key] for key in sorted(by_key))


def _shard_notes(parts: Sequence[Part]) -> Iterator[str]:
    """What the shards remarked; who accepts a drop is asked of the whole."""
    for part in parts:
        yield from (note for note in part.report.notes if not note.startswith(DROP_ACCEPTED_BY))
