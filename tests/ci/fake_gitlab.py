"""A stateful GitLab over real sockets: one project's merge requests and their notes."""

import json
import re
from typing import Any
from urllib.parse import parse_qs

from .local_server import Asked, Fault, LocalServer, Reply

TOKEN = "glpat-token_that_must_never_show"
_QUERY = {"page", "per_page", "sort", "order_by"}
_PATH = re.compile(
    r"/api/v4/(?:user|projects/(?:17|group%2Fevals)/merge_requests/(?P<iid>\d+)(?P<notes>/notes(?:/(?P<note>\d+))?)?)"
)


class FakeGitLab:
    """The server. Notes of others, system notes and pages are as GitLab has them."""

    def __init__(self) -> None:
        self.notes: dict[int, dict[str, Any]] = {}
        self.head_sha = "a" * 40
        self.violations: list[str] = []
        self._clock = 0
        self._server = LocalServer(self._answer, self._name_of)

    def __enter__(self) -> "FakeGitLab":
        return self

    def __exit__(self, *failure: object) -> None:
        self._server.stop()

    @property
    def api_url(self) -> str:
        return f"{self._server.url}/api/v4"

    @property
    def asked(self) -> list[Asked]:
        return self._server.asked

    def break_call(self, operation: str, status: int, *, times: int = 1) -> None:
        self._server.faults.append(Fault(operation, "answer", _json(status, {"message": f"{status} no"}), times))

    def add_note(self, author: str, body: str, *, system: bool = False) -> int:
        self._clock += 1
        self.notes[self._clock] = {
            "id": self._clock,
            "body": body,
            "author": {"id": 1, "username": author, "name": author, "state": "active"},
            "created_at": "2026-11-03T10:00:00.000Z",
            "system": system,
            "noteable_type": "MergeRequest",
            "noteable_iid": 7,
        }
        return self._clock

    def bodies(self) -> list[str]:
        return [note["body"] for _, note in sorted(self.notes.items()) if not note["system"]]

    def _name_of(self, method: str, path: str) -> str:
        match = _PATH.fullmatch(path)
        if match is None:
            return f"{method} {path}"
        kind = "note" if match["note"] else "notes" if match["notes"] else "merge request" if match["iid"] else "user"
        return f"{method} {kind}"

    def _answer(self, asked: Asked) -> Reply:
        match = _PATH.fullmatch(asked.path)
        query = {name: values[-1] for name, values in parse_qs(asked.query).items()}
        if match is None or not set(query) <= _QUERY:
            self.violations.append(f"{asked.method} {asked.path}?{asked.query}")
            return _json(404, {"message": "404 Not Found"})
        if asked.headers.get("private-token") != TOKEN:
            return _json(401, {"message": "401 Unauthorized"})
        if match["iid"] is None:
            return _json(200, {"id": 1, "username": "project_17_bot", "name": "bot"})
        if match["iid"] != "7":
            return _json(404, {"message": "404 Not found"})
        if match["notes"] is None:
            return _json(200, self._merge_request())
        if match["note"] is None:
            return self._page(asked, query) if asked.method == "GET" else self._create(asked)
        return self._change(asked, int(match["note"]))

    def _create(self, asked: Asked) -> Reply:
        return _json(201, self.notes[self.add_note("project_17_bot", json.loads(asked.body)["body"])])

    def _change(self, asked: Asked, number: int) -> Reply:
        if number not in self.notes:
            return _json(404, {"message": "404 Note Not Found"})
        if asked.method == "DELETE":
            del self.notes[number]
            return Reply(204)
        self.notes[number]["body"] = json.loads(asked.body)["body"]
        return _json(200, self.notes[number])

    def _page(self, asked: Asked, query: dict[str, str]) -> Reply:
        size, page = min(int(query.get("per_page", "20")), 100), int(query.get("page", "1"))
        found = sorted(self.notes.values(), key=lambda note: note["id"], reverse=query.get("sort") != "asc")
        headers = {}
        if page * size < len(found):
            rest = "&".join(pair for pair in asked.query.split("&") if not pair.startswith("page="))
            headers["link"] = f'<{self._server.url}{asked.path}?{rest}&page={page + 1}>; rel="next"'
        return _json(200, found[(page - 1) * size : page * size], headers)

    def _merge_request(self) -> dict[str, Any]:
        return {
            "id": 70,
            "iid": 7,
            "state": "opened",
            "sha": self.head_sha,
            "source_branch": "change",
            "target_branch": "main",
            "source_project_id": 17,
            "labels": ["evalci: accept"],
            "diff_refs": {"base_sha": "b" * 40, "head_sha": self.head_sha, "start_sha": "b" * 40},
        }


def _json(status: int, data: Any, headers: dict[str, str] | None = None) -> Reply:
    return Reply(status, json.dumps(data).encode(), {"content-type": "application/json", **(headers or {})})
