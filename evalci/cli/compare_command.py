"""`evalci compare A B`: two saved reports or baselines side by side; it lays out, it does not judge."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from evalci.baseline.codec import SCHEMA as BASELINE_SCHEMA
from evalci.baseline.codec import decode
from evalci.baseline.side_by_side import SideBySide, Standing, accepted_standing, lay_side_by_side, standing_of
from evalci.cli.console import Console, Parser
from evalci.errors import EXIT_PASSED, EXIT_USAGE, ReportError, UsageError
from evalci.reporters.json_reader import read_report
from evalci.reporters.sanitise import sanitise
from evalci.wording import count_of, quoted

# Case ids of a matrix carry their arm, so that equal ids of two arms stay two cases.
Standings = Mapping[str, Standing]


def main(words: list[str], console: Console) -> int:
    """Print what differs. Exit code 2 when the two have no case in common."""
    parser = Parser("compare", "Two saved reports or baselines side by side. It says what differs, not what to think.")
    parser.add_argument("before", help="a report (--json) or a baseline file")
    parser.add_argument("after", help="the same, of the other run")
    arguments = parser.read(words, console)
    if arguments is None:
        return EXIT_PASSED
    before, after = _read(Path(arguments.before)), _read(Path(arguments.after))
    found = lay_side_by_side(before, after)
    for line in _lines(found, before, after):
        console.write(sanitise(line) + "\n")
    if not found.common:
        console.error("the two have no case in common, so nothing can be compared")
        return EXIT_USAGE
    return EXIT_PASSED


def _read(path: Path) -> Standings:
    try:
        data = path.read_bytes()
    except OSError as exc:
        raise UsageError(f"cannot read {quoted(str(path))}: {exc.strerror or exc}") from exc
    if _schema(data) == BASELINE_SCHEMA:
        arms = decode(data, name=str(path)).arms
        cases = {name: {case.case_id: accepted_standing(case) for case in arm} for name, arm in arms.items()}
    else:
        try:
            report = read_report(data)
        except ReportError as exc:
            raise ReportError(f"{path}: {exc.message}", hint=exc.hint) from exc
        each = report.arms or (report,)
        cases = {arm.suite.target: {result.id: standing_of(result) for result in arm.results} for arm in each}
    if len(cases) == 1:
        return next(iter(cases.values()))
    return {f"{arm}: {case_id}": standing for arm, found in cases.items() for case_id, standing in found.items()}


def _schema(data: bytes) -> str | None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    schema = value.get("schema") if isinstance(value, dict) else None
    return schema if isinstance(schema, str) else None


def _lines(found: SideBySide, before: Standings, after: Standings) -> Iterator[str]:
    for case_id, was, now in found.measurement_changes:
        yield f"MEASURED {case_id}: {was} -> {now}"
    for case_id, old, new in found.flips:
        yield f"FLIPPED  {case_id}: {_verdict(old)} -> {_verdict(new)}"
    for case_id, delta in found.moves:
        yield f"MOVED    {case_id}: {before[case_id].value:.2f} -> {after[case_id].value:.2f} ({delta:+.2f})"
    for case_id in found.amended:
        yield f"AMENDED  {case_id}: the case itself was edited between the two"
    for word, ids in (("BEFORE  ", found.only_before), ("AFTER   ", found.only_after)):
        for case_id in ids:
            yield f"{word} {case_id}: only there"
    if found.nothing_differs:
        yield "nothing differs"
    mean = "no mean in common" if found.mean_delta is None else f"mean score {found.mean_delta:+.4f}"
    yield f"{count_of(found.common, 'case')} in both, {mean}; no significance testing is done here"


def _verdict(passed: bool) -> str:
    return "passed" if passed else "failed"
