"""The folder that the three steps hand to each other: where each suite's files lie, and what restoring found."""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evalci.cassette.store import cassette_files
from evalci.errors import EXIT_FAILED, UsageError
from evalci.files import ProjectFiles
from evalci.wording import quoted

DEFAULT_FOLDER: Final = "evalci-report"
REPORT_FILE: Final = "report.json"
ERROR_FILE: Final = "error.json"
BASELINE_FILE: Final = "baseline.json"
PROVENANCE_FILE: Final = "provenance.json"
# What a suite's run leaves, by reporter.
REPORT_FILES: Final = {"json": REPORT_FILE, "junit": "junit.xml", "markdown": "report.md", "html": "report.html"}
# Shell patterns of what later runs restore; the second is the form of a cassette that is too large for one file.
STATE_FILES: Final = ("cassette.jsonl", "cassette/*.jsonl", BASELINE_FILE)
_OUR_NAMES: Final = ("restored", "state")


def slug(config: Path) -> str:
    """A suite's name in file names: its path in the project, the same on every machine; no two suites share one."""
    files = ProjectFiles.around(config.absolute().parent)
    name = files.name(config.absolute())
    plain = re.sub(r"[^A-Za-z0-9._]+", "-", name.rsplit(".", 1)[0]).strip("-.") or "suite"
    if plain == name.rsplit(".", 1)[0] and plain not in _OUR_NAMES:
        return plain
    return f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def check_slugs(configs: list[Path]) -> dict[str, Path]:
    """The suites by their slugs. Raises `UsageError` when two would share one."""
    named: dict[str, Path] = {}
    for config in configs:
        other = named.setdefault(slug(config), config)
        if other is config:
            continue
        if other.absolute() == config.absolute():
            raise UsageError(f"the suite {quoted(str(config))} is named twice")
        raise UsageError(
            f"the suites {quoted(str(other))} and {quoted(str(config))} differ in their ending only",
            hint="they would share baselines and reports; rename one of them",
        )
    return named


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """Where something came from: `file`, `cache`, `artifact` or `none`, and in words which one, or why none."""

    kind: str
    detail: str

    @property
    def told(self) -> str:
        """In a log: `none (there is no artifact …)`, or where it came from."""
        return f"none ({self.detail})" if self.kind == "none" else self.detail


@dataclass(frozen=True, kw_only=True, slots=True)
class Provenance:
    """What restoring found for one suite, and who accepted a drop on the pull request.

    `keeps_state` says that this run is of the default branch, so that its state may be what later runs compare with.
    """

    cassette: Found
    baseline: Found
    accepted_by: str | None = None
    keeps_state: bool = False

    def text(self) -> str:
        """As the file that evaluating reads."""
        data = {
            "cassette": [self.cassette.kind, self.cassette.detail],
            "baseline": [self.baseline.kind, self.baseline.detail],
            "accepted_by": self.accepted_by,
            "keeps_state": self.keeps_state,
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
                keeps_state=data["keeps_state"] is True,
            )
        except (ValueError, KeyError, TypeError) as exc:
            raise UsageError(f"what `evalci ci restore` left cannot be read: {exc}") from exc


def _found(data: Any) -> Found:
    kind, detail = data
    return Found(kind=str(kind), detail=str(detail))


@dataclass(frozen=True, slots=True)
class ReportFolder:
    """`evalci-report/`: `restored/<suite>/` of the first step, `<suite>/` of the second, `state/<suite>/` to keep.

    It lies in a workspace that a pull request fills, so what lies there already is not ours: old files are cleared
    away before a suite begins, and nothing is read or written through a link. `shard` is the part that this job runs.
    """

    root: Path
    shard: str = ""

    def restored(self, suite: str) -> Path:
        """What was restored for a suite: `.evalci`-like, with `cassette.jsonl`, `baseline.json`, `provenance.json`."""
        return self.root / "restored" / suite

    def earlier(self, suite: str) -> Path:
        """The recordings of the accepted state where others are committed, to tell which were recorded anew."""
        return self.restored(suite) / "earlier"

    def reports(self, suite: str) -> Path:
        """What a suite's run left."""
        return self.root / suite

    def state(self, suite: str) -> Path:
        """What a green run of the default branch uploads for later runs."""
        return self.root / "state" / suite

    def begin_restoring(self, suite: str) -> Path:
        """An empty place for what is restored; the suite counts as not run until it was."""
        place = self.restored(suite)
        self._clear(place)
        place.mkdir(parents=True, exist_ok=True)
        self.begin_evaluating(suite, "the suite was not run: the step that evaluates it never began")
        return place

    def begin_evaluating(self, suite: str, unless: str = "the suite's run did not finish") -> None:
        """Whatever happens now, no older report of the suite is left; `unless` it is run, this is why there is none."""
        self._clear(self.state(suite))
        self._clear(self.reports(suite))
        self.reports(suite).mkdir(parents=True, exist_ok=True)
        self.leave_error(suite, [unless], EXIT_FAILED)

    def leave_error(self, suite: str, lines: Sequence[str], exit_code: int) -> None:
        """Instead of a report, the reason why there is none."""
        told = {"exit_code": exit_code, "lines": list(lines), "shard": self.shard}
        text = json.dumps(told, indent=2, sort_keys=True) + "\n"
        (self.reports(suite) / ERROR_FILE).write_text(text, "utf-8")

    def leave_reports(self, suite: str, texts: dict[str, str]) -> None:
        """The reports by file name; the suite counts as run only once they all are there."""
        for name, text in texts.items():
            (self.reports(suite) / name).write_text(text, encoding="utf-8", newline="")
        (self.reports(suite) / ERROR_FILE).unlink()

    def provenance(self, suite: str) -> Provenance | None:
        """What restoring said, None when it did not run."""
        path = self.restored(suite) / PROVENANCE_FILE
        return Provenance.read(path.read_text("utf-8")) if path.is_file() else None

    def found(self, name: str) -> Iterator[tuple[str, Path]]:
        """Every suite's file of this name with the suite's slug, sorted."""
        for path in sorted(self.root.glob(f"*/{name}")):
            if path.parent.name not in _OUR_NAMES and not path.is_symlink() and not path.parent.is_symlink():
                yield path.parent.name, path

    def _clear(self, place: Path) -> None:
        """Removes what an earlier run may have left here, and only that."""
        for part in (self.root, *(self.root / part for part in reversed(place.relative_to(self.root).parents)), place):
            if part.is_symlink():
                raise UsageError(f"{quoted(str(part))} is a link; reports go into real folders only")
        if place == self.reports(place.name):
            old = [place / name for name in (*REPORT_FILES.values(), ERROR_FILE)]
        else:
            if (place / "cassette").is_symlink():
                (place / "cassette").unlink()
            names = (BASELINE_FILE, PROVENANCE_FILE, "cassette.jsonl")
            old = [*(place / name for name in names), *cassette_files(place)]
        for path in old:
            path.unlink(missing_ok=True)
