"""`manifest.json`: what a run was made from, what came of it, and every artifact by its digest."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from evalci import __version__
from evalci.evidence.attempts import Attempt
from evalci.evidence.calibration import Calibrated
from evalci.evidence.records import sha256
from evalci.evidence.suite import EvidencePlan
from evalci.evidence.summary import request_ids, summary_of

SCHEMA: Final = "evalci.manifest/1"
CATALOG: Final = "cases.jsonl"
REPORT: Final = "report.md"
REPORT_DATA: Final = "report.json"


def evidence_manifest(
    plan: EvidencePlan,
    runs: int,
    seed: int,
    attempts: Sequence[Attempt],
    records: Sequence[Mapping[str, Any]],
    calibrated: Calibrated | None = None,
) -> dict[str, Any]:
    """Of an evidence run, but for its artifacts."""
    calibration = plan.calibration
    return {
        "schema": SCHEMA,
        "kind": "evidence",
        "tool": tool(),
        "suite": {
            "name": plan.name,
            "mode": plan.mode,
            "cases": len(plan.questions),
            "conditions": sorted({attempt.condition for attempt in attempts}),
            "runs_per_condition": runs,
            "seed": seed,
        },
        "models": {
            "environment_id": plan.models.environment_id,
            "executor_model": plan.models.executor_model,
            "judge_model": plan.models.judge_model,
        },
        "digests": {
            "config": plan.models.digest,
            "cases": sha256(plan.catalog),
            "archive": plan.archive.sha256,
            **({} if calibration is None else {"calibration": sha256(calibration.data)}),
        },
        "warnings": list(plan.warnings),
        "request_ids": request_ids(records, calibrated),
        **summary_of(records, plan.mode, calibrated),
    }


def replay_manifest(report: Mapping[str, Any]) -> dict[str, Any]:
    """Of an ordinary run, made from its JSON report alone, but for its artifacts."""
    suite = report["suite"]
    return {
        "schema": SCHEMA,
        "kind": "run",
        "tool": tool(),
        "suite": {key: value for key, value in suite.items() if key != "digests"},
        "digests": suite.get("digests", {}),
        "summary": report["summary"],
        "verdict": report["verdict"],
        "complete": report["verdict"]["exit_code"] != 3,
    }


def tool() -> dict[str, str]:
    """The program that made a manifest."""
    return {"name": "evalci", "version": __version__}


def archive_place(name: str) -> str:
    """Where the evidence copy of the archive lies."""
    return f"archive/{name}"
