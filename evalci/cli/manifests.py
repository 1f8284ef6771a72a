"""`--manifest DIR`: an ordinary run's report in a folder that binds its verdict to what it was made from."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from evalci.model import Report

if TYPE_CHECKING:
    from evalci.evidence.folder import EvidenceFolder


def manifest_folder(place: str | None) -> "EvidenceFolder | None":
    """The empty folder to fill, None when none was asked for. Raises `UsageError` before anything runs."""
    if place is None:
        return None
    from evalci.evidence.folder import EvidenceFolder

    return EvidenceFolder(Path(place))


def keep_manifest(folder: "EvidenceFolder", report: Report) -> str:
    """Fill the folder; one line with the manifest's digest, for whoever signs or stores it."""
    from evalci.evidence.manifest import REPORT_DATA, replay_manifest
    from evalci.reporters.json_report import write_report

    data = write_report(report)
    folder.keep(REPORT_DATA, data)
    return f"manifest.json sha256:{folder.finish(replay_manifest(json.loads(data)))}"
