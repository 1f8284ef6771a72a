"""Runs an evidence suite: one call after the other, each on its own, everything kept."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from evalci.adapters.archive import Archive
from evalci.adapters.call import ArchiveCopy, Called, call_adapter
from evalci.adapters.envelopes import executor_request
from evalci.errors import EXIT_INCOMPLETE, EvalciError
from evalci.evidence.answers import JudgedAnswer
from evalci.evidence.assertions import Assertion
from evalci.evidence.attempts import Attempt, plan_attempts
from evalci.evidence.calibration import ANSWERS, Calibrated, calibration_record
from evalci.evidence.folder import EvidenceFolder, as_bytes
from evalci.evidence.manifest import CATALOG, REPORT, archive_place, evidence_manifest
from evalci.evidence.records import (
    Execution,
    Ledger,
    Setting,
    attempt_record,
    deterministic_grade,
    execution_of,
    judge_grade,
    judge_request_of,
    prompt_of,
    sha256,
    ungraded,
)
from evalci.evidence.report import render
from evalci.evidence.suite import EvidencePlan

Progress = Callable[[str, int, int], None]


class SpoiledEvidence(EvalciError):
    """Somebody changed the evidence while it was being collected, so that it proves nothing."""

    exit_code: ClassVar[int] = EXIT_INCOMPLETE


@dataclass(frozen=True, kw_only=True, slots=True)
class EvidenceRun:
    """A finished run: its manifest, the manifest's digest, and the page about it."""

    manifest: Mapping[str, Any]
    digest: str
    page: str


@dataclass(kw_only=True, slots=True)
class _Runner:
    plan: EvidencePlan
    folder: EvidenceFolder
    environ: Mapping[str, str]
    setting: Setting
    ledger: Ledger = field(default_factory=Ledger)

    async def calibrate(self, answer: JudgedAnswer) -> dict[str, Any]:
        """The judge's word on an answer that people judged, asked for as it is in any attempt."""
        hashes: dict[str, str] = {}
        called = await call_adapter(self.plan.models.judge, answer.request(), self.environ)
        self._keep(answer.place, called, hashes)
        record = calibration_record(answer, called, self.ledger, hashes)
        self.folder.keep(f"{answer.place}.record.json", as_bytes(record))
        return record

    async def attempt(self, attempt: Attempt) -> dict[str, Any]:
        """One execution with all its grades, kept as files and as a record."""
        hashes: dict[str, str] = {}
        execution = await self._execute(attempt, hashes)
        grades = [
            await self._grade(attempt, execution, number, assertion, hashes)
            for number, assertion in enumerate(attempt.question.assertions, start=1)
        ]
        record = attempt_record(attempt, execution, grades, hashes)
        self.folder.keep(f"{attempt.folder}/record.json", as_bytes(record))
        return record

    async def _execute(self, attempt: Attempt, hashes: dict[str, str]) -> Execution:
        if attempt.condition == "control":
            called = await self._call_executor(attempt, None)
        else:
            with ArchiveCopy(self._evidence_copy()) as path:
                called = await self._call_executor(attempt, path)
        self._keep(f"{attempt.folder}/executor", called, hashes)
        return execution_of(called, attempt, self.setting, self.ledger)

    async def _call_executor(self, attempt: Attempt, archive: str | None) -> Called:
        request = executor_request(
            condition=attempt.condition, mode=self.setting.mode, prompt=prompt_of(attempt), plugin_archive=archive
        )
        return await call_adapter(self.plan.models.executor, request, self.environ)

    async def _grade(
        self, attempt: Attempt, execution: Execution, number: int, assertion: Assertion, hashes: dict[str, str]
    ) -> dict[str, Any]:
        if execution.answer is None:
            return ungraded(assertion)
        if not assertion.is_semantic:
            return deterministic_grade(assertion, execution.text)
        request = judge_request_of(attempt, assertion, execution.text or "")
        called = await call_adapter(self.plan.models.judge, request, self.environ)
        place = judge_place(attempt, number)
        self._keep(place, called, hashes)
        return judge_grade(called, attempt, assertion, request, place, self.ledger)

    def _evidence_copy(self) -> Archive:
        """The archive as it lies in the evidence folder, which is what is evaluated."""
        archive = self.plan.archive
        data = _bytes_of(self.folder.place / archive_place(archive.name))
        if data is None or sha256(data) != archive.sha256:
            raise SpoiledEvidence(f"the evidence copy of {archive.name} was changed while the run was going on")
        return replace(archive, data=data)

    def _keep(self, place: str, called: Called, hashes: dict[str, str]) -> None:
        for ending, data in (("stdout", called.stdout), ("stderr", called.stderr.encode("utf-8", "replace"))):
            hashes[f"{place}.{ending}"] = self.folder.keep(f"{place}.{ending}", data)


async def run_evidence(
    plan: EvidencePlan,
    place: Path,
    *,
    runs: int,
    seed: int,
    environ: Mapping[str, str],
    progress: Progress = lambda what, done, total: None,
) -> EvidenceRun:
    """From a checked plan to a folder that a stranger can check."""
    folder = EvidenceFolder(place)
    folder.keep(CATALOG, plan.catalog)
    folder.keep(archive_place(plan.archive.name), plan.archive.data)
    attempts = plan_attempts(plan.questions, plan.mode, runs, seed)
    setting = Setting(mode=plan.mode, archive_sha256=plan.archive.sha256)
    runner = _Runner(plan=plan, folder=folder, environ=environ, setting=setting)
    calibrated = await _calibrate(runner, progress)
    records = []
    for attempt in attempts:
        records.append(await runner.attempt(attempt))
        progress("attempts", len(records), len(attempts))
    manifest = evidence_manifest(plan, runs, seed, attempts, records, calibrated)
    page = render(manifest, records, () if calibrated is None else calibrated.records)
    folder.keep(REPORT, page.encode())
    return EvidenceRun(manifest=manifest, digest=folder.finish(manifest), page=page)


async def _calibrate(runner: _Runner, progress: Progress) -> Calibrated | None:
    """The judge against people, in the order of the file, before any attempt; None when nothing asks for it."""
    calibration = runner.plan.calibration
    if calibration is None:
        return None
    runner.folder.keep(ANSWERS, calibration.data)
    records = []
    for answer in calibration.answers:
        records.append(await runner.calibrate(answer))
        progress("answers of the calibration", len(records), len(calibration.answers))
    return Calibrated(records=records, min_kappa=calibration.min_kappa)


def _bytes_of(file: Path) -> bytes | None:
    """All of a file; None when it is gone or no file any more: to read a pipe would never end."""
    try:
        return file.read_bytes() if file.is_file() else None
    except OSError:
        return None


def judge_place(attempt: Attempt, number: int) -> str:
    """Where the raw answer about an attempt's assertion lies, numbered from 1; without the ending."""
    return f"{attempt.folder}/judge-{number:02d}"
