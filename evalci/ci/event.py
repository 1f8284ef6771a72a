"""Where a run takes place: provider, event, commit, pull request and trust, read from what was handed in."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

EVENT_BYTES: Final = 30_000_000
# What nobody without write access can start.
TRUSTED_EVENTS: Final = frozenset({"push", "schedule", "workflow_dispatch"})
_NO_COMMIT: Final = re.compile(r"0*")


class Provider(StrEnum):
    """Whose CI this is."""

    GITHUB = "github"
    GITLAB = "gitlab"
    GENERIC = "generic"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """This job's part of a job matrix; counts from 1."""

    index: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggeringRun:
    """The run that a `workflow_run` event speaks of. Where it came from is data, not trust."""

    id: int
    attempt: int
    event: str
    conclusion: str | None
    head_sha: str
    head_branch: str
    head_owner: str | None
    head_repository_id: int | None
    pull_requests: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CiEnvironment:
    """All that EvalCI wants to know about the CI run it is in; what is unknown is None.

    `head_sha` is the commit that people pushed, never the merge commit that GitHub checks out. `read_only` says that
    this event's token cannot write. `notes` say what could not be read.
    """

    provider: Provider
    event: str = ""
    repository: str | None = None
    repository_id: int | None = None
    head_sha: str | None = None
    head_ref: str | None = None
    base_ref: str | None = None
    base_sha: str | None = None
    default_branch: str | None = None
    on_default_branch: bool = False
    pull_request: int | None = None
    labels: tuple[str, ...] = ()
    is_fork: bool = False
    read_only: bool = False
    is_public: bool | None = None
    triggering_run: TriggeringRun | None = None
    run_id: int | None = None
    attempt: int = 1
    workflow_path: str | None = None
    job: str | None = None
    server_url: str | None = None
    api_url: str | None = None
    shard: Shard | None = None
    summary_path: str | None = None
    output_path: str | None = None
    cache_mode: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def keeps_state(self) -> bool:
        """Whether a green run's state may be what later runs compare with: on the default branch, nobody else's."""
        return self.on_default_branch and self.event in TRUSTED_EVENTS


def read_event_file(path: Path, *, limit: int = EVENT_BYTES) -> str | None:
    """The text of the event's payload, or None when there is none that can be read whole."""
    try:
        with path.open("rb") as file:
            data = file.read(limit + 1)
        return data.decode() if len(data) <= limit else None
    except (OSError, UnicodeDecodeError):
        return None


def ci_environment(environ: Mapping[str, str], event_text: str | None = None) -> CiEnvironment:
    """The CI run that these variables and this payload describe."""
    if environ.get("GITHUB_ACTIONS") == "true":
        from evalci.ci.event_github import github_environment

        return github_environment(environ, event_text)
    if environ.get("GITLAB_CI") == "true":
        from evalci.ci.event_gitlab import gitlab_environment

        return gitlab_environment(environ)
    shard, notes = shard_of(environ)
    return CiEnvironment(provider=Provider.GENERIC, shard=shard, notes=notes)


def shard_of(environ: Mapping[str, str]) -> tuple[Shard | None, tuple[str, ...]]:
    """This job's shard by CI_NODE_INDEX of CI_NODE_TOTAL, and what is wrong with them."""
    index, total = number(environ.get("CI_NODE_INDEX")), number(environ.get("CI_NODE_TOTAL"))
    if index is None or total is None or total == 1:
        return None, ()
    if 1 <= index <= total:
        return Shard(index=index, total=total), ()
    note = f"CI_NODE_INDEX={index} of CI_NODE_TOTAL={total} is no shard: they count from 1 to the total"
    return None, (note,)


def number(text: str | None) -> int | None:
    """A whole number, or None."""
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 20 else None


def commit(sha: Any) -> str | None:
    """A commit, or None for nothing and for the zeros that stand for no commit."""
    return sha if isinstance(sha, str) and not _NO_COMMIT.fullmatch(sha) else None


def branch(ref: Any) -> str | None:
    """The branch in a ref, or None when it is no branch."""
    return ref.removeprefix("refs/heads/") if isinstance(ref, str) and ref.startswith("refs/heads/") else None
