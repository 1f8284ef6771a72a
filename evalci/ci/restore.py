"""The first step: finds each suite's recordings and accepted state. It has the token and runs nothing of the suite."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evalci.baseline.store import BaselineStore
from evalci.cassette.store import cassette_files
from evalci.ci.archive import ArchiveRules
from evalci.ci.artifacts import Nothing, Restored, Trust, restore_artifact
from evalci.ci.event import CiEnvironment
from evalci.ci.failures import ApiError
from evalci.ci.folder import STATE_FILES, Found, Provenance, ReportFolder
from evalci.ci.github import GitHub

ARTIFACT: Final = "evalci-state"
ACCEPT_LABEL: Final = "evalci: accept"
RULES: Final = ArchiveRules(wanted=tuple(f"*/{name}" for name in STATE_FILES))


@dataclass(frozen=True, kw_only=True, slots=True)
class Sources:
    """Where to look besides the workspace: the artifact of a trusted run, or the reason there is none; a cache folder.

    `cache_is_trusted` says that only the default branch writes the cache entry, so that it may hold a baseline.
    """

    artifact: Restored | Nothing
    cache: Path | None = None
    cache_is_trusted: bool = False
    accepted_by: str | None = None


def find_sources(
    where: CiEnvironment, github: GitHub | None, *, cache: Path | None, artifact_name: str = ARTIFACT
) -> tuple[Sources, tuple[str, ...]]:
    """What this run may restore from, and what to tell about failures. GitHub's failure is no failure of the suite."""
    lines: list[str] = []
    artifact: Restored | Nothing = Nothing(reason="no token was given, so no artifact was looked for")
    accepted_by = None
    if github is not None:
        artifact = _artifact(where, github, artifact_name)
        if isinstance(artifact, Nothing) and artifact.failure is not None:
            lines += artifact.failure.lines()
        accepted_by = _accepted_by(where, github, lines.extend)
    trusted = where.cache_mode != "write-only"
    sources = Sources(artifact=artifact, cache=cache, cache_is_trusted=trusted, accepted_by=accepted_by)
    return sources, tuple(lines)


def restore_suite(config: Path, slug: str, label: str, folder: ReportFolder, sources: Sources) -> Provenance:
    """One suite's recordings and accepted state, written into the folder. A file in the workspace wins."""
    target = folder.restored(slug)
    target.mkdir(parents=True, exist_ok=True)
    state = config.absolute().parent / ".evalci"
    if cassette_files(state):
        cassette = Found(kind="file", detail="committed in this repository")
    else:
        cassette = _restore_file(slug, "cassette.jsonl", target, sources, cache_trusted=True)
    committed = BaselineStore.beside(config.absolute())
    if committed.file(label).is_file():
        (target / "baseline.json").write_bytes(committed.file(label).read_bytes())
        baseline = Found(kind="file", detail=committed.source(label))
    else:
        baseline = _restore_file(slug, "baseline.json", target, sources, cache_trusted=sources.cache_is_trusted)
    provenance = Provenance(cassette=cassette, baseline=baseline, accepted_by=sources.accepted_by)
    (target / "provenance.json").write_text(provenance.text(), "utf-8")
    return provenance


def _restore_file(slug: str, name: str, target: Path, sources: Sources, *, cache_trusted: bool) -> Found:
    """A recordings file from the cache or the artifact; a baseline from the artifact first, the cache last."""
    looks: list[Callable[[], Found | None]] = [
        lambda: _from_cache(slug, name, target, sources) if cache_trusted else None,
        lambda: _from_artifact(slug, name, target, sources),
    ]
    if name == "baseline.json":
        looks.reverse()
    for look in looks:
        found = look()
        if found is not None:
            return found
    return Found(kind="none", detail=_why_none(slug, name, sources))


def _from_cache(slug: str, name: str, target: Path, sources: Sources) -> Found | None:
    path = sources.cache / slug / name if sources.cache is not None else None
    if path is None or not path.is_file() or path.is_symlink():
        return None
    (target / name).write_bytes(path.read_bytes())
    return Found(kind="cache", detail="the Actions cache of the default branch")


def _from_artifact(slug: str, name: str, target: Path, sources: Sources) -> Found | None:
    artifact = sources.artifact
    if not isinstance(artifact, Restored) or f"{slug}/{name}" not in artifact.files:
        return None
    (target / name).write_bytes(artifact.files[f"{slug}/{name}"])
    sha = (artifact.run.head_sha or "")[:12]
    return Found(kind="artifact", detail=f"run {artifact.run.id} on {artifact.run.head_branch} at {sha}")


def _why_none(slug: str, name: str, sources: Sources) -> str:
    if isinstance(sources.artifact, Nothing):
        return sources.artifact.reason
    return f"the artifact of run {sources.artifact.run.id} holds no {name} of {slug}"


def _artifact(where: CiEnvironment, github: GitHub, name: str) -> Restored | Nothing:
    """The newest artifact of the branch that this run builds on."""
    if where.repository_id is None or where.base_ref is None:
        return Nothing(reason="the event names no branch whose state could be trusted")
    trust = Trust(repository_id=where.repository_id, branch=where.base_ref, workflow_path=where.workflow_path)
    return restore_artifact(github, name, trust, RULES, prefer_sha=where.base_sha)


def _accepted_by(where: CiEnvironment, github: GitHub, tell: Callable[[Iterable[str]], None]) -> str | None:
    """Who accepted a drop: the label on this pull request, or on the one that was merged as this commit."""
    try:
        if where.pull_request is not None:
            labels = {where.pull_request: github.labels(where.pull_request)}
        elif where.event == "push" and where.on_default_branch and where.head_sha is not None:
            numbers = [pull.number for pull in github.pull_requests_of_commit(where.head_sha)]
            labels = {number: github.labels(number) for number in numbers}
        else:
            return None
    except ApiError as exc:
        tell(exc.failure.lines())
        labels = {where.pull_request: where.labels} if where.pull_request is not None else {}
    return _labelled(labels)


def _labelled(labels: Mapping[int, tuple[str, ...]]) -> str | None:
    number = next((number for number, names in sorted(labels.items()) if ACCEPT_LABEL in names), None)
    return None if number is None else f'the label "{ACCEPT_LABEL}" on #{number}'
