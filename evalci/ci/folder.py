"""The folder that the three steps hand to each other: where each suite's files lie, and what restoring found."""

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evalci.errors import UsageError
from evalci.files import ProjectFiles

DEFAULT_FOLDER: Final = "evalci-report"
REPORT_FILE: Final = "report.json"
STATE_FILES: Final = ("cassette.jsonl", "baseline.json")


def slug(config: Path) -> str:
    """A suite's name in file names: its path in the project, the same on every machine; no two suites share one."""
    files = ProjectFiles.around(config.absolute().parent)
    name = files.name(config.absolute())
    plain = re.sub(r"[^A-Za-z0-9._]+", "-", name.rsplit(".", 1)[0]).strip("-.") or "suite"
    if plain == name.rsplit(".", 1)[0]:
        return plain
    return f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def check_slugs(configs: list[Path]) -> dict[str, Path]:
    """The suites by their slugs. Raises `UsageError` when one is named twice."""
    named: dict[str, Path] = {}
    for config in configs:
        if named.setdefault(slug(config), config) is not config:
            raise UsageError(f"the suite {config} is named twice")
    return named


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """Where something came from: `file`, `cache`, `artifact` or `none`, and in words which one, or why none."""

    kind: str
    detail: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Provenance:
    """What restoring found for one suite, and who accepted a drop on the pull request."""

    cassette: Found
    baseline: Found
    accepted_by: str | None = None

    def text(self) -> str:
        """As the file that evaluating reads."""
        data = {
            "cassette": [self.cassette.kind, self.cassette.detail],
            "baseline": [self.baseline.kind, self.baseline.detail],
            "accepted_by": self.accepted_by,
        }
        return json.dumps(data, indent=2, sort_keys=True) + "\n"

    @classmethod
    def read(cls, text: str) -> "Provenance":
        """From such a file. Raises `UsageError` when it is none."""
        try:
            data = json.loads(text)
            accepted_by = data["accepted_by"]
            return cls(
                cassette=_found(data["cassette"]),
                baseline=_found(data["baseline"]),
                accepted_by=accepted_by if isinstance(accepted_by, str) else None,
            )
        except (ValueError, KeyError, TypeError) as exc:
            raise UsageError(f"what `evalci ci restore` left cannot be read: {exc}") from exc


def _found(data: Any) -> Found:
    kind, detail = data
    return Found(kind=str(kind), detail=str(detail))


@dataclass(frozen=True, slots=True)
class ReportFolder:
    """`evalci-report/`: `restored/<suite>/` of the first step, `<suite>/` of the second, `state/<suite>/` to keep."""

    root: Path

    def restored(self, suite: str) -> Path:
        """What was restored for a suite: `.evalci`-like, with `cassette.jsonl`, `baseline.json`, `provenance.json`."""
        return self.root / "restored" / suite

    def reports(self, suite: str) -> Path:
        """What a suite's run left."""
        return self.root / suite

    def state(self, suite: str) -> Path:
        """What a green run of the default branch uploads for later runs."""
        return self.root / "state" / suite

    def provenance(self, suite: str) -> Provenance | None:
        """What restoring said, None when it did not run."""
        path = self.restored(suite) / "provenance.json"
        return Provenance.read(path.read_text("utf-8")) if path.is_file() else None

    def found_reports(self) -> dict[str, Path]:
        """Every suite's report, by its slug, sorted."""
        paths = sorted(self.root.glob(f"*/{REPORT_FILE}"))
        return {path.parent.name: path for path in paths if path.parent.name not in ("restored", "state")}
