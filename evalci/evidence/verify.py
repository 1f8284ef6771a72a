"""Is an evidence folder what its manifest says? Every digest and every record is made again."""

import errno
import json
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Any, Final

from evalci.adapters.archive import Archive, ArchiveError, check_structure
from evalci.adapters.envelopes import conditions_of
from evalci.adapters.strict import NotOneObject, one_object
from evalci.errors import EvalciError
from evalci.evidence.again import Again
from evalci.evidence.attempts import Attempt, plan_attempts
from evalci.evidence.calibration import ANSWERS, Calibrated
from evalci.evidence.folder import MANIFEST, STATEMENT, as_bytes
from evalci.evidence.manifest import CATALOG, REPORT, SCHEMA, archive_place, replay_manifest
from evalci.evidence.records import Setting, sha256
from evalci.evidence.statement import statement_of
from evalci.evidence.suite import read_questions
from evalci.evidence.summary import request_ids, summary_of
from evalci.files import ProjectFiles
from evalci.reporters.json_reader import read_report
from evalci.scorers.schemas import load_schema
from evalci.summary.summarize import summarize

REPLAYED: Final = "report.json"
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
        unfit = tuple(_unfit(manifest))
        if unfit:
            return Verified(problems=(*problems, *unfit), digest=seen)
        differing = tuple(_artifacts(place, manifest))
        problems += [*differing, *_statement(place, manifest, seen)]
        if not differing:
            problems += _again(place, manifest)
    except NotOneObject as exc:
        return Verified(problems=(*problems, f"{MANIFEST}: {exc}"), digest=seen)
    except (LookupError, TypeError, ValueError, AttributeError, OSError, EvalciError) as exc:
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


def _unfit(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Where a manifest does not fit its published schema: what no artifact can confirm has a form all the same."""
    schema = load_schema((files("evalci.evidence") / "manifest_schema.json").read_bytes())
    yield from (f"{MANIFEST}: does not fit its schema: {violation}" for violation in schema.violations(manifest))


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
        yield from _ordinary_run(manifest, (place / REPLAYED).read_bytes())
        return
    suite, digests = manifest["suite"], manifest["digests"]
    (archive_path,) = (e["path"] for e in manifest["artifacts"] if e["path"].startswith("archive/"))
    archive_data = (place / archive_path).read_bytes()
    stated = manifest.get("calibration")
    yield from _inputs(place, digests, archive_path, archive_data)
    yield from _calibration_input(place, digests, stated is not None)
    questions = read_questions(CATALOG, place, ProjectFiles(root=place), suite["mode"])
    planned = len(questions) * len(conditions_of(suite["mode"])) * suite["runs_per_condition"]
    if planned > len(manifest["artifacts"]):  # a number alone must not make us plan a billion attempts
        yield f"{MANIFEST}: its suite says {planned} attempts, and each of them would have left artifacts"
        return
    attempts = plan_attempts(questions, suite["mode"], suite["runs_per_condition"], suite["seed"])
    again = Again(place=place, setting=Setting(mode=suite["mode"], archive_sha256=digests["archive"]))
    calibrated = None if stated is None else again.calibration(stated)
    records = [again.attempt(attempt) for attempt in attempts]
    yield from again.problems
    yield from _listed(manifest, {CATALOG, REPORT, archive_path, *again.read})
    yield from _whole_run(manifest, attempts, records, len(questions), calibrated)


def _ordinary_run(manifest: Mapping[str, Any], data: bytes) -> Iterator[str]:
    """The manifest says what the report says, and the report counts the cases that it shows."""
    report = read_report(data, max_bytes=len(data))
    made = replay_manifest(json.loads(data))
    yield from _listed(manifest, {REPLAYED})
    yield from _differing(manifest, {key: value for key, value in made.items() if key != "tool"})
    for arm in report.arms or (report,):
        counted = summarize(arm.results)
        for name in COUNTS:
            said, seen = getattr(arm.summary, name), getattr(counted, name)
            if said != seen:
                yield f"{REPLAYED}: its summary says {name}: {said}, its results come to {seen}"


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
    made = {
        "request_ids": request_ids(records, calibrated),
        **summary_of(records, manifest["suite"]["mode"], calibrated),
        "suite": {
            **manifest["suite"],
            "cases": cases,
            "conditions": sorted({attempt.condition for attempt in attempts}),
        },
    }
    yield from _differing(manifest, made)


def _differing(manifest: Mapping[str, Any], made: Mapping[str, Any]) -> Iterator[str]:
    for key, value in made.items():
        if as_bytes(manifest.get(key)) != as_bytes(value):
            yield f"{MANIFEST}: its {key} is not what comes of the artifacts"
