"""The second step: runs the suites. It has no token and needs no network; what it finds out it leaves in files."""

import glob
from dataclasses import dataclass, replace
from pathlib import Path

from evalci.assemble import Accepted, Asked, run_suite
from evalci.baseline.codec import decode, encode
from evalci.baseline.snapshot import baseline_of
from evalci.baseline.store import BaselineStore
from evalci.cassette.store import cassette_files, load, write
from evalci.ci.folder import BASELINE_FILE, REPORT_FILES, Provenance, ReportFolder
from evalci.errors import EXIT_FAILED, EXIT_USAGE, EvalciError
from evalci.merging import merge, read_parts
from evalci.model import Report
from evalci.pipeline import STATE_FOLDER, Plan, Request, Surroundings, prepare
from evalci.reporters import Style, render


@dataclass(frozen=True, kw_only=True, slots=True)
class Evaluation:
    """One suite's run: its report, or in lines what kept it from running."""

    slug: str
    report: Report | None = None
    error: tuple[str, ...] = ()
    error_code: int = EXIT_USAGE

    @property
    def exit_code(self) -> int:
        return self.error_code if self.report is None else self.report.verdict.exit_code


async def evaluate_suite(
    slug: str,
    request: Request,
    label: str,
    folder: ReportFolder,
    around: Surroundings,
    *,
    require_baseline: bool,
    shards: Path | None = None,
) -> Evaluation:
    """Run one suite against what was restored, and leave its reports. A mistake in the suite is a result too.

    With `shards`, a folder of shards' report folders, nothing is run: their reports are judged as one.
    """
    try:
        provenance = folder.provenance(slug)
        asked = _asked(slug, request, label, folder, provenance, require_baseline=require_baseline)
        if shards is None:
            plan = prepare(_with_recordings(request, folder, slug), around)
            earlier = folder.earlier(slug)
            if cassette_files(earlier):
                plan.cassette.compare_with(load(earlier).recordings)
            report = await run_suite(plan, around, asked)
        else:
            parts = read_parts(shards.glob(f"**/{glob.escape(slug)}"), REPORT_FILES["json"])
            plan, report = merge(parts, request.config, asked, around)
            plan = replace(
                plan, request=replace(plan.request, recordings=_with_recordings(request, folder, slug).recordings)
            )
        texts = {file: render(name, report, Style()) for name, file in REPORT_FILES.items()}
    except EvalciError as exc:
        folder.leave_error(slug, exc.lines(), exc.exit_code)
        return Evaluation(slug=slug, error=exc.lines(), error_code=exc.exit_code)
    except Exception as exc:
        around.on_bug(exc)
        told = (f"internal error in EvalCI ({type(exc).__name__})", "  this is a bug of ours, please report it")
        folder.leave_error(slug, told, EXIT_FAILED)
        return Evaluation(slug=slug, error=told, error_code=EXIT_FAILED)
    if report.verdict.passed and provenance is not None and provenance.keeps_state and not request.selection.is_partial:
        _keep_state(plan, report, slug, folder)
    folder.leave_reports(slug, texts)
    return Evaluation(slug=slug, report=report)


def _with_recordings(request: Request, folder: ReportFolder, slug: str) -> Request:
    """The request, replaying what was restored where nothing is committed."""
    restored = folder.restored(slug)
    if cassette_files(restored) and not cassette_files(request.config.absolute().parent / STATE_FOLDER):
        return replace(request, recordings=restored)
    return request


def _asked(
    slug: str, request: Request, label: str, folder: ReportFolder, found: Provenance | None, *, require_baseline: bool
) -> Asked:
    """What the run is held against: the committed state, else the restored one, or why there is none."""
    committed = BaselineStore.beside(request.config.absolute())
    accepted_by = None if found is None else found.accepted_by
    if committed.file(label).is_file():
        accepted = Accepted(label=label, source=committed.source(label), baseline=committed.load(label))
    elif found is None:
        return Asked(no_baseline="`evalci ci restore` did not run", require_baseline=require_baseline)
    else:
        file = folder.restored(slug) / BASELINE_FILE
        if not file.is_file():
            return Asked(no_baseline=found.baseline.detail, require_baseline=require_baseline)
        baseline = decode(file.read_bytes(), name=f"restored/{slug}/{BASELINE_FILE}")
        accepted = Accepted(label=label, source=found.baseline.detail, baseline=baseline)
    return Asked(accepted=accepted, require_baseline=require_baseline, drop_accepted_by=accepted_by)


def _keep_state(plan: Plan, report: Report, slug: str, folder: ReportFolder) -> None:
    """What a green run of the default branch uploads: the state to compare with, and the recordings to replay."""
    state = folder.state(slug)
    state.mkdir(parents=True, exist_ok=True)
    (state / BASELINE_FILE).write_bytes(encode(baseline_of(report)))
    recordings = load(plan.request.recordings or plan.suite.folder / STATE_FOLDER).recordings
    if recordings:
        write(state, recordings)
