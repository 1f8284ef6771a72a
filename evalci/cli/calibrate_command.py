"""`evalci calibrate`: how far a judge agrees with human labels."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalci.assemble import Asked, run_suite
from evalci.cli.console import Console, Parser
from evalci.cli.loop import run_async
from evalci.cli.run_command import CACHE_MODES, DEFAULT_CONFIG
from evalci.datasets.labels import Label, read_labels
from evalci.errors import EXIT_FAILED, EXIT_PASSED, UsageError
from evalci.gates.calibration import labelled
from evalci.model import CaseResult
from evalci.pipeline import Arm, Plan, Request, Surroundings, prepare
from evalci.reporters.sanitise import sanitise
from evalci.summary.agreement import Agreement, Labelled, agreement, best_threshold, parted
from evalci.wording import count_of, plain_number, quoted

JUDGES = ("judge", "factuality")
MOST_SHOWN = 50


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """The labelled answers of a run, and where the scorer draws its line; None when it draws none."""

    scorer: str
    answers: tuple[Labelled, ...]
    threshold: float | None


def main(words: list[str], console: Console) -> int:
    """Print the table; 1 when no labelled answer was measured."""
    parser = Parser("calibrate", "Measure how far a scorer's verdicts agree with people's labels.")
    parser.add_argument("config", nargs="?", default=DEFAULT_CONFIG, help="the suite (default: evals.yaml)")
    parser.add_argument("--labels", metavar="PATH", required=True, help='JSONL: {"case_id": …, "passed": true}')
    parser.add_argument("--scorer", metavar="NAME", help="which scorer (default: the suite's only judge)")
    parser.add_argument("--target", metavar="NAME", help="which target, when the suite has several")
    parser.add_argument("--threshold", type=float, metavar="X", help="the value that passes, in place of the suite's")
    parser.add_argument("--cache", default="replay", choices=CACHE_MODES, help="where answers come from")
    parser.add_argument("--allow-outside", action="store_true", help="let data files lie outside the project")
    arguments = parser.read(words, console)
    if arguments is None:
        return EXIT_PASSED
    labels = _labels(arguments.labels)
    request = Request(
        config=Path(arguments.config),
        cache=arguments.cache,
        target=arguments.target,
        allow_outside=arguments.allow_outside,
    )
    around = Surroundings(environ=console.environ, on_bug=console.bug)
    plan = prepare(request, around)
    if len(plan.arms) > 1:
        names = ", ".join(arm.name for arm in plan.arms)
        raise UsageError("labels are about the answers of one target", hint=f"choose with --target: {names}")
    _check_cases(labels, plan)
    place = _place(plan, arguments.scorer)
    results = run_async(run_suite(plan, around, Asked())).results
    measured = _measured(plan.arms[0], place, results, labels, arguments.threshold)
    console.write("".join(f"{line}\n" for line in lines(measured)))
    return EXIT_PASSED if any(answer.value is not None for answer in measured.answers) else EXIT_FAILED


def lines(measured: Measured) -> Iterator[str]:
    """The page: the table, how far both agree, the best threshold, and where they part."""
    known = [answer for answer in measured.answers if answer.value is not None]
    name = quoted(sanitise(measured.scorer))
    yield f"scorer {name} against {count_of(len(measured.answers), 'human label')}"
    stale = sum(answer.is_stale for answer in measured.answers)
    if stale:
        yield f"about another answer than this run's, and left out: {stale}"
    if len(known) + stale < len(measured.answers):
        yield f"not measured, and left out: {len(measured.answers) - len(known) - stale}"
    best = best_threshold(known)
    if best is None:
        yield "nothing was measured, so there is nothing to compare"
        return
    threshold = measured.threshold
    if threshold is None:
        yield "the scorer gives no verdict; the table is that of the best threshold"
        threshold = best.threshold
    table = agreement(known, threshold)
    yield ""
    yield f"at threshold {plain_number(threshold)}"
    yield from _table(table)
    yield from _figures(table)
    yield ""
    yield f"best threshold {plain_number(best.threshold)}: {_brief(best.agreement)}"
    yield from _parted(parted(known, threshold))


def _table(table: Agreement) -> Iterator[str]:
    rows = (
        ("", "people: passed", "people: failed"),
        ("scorer: passed", str(table.both), str(table.scorer_only)),
        ("scorer: failed", str(table.people_only), str(table.neither)),
    )
    for first, second, third in rows:
        yield f"  {first:<14}  {second:>14}  {third:>14}"


def _figures(table: Agreement) -> Iterator[str]:
    low, high = table.interval() or (0.0, 1.0)
    yield f"accuracy      {table.accuracy or 0.0:.4f}  (95% Wilson interval {low:.4f} to {high:.4f})"
    yield f"Cohen's kappa {_kappa(table)}"


def _brief(table: Agreement) -> str:
    return f"accuracy {table.accuracy or 0.0:.4f}, kappa {_kappa(table)}"


def _kappa(table: Agreement) -> str:
    kappa = table.kappa
    return "cannot be told: both say the same of every answer" if kappa is None else f"{kappa:.4f}"


def _parted(answers: Sequence[Labelled]) -> Iterator[str]:
    yield ""
    if not answers:
        yield "they part on no case"
        return
    yield f"they part on {count_of(len(answers), 'case')}"
    for answer in answers[:MOST_SHOWN]:
        said = "passed" if answer.human else "failed"
        value = plain_number(round(answer.value or 0.0, 4))
        yield f"  {sanitise(answer.case_id)}: people {said} it, the scorer gave {value}"
    if len(answers) > MOST_SHOWN:
        yield f"  and {len(answers) - MOST_SHOWN} more"


def _labels(path: str) -> dict[str, Label]:
    try:
        data = Path(path).read_bytes()
    except OSError as exc:
        raise UsageError(f"cannot read the labels {quoted(path)}: {exc.strerror or exc}") from exc
    return read_labels(data, path)


def _check_cases(labels: dict[str, Label], plan: Plan) -> None:
    """A label that names no case is a mistake in one of the two files."""
    known = {case.id for case in plan.arms[0].cases}
    unknown = [case_id for case_id in labels if case_id not in known]
    if unknown:
        shown = ", ".join(map(quoted, unknown[:5]))
        raise UsageError(f"{count_of(len(unknown), 'label')} of no case in the suite: {shown}")


def _place(plan: Plan, wanted: str | None) -> int:
    """Which of the scorers is meant: the one of that name or type, or the only judge."""
    slots = plan.arms[0].slots
    found = [
        place
        for place, slot in enumerate(slots)
        if (wanted in (slot.name, slot.type) if wanted is not None else slot.type in JUDGES)
    ]
    if len(found) == 1:
        return found[0]
    names = ", ".join(slot.name for slot in slots)
    what = f"scorer {quoted(wanted)}" if wanted is not None else "judge"
    many = "no" if not found else "more than one"
    raise UsageError(f"the suite has {many} {what}", hint=f"choose with --scorer: {names}")


def _measured(
    arm: Arm, place: int, results: Sequence[CaseResult], labels: dict[str, Label], threshold: float | None
) -> Measured:
    scorer: Any = arm.slots[place].scorer
    return Measured(
        scorer=arm.slots[place].name,
        answers=tuple(labelled(results, place, labels)),
        threshold=getattr(scorer, "passing", getattr(scorer, "threshold", None)) if threshold is None else threshold,
    )
