"""GitLab's calls as EvalCI uses them: the notes of one merge request, through the same client as GitHub's."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar
from urllib.parse import quote

from evalci.ci.failures import ApiError, ApiFailure, Call, Kind
from evalci.ci.host import Host
from evalci.ci.http_api import ApiClient
from evalci.ci.remedies import gitlab_remedy
from evalci.ci.values import Comment, PullRequest, items, maybe, read

PUBLIC_API: Final = "https://gitlab.com/api/v4"
_T = TypeVar("_T")


def gitlab_host(base_url: str) -> Host:
    """How to talk to GitLab; `base_url` ends in `/api/v4`."""
    return Host(
        name="GitLab",
        base_url=base_url,
        headers={"accept": "application/json"},
        token_header=lambda token: ("private-token", token),
        remedy=gitlab_remedy,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GitLab:
    """The calls on one project, named by its number or its path."""

    api: ApiClient
    project: str

    def identity(self) -> str:
        """The user name behind the token."""
        call = Call(name="ask who the token belongs to", method="GET", path="/user")
        return self._parsed(call, self.api.get(call), lambda data: read(data, str, "username"))

    def merge_request(self, iid: int) -> PullRequest:
        """A merge request as it is now."""
        call = self._call(f"read merge request !{iid}", "GET", f"/{iid}")
        return self._parsed(call, self.api.get(call), _merge_request)

    def notes(self, iid: int) -> tuple[Comment, ...]:
        """Every note that people or tokens wrote on a merge request, oldest first, over all pages."""
        call = self._call(f"list the notes of !{iid}", "GET", f"/{iid}/notes")
        found: list[Comment] = []
        for page in self.api.pages(call, {"sort": "asc", "order_by": "created_at", "per_page": "100"}):
            found += self._parsed(call, page, _notes)
        return tuple(sorted(found, key=lambda note: note.id))

    def create_note(self, iid: int, body: str) -> Comment:
        """The note just made; one attempt."""
        call = self._call(f"write a note on !{iid}", "POST", f"/{iid}/notes")
        return self._parsed(call, self.api.write(call, {"body": body}), _note)

    def update_note(self, iid: int, note_id: int, body: str) -> Comment:
        """The note as just changed; one attempt."""
        call = self._call("update the note", "PUT", f"/{iid}/notes/{note_id}")
        return self._parsed(call, self.api.write(call, {"body": body}), _note)

    def delete_note(self, iid: int, note_id: int) -> None:
        """Deletes a note."""
        self.api.delete(self._call("delete a duplicate note", "DELETE", f"/{iid}/notes/{note_id}"))

    def _call(self, name: str, method: str, path: str) -> Call:
        return Call(name=name, method=method, path=f"/projects/{quote(self.project, safe='')}/merge_requests{path}")

    def _parsed(self, call: Call, data: Any, build: Callable[[Any], _T]) -> _T:
        try:
            return build(data)
        except ValueError as exc:
            message = f"GitLab's answer is not as documented: {exc}"
            raise ApiError(ApiFailure(kind=Kind.MALFORMED, call=str(call), message=message)) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeRequestNotes:
    """The conversation of one merge request."""

    gitlab: GitLab
    iid: int
    login: str

    def author(self) -> str:
        return self.login

    def head_sha(self) -> str:
        return self.gitlab.merge_request(self.iid).head_sha

    def comments(self) -> tuple[Comment, ...]:
        return self.gitlab.notes(self.iid)

    def create(self, body: str) -> None:
        self.gitlab.create_note(self.iid, body)

    def update(self, comment_id: int, body: str) -> None:
        self.gitlab.update_note(self.iid, comment_id, body)

    def delete(self, comment_id: int) -> None:
        self.gitlab.delete_note(self.iid, comment_id)


def _notes(data: Any) -> list[Comment]:
    return [_note(item) for item in items(data) if not maybe(item, bool, "system")]


def _note(data: Any) -> Comment:
    return Comment(
        id=read(data, int, "id"), author=maybe(data, str, "author", "username") or "", body=read(data, str, "body")
    )


def _merge_request(data: Any) -> PullRequest:
    labels = [label for label in maybe(data, list, "labels") or [] if isinstance(label, str)]
    return PullRequest(
        number=read(data, int, "iid"),
        is_open=read(data, str, "state") == "opened",
        head_sha=read(data, str, "sha"),
        head_ref=read(data, str, "source_branch"),
        head_repository=str(maybe(data, int, "source_project_id") or "") or None,
        base_ref=read(data, str, "target_branch"),
        base_sha=maybe(data, str, "diff_refs", "base_sha") or "",
        labels=tuple(labels),
    )
