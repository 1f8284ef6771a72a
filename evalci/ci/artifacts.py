"""The newest artifact that can be trusted, and why each one before it was passed over."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from evalci.ci.archive import ArchiveRules
from evalci.ci.event import TRUSTED_EVENTS
from evalci.ci.failures import ApiError, ApiFailure, Kind, printable
from evalci.ci.github import GitHub
from evalci.ci.values import Artifact, WorkflowRun

_LOOK_AT: Final = 100
# This one artifact is at fault, not the connection: an older one may do.
_TRY_ANOTHER: Final = frozenset({Kind.GONE, Kind.MISSING, Kind.REFUSED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """Whose artifacts count: those of this repository's own green runs of this workflow on this branch."""

    repository_id: int
    branch: str
    workflow_path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """The files of an artifact and the run they come from; `passed_over` says what was newer and not trusted."""

    files: Mapping[str, bytes]
    artifact: Artifact
    run: WorkflowRun
    passed_over: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing:
    """No artifact, and the reason; nothing of one that could not be read may be named as if it had been."""

    reason: str
    passed_over: tuple[str, ...] = ()
    failure: ApiFailure | None = None


def restore_artifact(
    github: GitHub, name: str, trust: Trust, rules: ArchiveRules, *, prefer_sha: str | None = None
) -> Restored | Nothing:
    """The files of the newest trusted artifact of a name; one made at `prefer_sha` goes before newer ones."""
    search = _Search(github=github, name=name, trust=trust)
    try:
        for artifact, run in search.candidates(prefer_sha):
            try:
                files = github.download_artifact(artifact, rules)
            except ApiError as exc:
                if exc.failure.kind not in _TRY_ANOTHER:
                    raise
                search.pass_over(artifact, exc.failure.message)
                continue
            return Restored(files=files, artifact=artifact, run=run, passed_over=tuple(search.passed_over))
    except ApiError as exc:
        return Nothing(reason=exc.failure.lines()[0], passed_over=tuple(search.passed_over), failure=exc.failure)
    return Nothing(reason=search.reason(), passed_over=tuple(search.passed_over))


@dataclass(slots=True, kw_only=True)
class _Search:
    github: GitHub
    name: str
    trust: Trust
    seen: int = 0
    expired: int = 0
    passed_over: list[str] = field(default_factory=list)

    def candidates(self, prefer_sha: str | None) -> Iterator[tuple[Artifact, WorkflowRun]]:
        found = list(islice(self.github.artifacts(self.name), _LOOK_AT))
        found.sort(key=lambda artifact: (artifact.head_sha == prefer_sha, artifact.created_at or "", artifact.id))
        for artifact in reversed(found):
            self.seen += 1
            self.expired += artifact.expired
            run, against = self._run_and_reason(artifact)
            if run is None or against:
                self.pass_over(artifact, against)
            else:
                yield artifact, run

    def pass_over(self, artifact: Artifact, reason: str) -> None:
        self.passed_over.append(printable(f"artifact {artifact.id} of run {artifact.run_id}: {reason}"))

    def reason(self) -> str:
        if not self.seen:
            return f"there is no artifact named {self.name!r}"
        if self.expired == self.seen:
            return f"every artifact named {self.name!r} has expired"
        return f"no artifact named {self.name!r} can be used: {self.passed_over[0]}"

    def _run_and_reason(self, artifact: Artifact) -> tuple[WorkflowRun | None, str]:
        """The artifact's run, asked for only when nothing else speaks against it; and what does, or nothing."""
        if artifact.run_id is None:
            return None, "its run is not known any more"
        against = self._against_artifact(artifact)
        if against:
            return None, against
        try:
            run = self.github.workflow_run(artifact.run_id)
        except ApiError as exc:
            if exc.failure.kind is Kind.MISSING:
                return None, "its run is not known any more"
            raise
        return run, self._against_run(run)

    def _against_artifact(self, artifact: Artifact) -> str:
        if artifact.name != self.name:
            return "it has another name"
        if artifact.expired:
            return "it has expired"
        if artifact.repository_id != self.trust.repository_id:
            return "it belongs to another repository"
        if artifact.head_repository_id != self.trust.repository_id:
            return f"it comes from a fork (repository {artifact.head_repository_id})"
        if artifact.head_branch != self.trust.branch:
            return f"it comes from the branch {artifact.head_branch!r}, not from {self.trust.branch!r}"
        return ""

    def _against_run(self, run: WorkflowRun) -> str:
        if (run.repository_id, run.head_repository_id) != (self.trust.repository_id, self.trust.repository_id):
            return "its run comes from a fork"
        if run.head_branch != self.trust.branch:
            return f"its run was on the branch {run.head_branch!r}"
        if run.event not in TRUSTED_EVENTS:
            return f"its run was started by {run.event}, which is not trusted"
        if run.conclusion != "success":
            return f"its run ended as {run.conclusion or 'not yet'}"
        if self.trust.workflow_path not in (None, run.path):
            return f"its run is of {run.path}, not of {self.trust.workflow_path}"
        return ""
