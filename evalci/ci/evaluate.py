"""The second step: runs the suites. It has no token and needs no network; what it finds out it leaves in files."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from evalci.assemble import Accepted, Asked, run_suite
from evalci.baseline.codec import decode, encode
from evalci.baseline.snapshot import baseline_of
from evalci.cassette.store import load, write
from evalci.ci.folder import REPORT_FILE, ReportFolder
from evalci.errors import EXIT_FAILED, EXIT_INCOMPLETE, EXIT_PASSED, EXIT_USAGE, EvalciError
from evalci.model import Report
from evalci.pipeline import STATE_FOLDER, Plan, Request, Surroundings, prepare
from evalci.reporters import REPORTERS, Style, render

FILES: Final = {"json": REPORT_FILE, "junit": "junit.xml", "markdown": "report.md", "html": "report.html"}
# What ends a job, worst first: nothing was run, evidence is missing, the verdict did not pass.
_WORST_FIRST: Final = (EXIT_USAGE, EXIT_INCOMPLETE, EXIT_FAILED, EXIT_PASSED)


@dataclass(frozen=True, kw_only=True, slots=True)
class Evaluation:
    """One suite's run: its report, or the mistake that kept it from running."""

    slug: str
    report: Report | None = None
    error: EvalciError | None = None

    @property
    def exit_code(self) -> int:
        if self.report is None:
            return self.error.exit_code if self.error else EXIT_FAILED
        return self.report.verdict.exit_code


def worst(codes: list[int]) -> int:
    """The exit code of several suites together; of none, that of a usage error."""
    return next((code for code in _WORST_FIRST if code in codes), max(codes, default=EXIT_USAGE))


async def evaluate_suite(
    slug: str, request: Request, label: str, folder: ReportFolder, around: Surroundings, *, require_baseline: bool
) -> Evaluation:
    """Run one suite against what was restored, and leave its reports. A mistake in the suite is a result too."""
    out = folder.reports(slug)
    out.mkdir(parents=True, exist_ok=True)
    try:
        plan = prepare(_with_recordings(request, folder, slug), around)
        report = await run_suite(plan, around, _asked(slug, label, folder, require_baseline=require_baseline))
    except EvalciError as exc:
        _write(out / "error.json", json.dumps({"exit_code": exc.exit_code, "lines": exc.lines()}, indent=2) + "\n")
        return Evaluation(slug=slug, error=exc)
    for name, file in FILES.items():
        if name in REPORTERS:
            _write(out / file, render(name, report, Style()))
    if report.verdict.passed and not plan.request.selection.is_partial:
        _keep_state(plan, report, folder.state(slug))
    return Evaluation(slug=slug, report=report)


def _with_recordings(request: Request, folder: ReportFolder, slug: str) -> Request:
    """The request, replaying what was restored where nothing is committed."""
    restored = folder.restored(slug)
    committed = request.config.absolute().parent / STATE_FOLDER
    if (restored / "cassette.jsonl").is_file() and not (committed / "cassette.jsonl").is_file():
        return replace(request, recordings=restored)
    return request


def _asked(slug: str, label: str, folder: ReportFolder, *, require_baseline: bool) -> Asked:
    """What the run is held against: the restored state, with where it came from, or why there is none."""
    provenance = folder.provenance(slug)
    file = folder.restored(slug) / "baseline.json"
    if provenance is None:
        return Asked(no_baseline="`evalci ci restore` did not run", require_baseline=require_baseline)
    if not file.is_file():
        return Asked(no_baseline=provenance.baseline.detail, require_baseline=require_baseline)
    baseline = decode(file.read_bytes(), name=f"restored/{slug}/baseline.json")
    accepted = Accepted(label=label, source=provenance.baseline.detail, baseline=baseline)
    return Asked(accepted=accepted, require_baseline=require_baseline, drop_accepted_by=provenance.accepted_by)


def _keep_state(plan: Plan, report: Report, state: Path) -> None:
    """What a green run of the default branch uploads: the state to compare with, and the recordings to replay."""
    state.mkdir(parents=True, exist_ok=True)
    (state / "baseline.json").write_bytes(encode(baseline_of(report)))
    recordings = load(plan.request.recordings or plan.suite.folder / STATE_FOLDER).recordings
    if recordings:
        write(state, recordings)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="")
