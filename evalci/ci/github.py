"""GitHub's REST calls as EvalCI uses them, each giving checked values and naming the permission it needs."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar
from urllib.parse import quote

from evalci.ci import github_json
from evalci.ci.archive import ArchiveRefused, ArchiveRules, unpack
from evalci.ci.failures import ApiError, ApiFailure, Call, Kind
from evalci.ci.host import Host
from evalci.ci.http_api import ApiClient
from evalci.ci.remedies import github_remedy
from evalci.ci.transport import origin_of
from evalci.ci.values import Artifact, CacheEntry, Comment, PullRequest, WorkflowRun, items, read

PUBLIC_API: Final = "https://api.github.com"
ACTIONS_BOT: Final = "github-actions[bot]"
_REPOSITORY: Final = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")
_READ_PULLS: Final = "pull-requests: read"
_WRITE_PULLS: Final = "pull-requests: write"
_READ_ACTIONS: Final = "actions: read"
_PAGE: Final = {"per_page": "100"}

_T = TypeVar("_T")


def github_host(base_url: str, *, has_token: bool = True, read_only: bool = False) -> Host:
    """How to talk to GitHub, or to an Enterprise Server whose address ends in `/api/v3`.

    `read_only` says that the event gives a token that cannot write, so a refusal is explained by that.
    """
    enterprise = origin_of(base_url) != origin_of(PUBLIC_API)

    def remedy(kind: Kind, call: Call, said: str) -> str:
        return github_remedy(kind, call, said, has_token=has_token, enterprise=enterprise, read_only=read_only)

    return Host(
        name="GitHub",
        base_url=base_url,
        headers={"accept": "application/vnd.github+json", "x-github-api-version": "2022-11-28"},
        token_header=lambda token: ("authorization", f"Bearer {token}"),
        remedy=remedy,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GitHub:
    """The calls on one repository."""

    api: ApiClient
    repository: str

    def __post_init__(self) -> None:
        if not _REPOSITORY.fullmatch(self.repository):
            raise ValueError(f"GITHUB_REPOSITORY has to be owner/name, not {self.repository!r}")

    def identity(self) -> str:
        """The login behind the token. A job's own token may not ask, and is the Actions bot."""
        call = Call(name="ask who the token belongs to", method="GET", path="/user")
        try:
            return self._parsed(call, self.api.get(call), lambda data: read(data, str, "login"))
        except ApiError as exc:
            if exc.failure.kind is Kind.FORBIDDEN:
                return ACTIONS_BOT
            raise

    def comments(self, number: int) -> tuple[Comment, ...]:
        """Every comment of a pull request, over all pages."""
        call = self._call(f"list the comments of #{number}", "GET", f"/issues/{number}/comments", _READ_PULLS)
        return tuple(self._listed(call, _PAGE, github_json.comment))

    def create_comment(self, number: int, body: str) -> Comment:
        """The comment just made; one attempt."""
        call = self._call(f"comment on #{number}", "POST", f"/issues/{number}/comments", _WRITE_PULLS)
        return self._parsed(call, self.api.write(call, {"body": body}), github_json.comment)

    def update_comment(self, comment_id: int, body: str) -> Comment:
        """The comment as just changed; one attempt."""
        call = self._call("update the comment", "PATCH", f"/issues/comments/{comment_id}", _WRITE_PULLS)
        return self._parsed(call, self.api.write(call, {"body": body}), github_json.comment)

    def delete_comment(self, comment_id: int) -> None:
        """Deletes a comment."""
        self.api.delete(
            self._call("delete a duplicate comment", "DELETE", f"/issues/comments/{comment_id}", _WRITE_PULLS)
        )

    def pull_request(self, number: int) -> PullRequest:
        """A pull request as it is now."""
        call = self._call(f"read pull request #{number}", "GET", f"/pulls/{number}", _READ_PULLS)
        return self._parsed(call, self.api.get(call), github_json.pull_request)

    def labels(self, number: int) -> tuple[str, ...]:
        """The labels that a pull request carries now, which the event's payload may predate."""
        call = self._call(f"read the labels of #{number}", "GET", f"/issues/{number}/labels", _READ_PULLS)
        return tuple(self._listed(call, _PAGE, lambda data: read(data, str, "name")))

    def open_pull_requests(self, owner: str, branch: str, head_sha: str) -> tuple[PullRequest, ...]:
        """The open pull requests from `owner:branch` that point at exactly this commit."""
        call = self._call("find the pull request of this commit", "GET", "/pulls", _READ_PULLS)
        wanted = {"state": "open", "head": f"{owner}:{branch}", **_PAGE}
        found = tuple(self._listed(call, wanted, github_json.pull_request))
        return tuple(pull for pull in found if pull.head_sha == head_sha and pull.is_open)

    def pull_requests_of_commit(self, sha: str) -> tuple[PullRequest, ...]:
        """The pull requests that hold a commit."""
        call = self._call("find the pull requests of a commit", "GET", f"/commits/{quote(sha)}/pulls", _READ_PULLS)
        return tuple(self._listed(call, _PAGE, github_json.pull_request))

    def artifacts(self, name: str) -> Iterator[Artifact]:
        """The repository's artifacts of a name, newest first; pages are asked for as they are needed."""
        call = self._call("list the artifacts", "GET", "/actions/artifacts", _READ_ACTIONS)
        return self._listed(call, {"name": name, **_PAGE}, github_json.artifact, key="artifacts")

    def run_artifacts(self, run_id: int, name: str | None = None) -> tuple[Artifact, ...]:
        """The artifacts of one run; one name appears once per attempt, so take the highest id."""
        call = self._call(
            f"list the artifacts of run {run_id}", "GET", f"/actions/runs/{run_id}/artifacts", _READ_ACTIONS
        )
        wanted = {"name": name, **_PAGE} if name else _PAGE
        return tuple(self._listed(call, wanted, github_json.artifact, key="artifacts"))

    def workflow_run(self, run_id: int) -> WorkflowRun:
        """One run."""
        call = self._call(f"read run {run_id}", "GET", f"/actions/runs/{run_id}", _READ_ACTIONS)
        return self._parsed(call, self.api.get(call), github_json.workflow_run)

    def workflow_runs(self, workflow: str, **filters: str) -> Iterator[WorkflowRun]:
        """The runs of a workflow file, newest first. Filters are GitHub's own: branch, event, status, head_sha."""
        name = quote(workflow.rpartition("/")[2], safe="")
        call = self._call(f"list the runs of {name}", "GET", f"/actions/workflows/{name}/runs", _READ_ACTIONS)
        return self._listed(call, {**filters, **_PAGE}, github_json.workflow_run, key="workflow_runs")

    def caches(self, key: str, ref: str | None = None) -> tuple[CacheEntry, ...]:
        """The entries of the Actions cache whose key starts so."""
        call = self._call("list the caches", "GET", "/actions/caches", _READ_ACTIONS)
        wanted = {"key": key, **_PAGE} | ({"ref": ref} if ref else {})
        return tuple(self._listed(call, wanted, github_json.cache_entry, key="actions_caches"))

    def download_artifact(self, artifact: Artifact, rules: ArchiveRules) -> Mapping[str, bytes]:
        """The wanted files of an artifact: bounded, names and digest checked, no credentials sent to the storage."""
        call = self._call(
            f"download the artifact {artifact.name!r}", "GET", f"/actions/artifacts/{artifact.id}/zip", _READ_ACTIONS
        )
        data = self.api.download(call, max_bytes=rules.max_archive_bytes, digest=artifact.digest)
        try:
            return unpack(data, rules)
        except ArchiveRefused as exc:
            raise ApiError(ApiFailure(kind=Kind.REFUSED, call=str(call), message=str(exc))) from None

    def _call(self, name: str, method: str, path: str, permission: str) -> Call:
        return Call(name=name, method=method, path=f"/repos/{self.repository}{path}", permission=permission)

    def _listed(
        self, call: Call, params: Mapping[str, str], build: Callable[[Any], _T], *, key: str | None = None
    ) -> Iterator[_T]:
        for page in self.api.pages(call, params):
            yield from self._parsed(call, page, lambda data: [build(item) for item in items(data, key)])

    def _parsed(self, call: Call, data: Any, build: Callable[[Any], _T]) -> _T:
        try:
            return build(data)
        except ValueError as exc:
            message = f"GitHub's answer is not as documented: {exc}"
            raise ApiError(ApiFailure(kind=Kind.MALFORMED, call=str(call), message=message)) from None


@dataclass(slots=True, kw_only=True)
class PullRequestComments:
    """The conversation of one pull request.

    A token cannot always ask whose it is (that of a GitHub App may not), so its first comment tells.
    """

    github: GitHub
    number: int
    login: str

    def author(self) -> str:
        return self.login

    def head_sha(self) -> str:
        return self.github.pull_request(self.number).head_sha

    def comments(self) -> tuple[Comment, ...]:
        return self.github.comments(self.number)

    def create(self, body: str) -> None:
        self.login = self.github.create_comment(self.number, body).author or self.login

    def update(self, comment_id: int, body: str) -> None:
        self.github.update_comment(comment_id, body)

    def delete(self, comment_id: int) -> None:
        self.github.delete_comment(comment_id)
