"""GitHub's events as a CiEnvironment: the payload is somebody else's JSON, so every field is taken with care."""

from collections.abc import Mapping
from typing import Any, Final

from evalci.ci.event import CiEnvironment, Provider, TriggeringRun, branch, commit, number, shard_of

PUBLIC_SERVER: Final = "https://github.com"
_PULL_EVENTS: Final = ("pull_request", "pull_request_target", "pull_request_review")
_DEPENDABOT: Final = "dependabot[bot]"


def github_environment(environ: Mapping[str, str], event_text: str | None) -> CiEnvironment:
    """The run that GitHub's variables and the event's payload describe."""
    payload, notes = _payload(event_text)
    shard, shard_notes = shard_of(environ)
    facts: dict[str, Any] = {
        "provider": Provider.GITHUB,
        "event": environ.get("GITHUB_EVENT_NAME", ""),
        "repository": environ.get("GITHUB_REPOSITORY") or _at(payload, str, "repository", "full_name"),
        "repository_id": number(environ.get("GITHUB_REPOSITORY_ID")) or _at(payload, int, "repository", "id"),
        "default_branch": _at(payload, str, "repository", "default_branch"),
        "is_public": _is_public(payload),
        "run_id": number(environ.get("GITHUB_RUN_ID")),
        "attempt": number(environ.get("GITHUB_RUN_ATTEMPT")) or 1,
        "workflow_path": _workflow_path(environ),
        "job": environ.get("GITHUB_JOB") or None,
        "server_url": environ.get("GITHUB_SERVER_URL") or PUBLIC_SERVER,
        "api_url": environ.get("GITHUB_API_URL") or "https://api.github.com",
        "shard": shard,
        "summary_path": environ.get("GITHUB_STEP_SUMMARY") or None,
        "output_path": environ.get("GITHUB_OUTPUT") or None,
        "cache_mode": environ.get("ACTIONS_CACHE_MODE") or None,
        "notes": (*notes, *shard_notes),
    }
    return CiEnvironment(**(facts | _of_event(facts["event"], payload, environ, facts["default_branch"])))


def _payload(text: str | None) -> tuple[dict[str, Any], tuple[str, ...]]:
    import orjson

    if text is None:
        return {}, ("the event's payload (GITHUB_EVENT_PATH) could not be read",)
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}, ("the event's payload (GITHUB_EVENT_PATH) is not JSON",)
    return (found, ()) if isinstance(found, dict) else ({}, ("the event's payload is not a JSON object",))


def _of_event(
    event: str, payload: dict[str, Any], environ: Mapping[str, str], default_branch: str | None
) -> dict[str, Any]:
    if event in _PULL_EVENTS:
        return _of_pull_request(event, payload, environ)
    if event == "merge_group":
        return _of_merge_group(payload, environ)
    if event == "workflow_run":
        return {**_of_branch(payload, environ, default_branch), "triggering_run": _triggering_run(payload)}
    # A scheduled workflow always runs on the default branch, and its payload may say nothing.
    on_default = default_branch or (environ.get("GITHUB_REF_NAME") if event == "schedule" else None)
    facts = _of_branch(payload, environ, on_default)
    return facts | ({"base_sha": commit(payload.get("before"))} if event == "push" else {})


def _of_pull_request(event: str, payload: dict[str, Any], environ: Mapping[str, str]) -> dict[str, Any]:
    pull = _at(payload, dict, "pull_request") or {}
    head, base = _at(pull, int, "head", "repo", "id"), _at(pull, int, "base", "repo", "id")
    # Without a head repository the fork was deleted; it certainly is not ours.
    is_fork = head is None or head != (base or _at(payload, int, "repository", "id"))
    by_dependabot = _DEPENDABOT in (environ.get("GITHUB_ACTOR"), _at(payload, str, "sender", "login"))
    return {
        "head_sha": commit(_at(pull, str, "head", "sha")),
        "head_ref": _at(pull, str, "head", "ref"),
        "base_ref": _at(pull, str, "base", "ref"),
        "base_sha": commit(_at(pull, str, "base", "sha")),
        "pull_request": _at(payload, int, "number") or _at(pull, int, "number"),
        "labels": _names(_at(pull, list, "labels")),
        "is_fork": is_fork,
        "read_only": event != "pull_request_target" and (is_fork or by_dependabot),
    }


def _of_merge_group(payload: dict[str, Any], environ: Mapping[str, str]) -> dict[str, Any]:
    """A queued group may hold several pull requests, so it has no number."""
    group = _at(payload, dict, "merge_group") or {}
    return {
        "head_sha": commit(_at(group, str, "head_sha")) or commit(environ.get("GITHUB_SHA")),
        "head_ref": branch(_at(group, str, "head_ref")),
        "base_ref": branch(_at(group, str, "base_ref")),
        "base_sha": commit(_at(group, str, "base_sha")),
    }


def _of_branch(payload: dict[str, Any], environ: Mapping[str, str], default_branch: str | None) -> dict[str, Any]:
    """What push, schedule, dispatch and the rest have in common: a ref and its commit."""
    name = branch(environ.get("GITHUB_REF")) or branch(payload.get("ref"))
    return {
        "head_sha": commit(environ.get("GITHUB_SHA")) or commit(payload.get("after")),
        "head_ref": name,
        "base_ref": name,
        "default_branch": default_branch,
        "on_default_branch": name is not None and name == default_branch,
    }


def _triggering_run(payload: dict[str, Any]) -> TriggeringRun | None:
    run = _at(payload, dict, "workflow_run") or {}
    run_id, sha = _at(run, int, "id"), commit(_at(run, str, "head_sha"))
    if run_id is None or sha is None:
        return None
    pulls = _at(run, list, "pull_requests") or []
    return TriggeringRun(
        id=run_id,
        attempt=_at(run, int, "run_attempt") or 1,
        event=_at(run, str, "event") or "",
        conclusion=_at(run, str, "conclusion"),
        head_sha=sha,
        head_branch=_at(run, str, "head_branch") or "",
        head_owner=_at(run, str, "head_repository", "owner", "login"),
        head_repository_id=_at(run, int, "head_repository", "id"),
        pull_requests=tuple(found for pull in pulls if (found := _at(pull, int, "number")) is not None),
    )


def _workflow_path(environ: Mapping[str, str]) -> str | None:
    """`.github/workflows/x.yml` out of `owner/name/.github/workflows/x.yml@ref`."""
    path = "/".join(environ.get("GITHUB_WORKFLOW_REF", "").partition("@")[0].split("/")[2:])
    return path or None


def _is_public(payload: dict[str, Any]) -> bool | None:
    private = _at(payload, bool, "repository", "private")
    return None if private is None else not private


def _names(labels: list[Any] | None) -> tuple[str, ...]:
    return tuple(name for label in labels or [] if (name := _at(label, str, "name")) is not None)


def _at(data: Any, kind: type[Any], *path: str) -> Any:
    """The field at a path when it is of this kind, else None."""
    for name in path:
        data = data.get(name) if isinstance(data, dict) else None
    return data if isinstance(data, kind) and not (kind is int and isinstance(data, bool)) else None
