"""What GitHub's answers look like, whole, so that they pass its own schema."""

import json
from copy import deepcopy
from typing import Any
from urllib.parse import quote

from .openapi_check import DATA

OWNER, NAME = "octo-org", "evals"
REPOSITORY = f"{OWNER}/{NAME}"
REPOSITORY_ID = 1300192
_TIME = "2026-11-03T10:{:02d}:{:02d}Z"


def event(name: str) -> dict[str, Any]:
    """A published payload."""
    return json.loads((DATA / "events" / f"{name}.json").read_text("utf-8"))


_PULL = event("pull_request")["pull_request"]
_RUN = event("workflow_run")["workflow_run"]


def moment(seconds: int) -> str:
    """A point in time, growing with `seconds`."""
    return _TIME.format(seconds // 60 % 60, seconds % 60)


def user(login: str) -> dict[str, Any]:
    url = f"https://api.github.com/users/{quote(login)}"
    return {**_PULL["user"], "login": login, "url": url, "type": "Bot" if login.endswith("[bot]") else "User"}


def private_user(login: str) -> dict[str, Any]:
    numbers = ["followers", "following", "public_gists", "public_repos", "disk_usage", "private_gists"]
    numbers += ["owned_private_repos", "total_private_repos", "collaborators"]
    texts = ["bio", "company", "email", "location", "name", "blog"]
    return {
        **user(login),
        **dict.fromkeys(numbers, 0),
        **dict.fromkeys(texts, ""),
        "hireable": None,
        "created_at": moment(0),
        "updated_at": moment(0),
        "two_factor_authentication": True,
        "user_view_type": "private",
    }


def comment(number: int, issue: int, login: str, body: str, changed: int) -> dict[str, Any]:
    base = f"https://api.github.com/repos/{REPOSITORY}/issues"
    return {
        "id": number,
        "node_id": f"IC_{number}",
        "url": f"{base}/comments/{number}",
        "html_url": f"https://github.com/{REPOSITORY}/pull/{issue}#issuecomment-{number}",
        "issue_url": f"{base}/{issue}",
        "user": user(login),
        "created_at": moment(number),
        "updated_at": moment(changed),
        "author_association": "CONTRIBUTOR",
        "body": body,
        "performed_via_github_app": None,
    }


def repository(full_name: str = REPOSITORY, number: int = REPOSITORY_ID) -> dict[str, Any]:
    owner, name = full_name.split("/")
    found = deepcopy(_PULL["base"]["repo"])
    return {**found, "id": number, "name": name, "full_name": full_name, "owner": user(owner)}


def pull_request(
    number: int,
    *,
    head_sha: str,
    head_ref: str = "change",
    head: dict[str, Any] | None = None,
    base_ref: str = "main",
    base_sha: str = "b" * 40,
    state: str = "open",
    labels: tuple[str, ...] = (),
) -> dict[str, Any]:
    """A pull request; `head` is the repository it comes from, or `{}` when that fork is gone."""
    found = deepcopy(_PULL)
    source = repository() if head is None else head or None
    found |= {"number": number, "state": state, "labels": [label(name) for name in labels]}
    found["head"] = {**found["head"], "sha": head_sha, "ref": head_ref, "repo": source}
    found["head"]["label"] = f"{source['owner']['login'] if source else 'unknown'}:{head_ref}"
    found["base"] = {**found["base"], "sha": base_sha, "ref": base_ref, "repo": repository()}
    return found


def simple_pull_request(found: dict[str, Any]) -> dict[str, Any]:
    """The form in lists, which lacks the counts."""
    whole_only = ("additions", "deletions", "changed_files", "commits", "mergeable", "mergeable_state", "merged")
    return {key: value for key, value in found.items() if key not in whole_only}


def label(name: str) -> dict[str, Any]:
    url = f"https://api.github.com/repos/{REPOSITORY}/labels/{name}"
    return {
        "id": 7,
        "node_id": "LA_7",
        "url": url,
        "name": name,
        "description": "",
        "color": "ededed",
        "default": False,
    }


def workflow_run(
    number: int,
    *,
    head_sha: str,
    branch: str = "main",
    event_name: str = "push",
    conclusion: str | None = "success",
    path: str = ".github/workflows/evals.yml",
    head: dict[str, Any] | None = None,
    attempt: int = 1,
) -> dict[str, Any]:
    found = deepcopy(_RUN)
    found |= {"id": number, "head_sha": head_sha, "head_branch": branch, "event": event_name, "path": path}
    found |= {"conclusion": conclusion, "status": "completed" if conclusion else "in_progress", "display_title": "x"}
    found |= {"run_attempt": attempt, "created_at": moment(number), "repository": repository()}
    return found | {"head_repository": head or repository()}


def artifact(
    number: int,
    name: str,
    *,
    run: dict[str, Any],
    size: int,
    digest: str | None,
    expired: bool = False,
) -> dict[str, Any]:
    url = f"https://api.github.com/repos/{REPOSITORY}/actions/artifacts/{number}"
    return {
        "id": number,
        "node_id": f"A_{number}",
        "name": name,
        "size_in_bytes": size,
        "url": url,
        "archive_download_url": f"{url}/zip",
        "expired": expired,
        "created_at": moment(number),
        "updated_at": moment(number),
        "expires_at": moment(number),
        "digest": digest,
        "workflow_run": {
            "id": run["id"],
            "repository_id": run["repository"]["id"],
            "head_repository_id": run["head_repository"]["id"],
            "head_branch": run["head_branch"],
            "head_sha": run["head_sha"],
        },
    }


def cache_entry(number: int, key: str, ref: str) -> dict[str, Any]:
    return {
        "id": number,
        "ref": ref,
        "key": key,
        "version": "v",
        "last_accessed_at": moment(number),
        "created_at": moment(number),
        "size_in_bytes": 1024,
    }
