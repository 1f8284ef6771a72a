"""A stateful GitHub over real sockets whose every request and answer is checked against GitHub's OpenAPI document.

It knows comments, pull requests, runs, artifacts, caches and labels of one repository. `violations` has to stay empty.
"""

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

from . import github_shapes as shapes
from .local_server import Asked, Fault, LocalServer, Reply
from .openapi_check import operation_for

JOB_TOKEN = "ghs_job_token_that_must_never_show"
PERSON_TOKEN = "ghp_person_token_that_must_never_show"
APP_TOKEN = "ghs_app_token_that_must_never_show"
_LOGINS = {JOB_TOKEN: "github-actions[bot]", PERSON_TOKEN: "ada", APP_TOKEN: "evals-app[bot]"}
_MAX_BODY = 65_536


class FakeGitHub:
    """The server. `base` is the path of an Enterprise Server's API (`/api/v3`)."""

    def __init__(self, *, base: str = "") -> None:
        self.base = base
        self.comments: dict[int, dict[str, Any]] = {}
        self.pulls: dict[int, dict[str, Any]] = {}
        self.runs: dict[int, dict[str, Any]] = {}
        self.artifacts: dict[int, tuple[dict[str, Any], bytes]] = {}
        self.caches: list[dict[str, Any]] = []
        self.locked: set[int] = set()
        self.violations: list[str] = []
        self._clock = 0
        self._server = LocalServer(self._answer, self._name_of)
        self._blobs = LocalServer(self._blob, lambda method, path: "blob")

    def __enter__(self) -> "FakeGitHub":
        return self

    def __exit__(self, *failure: object) -> None:
        self._server.stop()
        self._blobs.stop()

    @property
    def api_url(self) -> str:
        return self._server.url + self.base

    @property
    def blob_url(self) -> str:
        return self._blobs.url

    @property
    def asked(self) -> list[Asked]:
        return self._server.asked

    @property
    def blobs_asked(self) -> list[Asked]:
        return self._blobs.asked

    def calls(self, operation: str) -> list[Asked]:
        return [asked for asked in self._server.asked if asked.operation == operation]

    def slow_down(self, low: float, high: float, seed: int) -> None:
        """Random latency on every call to the API."""
        self._server.latency = (low, high)
        self._server.rng.seed(seed)

    def break_call(
        self,
        operation: str,
        status: int = 0,
        *,
        message: str = "",
        errors: list[Mapping[str, str]] | None = None,
        headers: Mapping[str, str] | None = None,
        how: str = "answer",
        times: int = 1,
        after: bool = False,
    ) -> None:
        """Makes the next calls of an operation ("*" for any, "blob" for the storage) go wrong."""
        reply = _json(status, {"message": message or "no", **({"errors": errors} if errors else {})}, headers or {})
        server = self._blobs if operation == "blob" else self._server
        server.faults.append(Fault(operation, how, reply, times, after))

    def heal(self) -> None:
        self._server.faults.clear()
        self._blobs.faults.clear()

    def add_pull(self, number: int, **facts: Any) -> dict[str, Any]:
        self.pulls[number] = shapes.pull_request(number, **facts)
        return self.pulls[number]

    def add_run(self, number: int, **facts: Any) -> dict[str, Any]:
        self.runs[number] = shapes.workflow_run(number, **facts)
        return self.runs[number]

    def add_comment(self, issue: int, login: str, body: str) -> int:
        number = self._tick()
        self.comments[number] = shapes.comment(number, issue, login, body, number)
        return number

    def add_artifact(
        self, name: str, files: Mapping[str, bytes], run: dict[str, Any], *, expired: bool = False, digest: str = ""
    ) -> int:
        data = zipped(files)
        number = self._tick()
        digest = digest or f"sha256:{hashlib.sha256(data).hexdigest()}"
        facts = shapes.artifact(number, name, run=run, size=len(data), digest=digest, expired=expired)
        self.artifacts[number] = (facts, data)
        return number

    def add_cache(self, key: str, ref: str) -> None:
        self.caches.append(shapes.cache_entry(self._tick(), key, ref))

    def bodies(self, issue: int) -> list[str]:
        return [found["body"] for _, found in sorted(self.comments.items()) if _issue_of(found) == issue]

    def _tick(self) -> int:
        self._clock += 1
        return self._clock

    def _relative(self, path: str) -> str:
        path = path.removeprefix(self.base)
        return path.replace(f"/repositories/{shapes.REPOSITORY_ID}/", f"/repos/{shapes.REPOSITORY}/", 1)

    def _name_of(self, method: str, path: str) -> str:
        found = operation_for(method, self._relative(path)) if path.startswith(self.base) else None
        return found[0].name if found else f"{method} {path}"

    def _answer(self, asked: Asked) -> Reply:
        found = operation_for(asked.method, self._relative(asked.path)) if asked.path.startswith(self.base) else None
        if found is None:
            self.violations.append(f"{asked.operation}: not a documented call")
            return _not_found()
        operation, values = found
        self.violations += operation.request_violations(asked.query, asked.body)
        reply = self._act(operation.name, asked, values)
        self.violations += operation.answer_violations(reply.status, reply.body)
        return reply

    def _act(self, operation: str, asked: Asked, values: Mapping[str, str]) -> Reply:
        login = _LOGINS.get(asked.headers.get("authorization", "").removeprefix("Bearer "))
        if login is None:
            return _json(401, {"message": "Bad credentials", "status": "401"})
        if operation != "users/get-authenticated" and f"{values['owner']}/{values['repo']}" != shapes.REPOSITORY:
            return _not_found()
        return getattr(self, "_do_" + re.sub(r"\W", "_", operation))(asked, values, login)

    def _do_users_get_authenticated(self, asked: Asked, values: Mapping[str, str], login: str) -> Reply:
        if login.endswith("[bot]"):
            return _json(403, {"message": "Resource not accessible by integration", "status": "403"})
        return _json(200, shapes.private_user(login))

    def _do_issues_list_comments(self, asked: Asked, values: Mapping[str, str], login: str) -> Reply:
        issue = int(values["issue_number"])
        if issue not in self.pulls:
            return _not_found()
        return self._page(asked, [one for _, one in sorted(self.comments.items()) if _issue_of(one) == issue])

    def _do_issues_create_comment(self, asked: Asked, values: Mapping[str, str], login: str) -> Reply:
        issue = int(values["issue_number"])
        body = json.loads(asked.body)["body"]
        if issue not in self.pulls:
            return _not_found()
        if issue in self.locked:
            return _json(403, {"message": "Unable to create comment because issue is locked."})
        if len(body) > _MAX_BODY:
            return _too_long()
        number = self.add_comment(issue, login, body)
        return _json(201, self.comments[number])

    def _do_issues_get_comment(self, asked: Asked, values: Mapping[str, str], login: str) -> Reply:
        found = self.comments.get(int(values["comment_id"]))
        return _json(200, found) if found else _not_found()

    def _do_issues_update_comment(self, asked: Asked, values: Mapping[str, str], login: str) -> Reply:
        number = int(values["comment_id"])
        body = json.loads(asked.body)["body"]
        if number not in self.comments:
            return _not_found()
        if len(body) > _MAX_BODY:
            return _too_long()
        self.comments[number] |= {"body": body, "updated_at": shapes.moment(self._tick())}
        return _json(200, self.comments[number])

    def _do_issues_delete_comment(self, asked: Asked, values: Mapping[str, str], login: str) -> Reply:
        return Reply(204) if self.comments.pop(int(values["comment_id"]), None) else _not_found()

    def _do_issues_list_labels_on_issue(self, asked: Asked, values: Mapping[str, str], login: str) -> Reply:
        pull = self.pulls.get(int(values["issue_number"]))
        return self._page(asked, pull["labels"]) if pull else _not_found()

    def _do_pulls_get(self, asked: Asked, values: Mapping[str, str], login: str) -> Reply:
        pull = self.pulls.get(int(values["pull_number"]))
        return _json(200, pull) if pull else _not_found()

    def _do_pulls_list(self, asked: Asked, values: Mapping[str, str], login: str) -> Reply:
        query = _query(asked)
        owner, _, branch = query.get("head", "").partition(":")
        state = query.get("state", "open")
        found = [
            shapes.simple_pull_request(pull)
            for pull in self.pulls.values()
            if state in ("all", pull["state"])
            and (not branch or (pull["head"]["ref"] == branch and _head_owner(pull) == owner))
        ]
        return self._page(asked, found)

    def _do_repos_list_pull_requests_associated_with_commit(
        self, asked: Asked, values: Mapping[str, str], login: str
    ) -> Reply:
        sha = values["commit_sha"]
        found = [shapes.simple_pull_request(pull) for pull in self.pulls.values() if pull["head"]["sha"] == sha]
        return self._page(asked, found)

    def _do_actions_list_artifacts_for_repo(self, asked: Asked, values: Mapping[str, str], login: str) -> Reply:
        return self._artifact_page(asked, None)

    def _do_actions_list_workflow_run_artifacts(self, asked: Asked, values: Mapping[str, str], login: str) -> Reply:
        return self._artifact_page(asked, int(values["run_id"]))

    def _do_actions_download_artifact(self, asked: Asked, values: Mapping[str, str], login: str) -> Reply:
        number = int(values["artifact_id"])
        if number not in self.artifacts:
            return _not_found()
        if self.artifacts[number][0]["expired"]:
            return _json(410, {"message": "Artifact has expired", "documentation_url": "", "status": "410"})
        return Reply(302, headers={"location": f"{self.blob_url}/signed/{number}?sig=very-secret-signature"})

    def _do_actions_get_workflow_run(self, asked: Asked, values: Mapping[str, str], login: str) -> Reply:
        run = self.runs.get(int(values["run_id"]))
        return _json(200, run) if run else _not_found()

    def _do_actions_list_workflow_runs(self, asked: Asked, values: Mapping[str, str], login: str) -> Reply:
        query = _query(asked)
        found = [
            run
            for _, run in sorted(self.runs.items(), reverse=True)
            if run["path"].endswith("/" + values["workflow_id"])
            and query.get("branch") in (None, run["head_branch"])
            and query.get("event") in (None, run["event"])
            and query.get("head_sha") in (None, run["head_sha"])
            and query.get("status") in (None, run["status"], run["conclusion"])
        ]
        return self._page(asked, found, key="workflow_runs")

    def _do_actions_get_actions_cache_list(self, asked: Asked, values: Mapping[str, str], login: str) -> Reply:
        query = _query(asked)
        found = [
            entry
            for entry in self.caches
            if entry["key"].startswith(query.get("key", "")) and query.get("ref") in (None, entry["ref"])
        ]
        return self._page(asked, found, key="actions_caches")

    def _artifact_page(self, asked: Asked, run_id: int | None) -> Reply:
        name = _query(asked).get("name")
        found = [
            facts
            for _, (facts, _) in sorted(self.artifacts.items(), reverse=True)
            if name in (None, facts["name"]) and (run_id is None or facts["workflow_run"]["id"] == run_id)
        ]
        return self._page(asked, found, key="artifacts")

    def _page(self, asked: Asked, found: list[Any], *, key: str | None = None) -> Reply:
        query = _query(asked)
        size = min(int(query.get("per_page", 30)), 100)
        page = int(query.get("page", 1))
        part = found[(page - 1) * size : page * size]
        headers = {}
        if page * size < len(found):
            path = self._relative(asked.path).replace(
                f"/repos/{shapes.REPOSITORY}/", f"/repositories/{shapes.REPOSITORY_ID}/", 1
            )
            rest = "&".join(pair for pair in asked.query.split("&") if pair and not pair.startswith("page="))
            address = f"{self.api_url}{path}?{rest}&page="
            last = -(-len(found) // size)
            headers["link"] = f'<{address}{page + 1}>; rel="next", <{address}{last}>; rel="last"'
        return _json(200, part if key is None else {"total_count": len(found), key: part}, headers)

    def _blob(self, asked: Asked) -> Reply:
        match = re.fullmatch(r"/signed/(\d+)", asked.path)
        if match is None or int(match[1]) not in self.artifacts:
            return Reply(404)
        return Reply(200, self.artifacts[int(match[1])][1], {"content-type": "application/zip"})


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A zip with these members, always the same bytes."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 11, 3, 10, 0, 0)), content)
    return target.getvalue()


def _query(asked: Asked) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(asked.query, keep_blank_values=True).items()}


def _issue_of(comment: Mapping[str, Any]) -> int:
    return int(comment["issue_url"].rpartition("/")[2])


def _head_owner(pull: Mapping[str, Any]) -> str | None:
    source = pull["head"]["repo"]
    return source["owner"]["login"] if source else None


def _json(status: int, data: Any, headers: Mapping[str, str] | None = None) -> Reply:
    return Reply(status, json.dumps(data).encode(), {"content-type": "application/json", **(headers or {})})


def _not_found() -> Reply:
    return _json(404, {"message": "Not Found", "documentation_url": "https://docs.github.com/rest", "status": "404"})


def _too_long() -> Reply:
    message = "Body is too long (maximum is 65536 characters)"
    error = {"resource": "IssueComment", "code": "unprocessable", "field": "data", "message": message}
    return _json(422, {"message": "Validation Failed", "errors": [error], "documentation_url": "https://docs"})
