"""Is an evidence folder what its manifest says? Every digest and every record is made again."""

import errno
import json
import stat
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Any, Final

from evalci import __version__
from evalci.adapters.archive import Archive, ArchiveError, check_structure
from evalci.adapters.envelopes import conditions_of
from evalci.adapters.strict import NotOneObject, one_object
from evalci.errors import EvalciError
from evalci.evidence.again import Again
from evalci.evidence.attempts import Attempt, plan_attempts
from evalci.evidence.calibration import ANSWERS, Calibrated
from evalci.evidence.folder import MANIFEST, STATEMENT, as_bytes
from evalci.evidence.manifest import CATALOG, REPORT, REPORT_DATA, SCHEMA, archive_place, replay_manifest
from evalci.evidence.records import Setting, sha256
from evalci.evidence.report import render
from evalci.evidence.statement import statement_of
from evalci.evidence.suite import read_questions
from evalci.evidence.summary import request_ids, summary_of
from evalci.files import ProjectFiles
from evalci.reporters.json_reader import read_report
from evalci.scorers.schemas import Schema, load_schema
from evalci.summary.summarize import summarize

MOST_SHOWN: Final = 5
STATED: Final = ("schema", "kind", "tool", "artifacts")
COUNTS: Final = ("total", "passed", "failed", "errored", "skipped", "unjudged", "flaky")
MOST_SEAL_BYTES: Final = 256 << 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Verified:
    """What a check found: every problem, with the file it is about first; none when the folder holds."""

    problems: tuple[str, ...]
    digest: str | None = None
    manifest: Mapping[str, Any] | None = None


def verify(place: Path, digest: str | None = None) -> Verified:
    """Check a folder. `digest` is the manifest's digest as the run printed it, where somebody wrote it down."""
    try:
        data = _seal(place, MANIFEST)
    except OSError as exc:
        return Verified(problems=(f"{MANIFEST}: cannot be read: {exc.strerror or exc}",))
    seen = sha256(data)
    problems = []
    if digest is not None and digest.lower() != seen:
        problems.append(f"{MANIFEST}: has SHA-256 {seen}, the run printed {digest}")
    problems += _statement_digest(place, seen)
    try:
        manifest = one_object(data)
        if manifest.get("schema") != SCHEMA:
            raise NotOneObject(f"its schema is not {SCHEMA}")
        wrong = tuple(_unfit(manifest)) or tuple(_artifacts(place, manifest))
        problems += [*wrong, *_statement(place, manifest, seen)]
        if not wrong:
            problems += _again(place, manifest)
    except NotOneObject as exc:
        return Verified(problems=(*problems, f"{MANIFEST}: {exc}"), digest=seen)
    except (LookupError, TypeError, ValueError, AttributeError, OSError, RecursionError, EvalciError) as exc:
        problems.append(f"{MANIFEST}: does not describe such a run: {type(exc).__name__}: {exc}")
        return Verified(problems=tuple(problems), digest=seen)
    return Verified(problems=tuple(problems), digest=seen, manifest=manifest)


def _seal(place: Path, name: str) -> bytes:
    """The bytes of the manifest or the Statement. Raises OSError for what is no file of its own: to read a pipe or a
    device never ends, and a link leads to what somebody may change later.
    """
    found = (place / name).lstat()
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is a link, a folder, a pipe or a device, and no file")
    if found.st_size > MOST_SEAL_BYTES:
        raise OSError(errno.EFBIG, f"it has {found.st_size} bytes, which is more than any run leaves")
    return (place / name).read_bytes()


def _statement_digest(place: Path, seen: str) -> Iterator[str]:
    """The digest that the Statement carries must be that of the manifest."""
    try:
        statement = one_object(_seal(place, STATEMENT))
        carried = statement["subject"][0]["digest"]["sha256"]
    except OSError as exc:
        yield f"{STATEMENT}: is missing or cannot be read: {exc.strerror or exc}"
    except (NotOneObject, KeyError, IndexError, TypeError) as exc:
        yield f"{STATEMENT}: is no in-toto Statement: {exc}"
    else:
        if carried != seen:
            yield f"{MANIFEST}: has SHA-256 {seen}, {STATEMENT} carries {carried}: one of the two was changed"


def _statement(place: Path, manifest: Mapping[str, Any], seen: str) -> Iterator[str]:
    """The Statement says what the manifest says, to the byte."""
    try:
        data = _seal(place, STATEMENT)
    except OSError:
        return
    if data != as_bytes(statement_of(manifest, seen)):
        yield f"{STATEMENT}: differs from what the manifest says"


def _unfit(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Where it does not fit its published schema: what no artifact can confirm has a form all the same."""
    violations = _form().violations(manifest)
    yield from (f"{MANIFEST}: does not fit its schema: {violation}" for violation in violations[:MOST_SHOWN])


@cache
def _form() -> Schema:
    return load_schema((files("evalci.evidence") / "manifest_schema.json").read_bytes())


def _artifacts(place: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Each file that differs, is missing, or is extra."""
    listed = {entry["path"]: entry for entry in manifest["artifacts"]}
    if len(listed) != len(manifest["artifacts"]):
        yield f"{MANIFEST}: lists a file twice"
    for path, entry in sorted(listed.items()):
        pure = PurePosixPath(path)
        if pure.is_absolute() or ".." in pure.parts:
            yield f"{path}: lies outside the folder"
            continue
        file = place / pure
        if file.is_symlink() or not file.is_file():
            yield f"{path}: is missing"
            continue
        size = file.stat().st_size
        if size != entry["bytes"]:
            yield f"{path}: differs: it has {size} bytes, the manifest says {entry['bytes']}"
            continue
        data = file.read_bytes()
        if sha256(data) != entry["sha256"]:
            yield f"{path}: differs: it has SHA-256 {sha256(data)}, the manifest says {entry['sha256']}"
    known = {*listed, MANIFEST, STATEMENT}
    for file in sorted(place.rglob("*")):
        name = file.relative_to(place).as_posix()
        if (file.is_symlink() or not file.is_dir()) and name not in known:
            yield f"{name}: is extra; the manifest does not list it, so it is no part of the run"


def _again(place: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """What the manifest says, made again from the artifacts."""
    if manifest["kind"] == "run":
        yield from _ordinary_run(manifest, (place / REPORT_DATA).read_bytes())
        return
    yield from _evidence(place, manifest)


def _evidence(place: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """An evidence run, from the raw answers of its calls to the page about it."""
    suite, digests = manifest["suite"], manifest["digests"]
    (archive_path,) = (e["path"] for e in manifest["artifacts"] if e["path"].startswith("archive/"))
    archive_data = (place / archive_path).read_bytes()
    stated = manifest.get("calibration")
    yield from _inputs(place, digests, archive_path, archive_data)
    yield from _calibration_input(place, digests, stated is not None)
    questions = read_questions(CATALOG, place, ProjectFiles(root=place), suite["mode"])
    planned = len(questions) * len(conditions_of(suite["mode"])) * suite["runs_per_condition"]
    if planned > len(manifest["artifacts"]):  # a number alone must not make us plan a billion attempts
        yield f"{MANIFEST}: its runs_per_condition makes {planned} attempts, and each would have left artifacts"
        return
    attempts = plan_attempts(questions, suite["mode"], suite["runs_per_condition"], suite["seed"])
    again = Again(place=place, setting=Setting(mode=suite["mode"], archive_sha256=digests["archive"]))
    calibrated = None if stated is None else again.calibration(stated)
    records = [again.attempt(attempt) for attempt in attempts]
    yield from again.problems
    yield from _listed(manifest, {CATALOG, REPORT, archive_path, *again.read})
    whole = tuple(_whole_run(manifest, attempts, records, len(questions), calibrated))
    # The page repeats the manifest, so one that says something else has been named already.
    yield from whole or _page(place, manifest, records, calibrated)


def _ordinary_run(manifest: Mapping[str, Any], data: bytes) -> Iterator[str]:
    """The manifest says what the report says, and the report counts the cases that it shows."""
    report = read_report(data, max_bytes=len(data))
    yield from _listed(manifest, {REPORT_DATA})
    yield from _differing(manifest, replay_manifest(json.loads(data)), STATED)
    for arm in report.arms or (report,):
        counted = summarize(arm.results)
        for name in COUNTS:
            said, seen = getattr(arm.summary, name), getattr(counted, name)
            if said != seen:
                yield f"{REPORT_DATA}: its summary says {name}: {said}, its results come to {seen}"


def _listed(manifest: Mapping[str, Any], known: set[str]) -> Iterator[str]:
    """What is listed must be what such a run leaves: nothing may lie there that no record rests on."""
    listed = {entry["path"] for entry in manifest["artifacts"]}
    yield from (
        f"{path}: is listed, but no part of the run that the manifest describes" for path in sorted(listed - known)
    )
    yield from (f"{path}: is not listed in the manifest" for path in sorted(known - listed))


def _inputs(place: Path, digests: Mapping[str, str], path: str, data: bytes) -> Iterator[str]:
    if sha256((place / CATALOG).read_bytes()) != digests["cases"]:
        yield f"{CATALOG}: is not the file whose digest the manifest gives"
    if sha256(data) != digests["archive"]:
        yield f"{path}: is not the archive whose digest the manifest gives"
    name = PurePosixPath(path).name
    try:
        check_structure(Archive(name=name, data=data, sha256=digests["archive"]))
    except ArchiveError as exc:
        yield f"{path}: {exc}"
    if archive_place(name) != path:
        yield f"{path}: does not lie where an archive lies"


def _calibration_input(place: Path, digests: Mapping[str, str], calibrated: bool) -> Iterator[str]:
    kept = sha256((place / ANSWERS).read_bytes()) if calibrated else None
    if digests.get("calibration") != kept:
        yield f"{ANSWERS}: is not the file whose digest the manifest gives"


def _whole_run(
    manifest: Mapping[str, Any],
    attempts: Sequence[Attempt],
    records: Sequence[Mapping[str, Any]],
    cases: int,
    calibrated: Calibrated | None,
) -> Iterator[str]:
    suite, digests = manifest["suite"], manifest["digests"]
    inputs = ("config", "cases", "archive", *(() if calibrated is None else ("calibration",)))
    made = {
        "suite": {**suite, "cases": cases, "conditions": sorted({attempt.condition for attempt in attempts})},
        "digests": {key: digests.get(key) for key in inputs},
        "request_ids": request_ids(records, calibrated),
        **summary_of(records, suite["mode"], calibrated),
    }
    yield from _differing(manifest, made, (*STATED, "models", "warnings"))


def _page(
    place: Path, manifest: Mapping[str, Any], records: Sequence[Mapping[str, Any]], calibrated: Calibrated | None
) -> Iterator[str]:
    """What people read of the run."""
    page = render(manifest, records, () if calibrated is None else calibrated.records)
    if (place / REPORT).read_bytes() != page.encode():
        maker = manifest["tool"]["version"]
        other = "" if maker == __version__ else f"; it was made by evalci {maker}, and this is {__version__}"
        yield f"{REPORT}: is not what comes of the records and the manifest{other}"


def _differing(manifest: Mapping[str, Any], made: Mapping[str, Any], stated: Collection[str]) -> Iterator[str]:
    """What the manifest says otherwise, or says though nothing backs it. What is stated can only be taken as it is."""
    for key in dict.fromkeys((*made, *sorted(manifest))):
        if key not in stated and (key not in made or as_bytes(manifest.get(key)) != as_bytes(made[key])):
            yield f"{MANIFEST}: its {key} is not what comes of the artifacts"
