"""What the code hosts tell us, as values: comments, pull requests, runs, artifacts. Built only from checked fields."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """One comment of a conversation; `author` is empty when the account is gone."""

    id: int
    author: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequest:
    """A pull or merge request as it is now."""

    number: int
    is_open: bool
    head_sha: str
    head_ref: str
    head_repository: str | None
    base_ref: str
    base_sha: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowRun:
    """One run of a workflow, with what decides whether its artifacts can be trusted."""

    id: int
    attempt: int
    event: str
    conclusion: str | None
    path: str
    head_branch: str | None
    head_sha: str
    repository_id: int | None
    head_repository: str | None
    head_repository_id: int | None
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """One stored artifact and the run that made it; `digest` is None before upload-artifact v4."""

    id: int
    name: str
    size: int
    expired: bool
    created_at: str | None
    digest: str | None
    run_id: int | None
    repository_id: int | None
    head_repository_id: int | None
    head_branch: str | None
    head_sha: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheEntry:
    """One entry of the Actions cache."""

    id: int
    key: str
    ref: str
    size: int
    created_at: str


class Conversation(Protocol):
    """Where a sticky comment lives: one pull or merge request, whichever host it is on."""

    def author(self) -> str:
        """The login under which our comments appear."""
        ...

    def head_sha(self) -> str:
        """The commit that the request points at now."""
        ...

    def comments(self) -> tuple[Comment, ...]:
        """Every comment, over all pages, in the order of their ids."""
        ...

    def create(self, body: str) -> None:
        """Adds a comment."""
        ...

    def update(self, comment_id: int, body: str) -> None:
        """Replaces the text of a comment."""
        ...

    def delete(self, comment_id: int) -> None:
        """Removes a comment; that it is gone already is as good."""
        ...


def read(data: Any, kind: type[_T], *path: str) -> _T:
    """The field at a path, of the kind wanted; a ValueError names the field that is not as the host documents it."""
    found = maybe(data, kind, *path)
    if found is None:
        raise ValueError(f"{'.'.join(path)} is missing")
    return found


def maybe(data: Any, kind: type[_T], *path: str) -> _T | None:
    """The field at a path, or None where it, or anything above it, is null or absent."""
    for name in path:
        if not isinstance(data, Mapping):
            return None
        data = data.get(name)
    if data is None:
        return None
    if not isinstance(data, kind) or (kind is int and isinstance(data, bool)):
        raise ValueError(f"{'.'.join(path)} is not {kind.__name__}")
    return data


def items(data: Any, key: str | None = None) -> list[Any]:
    """The list that a page holds: the page itself, or what stands under `key`."""
    found = data if key is None else maybe(data, list, key)
    if not isinstance(found, list):
        raise ValueError(f"{key or 'the answer'} is not a list")
    return found
