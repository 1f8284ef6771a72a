"""From GitHub's JSON to values; a field that is not as documented is a ValueError naming it."""

from typing import Any

from evalci.ci.values import Artifact, CacheEntry, Comment, PullRequest, WorkflowRun, maybe, read


def comment(data: Any) -> Comment:
    """A comment; the author of a deleted account is empty."""
    return Comment(
        id=read(data, int, "id"),
        author=maybe(data, str, "user", "login") or "",
        body=maybe(data, str, "body") or "",
    )


def pull_request(data: Any) -> PullRequest:
    """A pull request; the repository of a deleted fork is None."""
    labels = maybe(data, list, "labels") or []
    return PullRequest(
        number=read(data, int, "number"),
        is_open=read(data, str, "state") == "open",
        head_sha=read(data, str, "head", "sha"),
        head_ref=read(data, str, "head", "ref"),
        head_repository=maybe(data, str, "head", "repo", "full_name"),
        base_ref=read(data, str, "base", "ref"),
        base_sha=read(data, str, "base", "sha"),
        labels=tuple(read(label, str, "name") for label in labels),
    )


def workflow_run(data: Any) -> WorkflowRun:
    """A run."""
    return WorkflowRun(
        id=read(data, int, "id"),
        attempt=maybe(data, int, "run_attempt") or 1,
        event=read(data, str, "event"),
        conclusion=maybe(data, str, "conclusion"),
        path=(maybe(data, str, "path") or "").partition("@")[0],
        head_branch=maybe(data, str, "head_branch"),
        head_sha=read(data, str, "head_sha"),
        repository_id=maybe(data, int, "repository", "id"),
        head_repository=maybe(data, str, "head_repository", "full_name"),
        head_repository_id=maybe(data, int, "head_repository", "id"),
        created_at=read(data, str, "created_at"),
    )


def artifact(data: Any) -> Artifact:
    """An artifact with what is known of its run."""
    return Artifact(
        id=read(data, int, "id"),
        name=read(data, str, "name"),
        size=read(data, int, "size_in_bytes"),
        expired=read(data, bool, "expired"),
        created_at=maybe(data, str, "created_at"),
        digest=maybe(data, str, "digest"),
        run_id=maybe(data, int, "workflow_run", "id"),
        repository_id=maybe(data, int, "workflow_run", "repository_id"),
        head_repository_id=maybe(data, int, "workflow_run", "head_repository_id"),
        head_branch=maybe(data, str, "workflow_run", "head_branch"),
        head_sha=maybe(data, str, "workflow_run", "head_sha"),
    )


def cache_entry(data: Any) -> CacheEntry:
    """An entry of the cache."""
    return CacheEntry(
        id=read(data, int, "id"),
        key=read(data, str, "key"),
        ref=read(data, str, "ref"),
        size=maybe(data, int, "size_in_bytes") or 0,
        created_at=maybe(data, str, "created_at") or "",
    )
