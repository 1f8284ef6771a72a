"""The first step: finds each suite's recordings and accepted state. It has the token and runs nothing of the suite."""

import fnmatch
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evalci.baseline.codec import decode
from evalci.baseline.store import BaselineStore
from evalci.cassette.store import cassette_files, load
from evalci.ci.archive import ArchiveRules
from evalci.ci.artifacts import Nothing, Restored, Trust, restore_artifact
from evalci.ci.event import CiEnvironment, Provider
from evalci.ci.failures import ApiError, ApiFailure, printable, told_once
from evalci.ci.folder import BASELINE_FILE, PROVENANCE_FILE, STATE_FILES, Found, Provenance, ReportFolder
from evalci.ci.github import GitHub
from evalci.errors import EvalciError

ARTIFACT: Final = "evalci-state"
ACCEPT_LABEL: Final = "evalci: accept"
RULES: Final = ArchiveRules(wanted=tuple(f"*/{name}" for name in STATE_FILES))
_QUEUED: Final = re.compile(r"gh-readonly-queue/.+/pr-([0-9]{1,9})-[0-9a-f]{40,64}")
_SHOWN: Final = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class Sources:
    """Where to look besides the workspace: the artifact of a trusted run, or the reason there is none; a cache folder.

    The cache may hold a baseline too, since state is kept by runs of the default branch only (`keeps_state`).
    """

    artifact: Restored | Nothing
    cache: Path | None = None
    accepted_by: str | None = None
    keeps_state: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class _Place:
    """One of them for one suite: its files, and how the report names it."""

    kind: str
    detail: str
    files: Mapping[str, bytes]


def find_sources(
    where: CiEnvironment, github: GitHub | None, *, cache: Path | None, artifact_name: str = ARTIFACT
) -> tuple[Sources, tuple[str, ...]]:
    """What this run may restore from, and what to tell about failures. GitHub's failure is no failure of the suite."""
    failures: list[ApiFailure] = []
    artifact: Restored | Nothing = Nothing(
        reason="no token was given, so no artifact was looked for"
        if where.provider is Provider.GITHUB
        else "nothing is committed, and artifacts are looked for on GitHub alone"
    )
    accepted_by = None
    if github is not None:
        artifact = _artifact(where, github, artifact_name)
        if isinstance(artifact, Nothing) and artifact.failure is not None:
            failures.append(artifact.failure)
        accepted_by = _accepted_by(where, github, failures.append)
    sources = Sources(artifact=artifact, cache=cache, accepted_by=accepted_by, keeps_state=where.keeps_state)
    return sources, (*told_once(failures), *_passed_over(artifact))


def restore_suite(config: Path, slug: str, label: str, folder: ReportFolder, sources: Sources) -> Provenance:
    """One suite's recordings and accepted state, written into the folder; a committed file wins and stays there."""
    target = folder.begin_restoring(slug)
    places = list(_places(slug, sources))
    if cassette_files(config.absolute().parent / ".evalci"):
        cassette = Found(kind="file", detail="committed in this repository")
        earlier = folder.earlier(slug)
        _restored("cassette*", earlier, places[::-1], sources, lambda files: load(earlier))
    else:
        cassette = _restored("cassette*", target, places, sources, lambda files: load(target))
    committed = BaselineStore.beside(config.absolute())
    if committed.file(label).is_file():
        baseline = Found(kind="file", detail=committed.source(label))
    else:
        # The cache comes last: entries go after a week unused, and whatever replaces one may be older.
        baseline = _restored(
            BASELINE_FILE, target, places[::-1], sources, lambda files: decode(files[BASELINE_FILE], name=BASELINE_FILE)
        )
    provenance = Provenance(
        cassette=cassette, baseline=baseline, accepted_by=sources.accepted_by, keeps_state=sources.keeps_state
    )
    (target / PROVENANCE_FILE).write_text(provenance.text(), "utf-8")
    return provenance


def _places(slug: str, sources: Sources) -> Iterator[_Place]:
    """The cache, then the artifact, as far as they hold anything of this suite."""
    if sources.cache is not None and not (sources.cache / slug).is_symlink():
        found = {
            path.relative_to(sources.cache / slug).as_posix(): path.read_bytes()
            for name in STATE_FILES
            for path in sorted((sources.cache / slug).glob(name))
            if path.is_file() and not path.is_symlink() and not path.parent.is_symlink()
        }
        yield _Place(kind="cache", detail="the Actions cache of the default branch", files=found)
    if isinstance(sources.artifact, Restored):
        run, prefix = sources.artifact.run, f"{slug}/"
        files = {
            name.removeprefix(prefix): data for name, data in sources.artifact.files.items() if name.startswith(prefix)
        }
        detail = f"run {run.id} on {run.head_branch} at {run.head_sha[:12]}"
        yield _Place(kind="artifact", detail=printable(detail), files=files)


def _restored(
    pattern: str,
    target: Path,
    places: list[_Place],
    sources: Sources,
    check: Callable[[Mapping[str, bytes]], object],
) -> Found:
    """The first place's files that can be read. What cannot be read is none: or no later run could ever replace it."""
    reasons = []
    for place in places:
        files = {
            name: data for name, data in place.files.items() if fnmatch.fnmatchcase(name.partition("/")[0], pattern)
        }
        if not files:
            continue
        for name, data in files.items():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_bytes(data)
        try:
            check(files)
        except EvalciError as exc:
            reasons.append(printable(f"what {place.detail} holds cannot be used: {exc.lines()[0]}"))
            for name in files:
                (target / name).unlink()
        else:
            return Found(kind=place.kind, detail=place.detail)
    return Found(kind="none", detail="; ".join(reasons) or _why_none(sources))


def _why_none(sources: Sources) -> str:
    if isinstance(sources.artifact, Nothing):
        return printable(sources.artifact.reason)
    return f"the artifact of run {sources.artifact.run.id} holds nothing of this suite"


def _passed_over(artifact: Restored | Nothing) -> Iterator[str]:
    """Newer artifacts that are not trusted, each with the reason."""
    yield from (f"passed over: {reason}" for reason in artifact.passed_over[:_SHOWN])
    if len(artifact.passed_over) > _SHOWN:
        yield f"passed over: {len(artifact.passed_over) - _SHOWN} more"


def _artifact(where: CiEnvironment, github: GitHub, name: str) -> Restored | Nothing:
    """The newest artifact of the branch that this run builds on: that of the pull request, else the default branch."""
    branch = where.base_ref if where.pull_request is not None or where.event == "merge_group" else where.default_branch
    if where.repository_id is None or branch is None:
        return Nothing(reason="the event names no branch whose state could be trusted")
    trust = Trust(repository_id=where.repository_id, branch=branch, workflow_path=where.workflow_path)
    return restore_artifact(github, name, trust, RULES, prefer_sha=where.base_sha)


def _accepted_by(where: CiEnvironment, github: GitHub, tell: Callable[[ApiFailure], None]) -> str | None:
    """Who accepted a drop: the label on this pull request, on the queued one, or on the one merged as this commit."""
    try:
        labelled = _labelled(where, github)
    except ApiError as exc:
        tell(exc.failure)
        labelled = {where.pull_request: where.labels} if where.pull_request is not None else {}
    number = next((number for number, names in sorted(labelled.items()) if ACCEPT_LABEL in names), None)
    return None if number is None else f'the label "{ACCEPT_LABEL}" on #{number}'


def _labelled(where: CiEnvironment, github: GitHub) -> Mapping[int, tuple[str, ...]]:
    """The labels of the pull requests whose change this run is about."""
    if where.pull_request is not None:
        return {where.pull_request: github.labels(where.pull_request)}
    queued = _QUEUED.fullmatch(where.head_ref or "") if where.event == "merge_group" else None
    if queued is not None:
        return {int(queued[1]): github.labels(int(queued[1]))}
    if where.event == "push" and where.on_default_branch and where.head_sha is not None:
        merged = github.pull_requests_of_commit(where.head_sha)
        return {pull.number: pull.labels for pull in merged if not pull.is_open and pull.base_ref == where.head_ref}
    return {}
