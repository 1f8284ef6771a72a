"""From a status to its cause and its cure: which kind of failure it is, and which line of the workflow to change."""

from collections.abc import Mapping
from typing import Final

from evalci.ci.failures import Call, Kind

_BY_STATUS: Final[Mapping[int, Kind]] = {
    401: Kind.UNAUTHORIZED,
    403: Kind.FORBIDDEN,
    404: Kind.MISSING,
    409: Kind.CONFLICT,
    410: Kind.GONE,
    413: Kind.TOO_LONG,
    423: Kind.LOCKED,
    429: Kind.RATE_LIMITED,
}
_RATE_LIMIT_WORDS: Final = ("rate limit", "abuse detection", "retry later")
_TOO_LONG_WORDS: Final = ("too long", "too large")


def kind_of(status: int, headers: Mapping[str, str], text: str) -> Kind:
    """The kind of failure behind a status: a 403 may be a rate limit or a locked conversation, a 422 a long body."""
    said = text.lower()
    if status == 403 and (_is_rate_limit(headers) or any(words in said for words in _RATE_LIMIT_WORDS)):
        return Kind.RATE_LIMITED
    if status == 403 and "locked" in said:
        return Kind.LOCKED
    if status in (400, 422) and any(words in said for words in _TOO_LONG_WORDS):
        return Kind.TOO_LONG
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return Kind.SERVER if status >= 500 else Kind.INVALID


def _is_rate_limit(headers: Mapping[str, str]) -> bool:
    return "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0"


def no_answer(host: str) -> str:
    """What to do when the host is at fault: nothing about the suite."""
    return f"{host} did not answer as it should; the verdict stands. Run the step again."


def github_remedy(kind: Kind, call: Call, said: str, *, has_token: bool, enterprise: bool, read_only: bool) -> str:
    """What to change in the workflow so that the call goes through next time; empty when nothing there would help."""
    if kind is Kind.UNAUTHORIZED or (kind is Kind.MISSING and not has_token):
        return "give the step a token that is valid now:\n  env:\n    GITHUB_TOKEN: ${{ github.token }}"
    if kind is Kind.FORBIDDEN:
        return _github_forbidden(call, said, read_only=read_only)
    if kind is Kind.MISSING and enterprise and "artifact" in call.name:
        return (
            "this GitHub Enterprise Server may not offer artifacts of upload-artifact v4 and later;\n"
            "commit the cassette and the baseline, or use upload-artifact v3"
        )
    if kind is Kind.MISSING:
        return (
            "either it does not exist in this repository, or the token cannot see it; "
            "check GITHUB_REPOSITORY and\n" + _permissions(call.permission or "contents: read")
        )
    return _REMEDIES.get(kind, "")


_REMEDIES: Final[Mapping[Kind, str]] = {
    Kind.GONE: "it has expired or was switched off: raise `retention-days`, or let the default branch save a new one",
    Kind.LOCKED: "the conversation is locked: unlock it, or read the step summary instead of the comment",
    Kind.TOO_LONG: "the text is over the limit of GitHub even in its shortest form: read the step summary instead",
    Kind.RATE_LIMITED: "the rate limit of this repository's token is used up; the verdict stands. "
    "Run the publish step again later, or publish from one job instead of every leg.",
    Kind.DEADLINE: no_answer("GitHub"),
    Kind.SERVER: no_answer("GitHub"),
    Kind.TIMEOUT: no_answer("GitHub"),
    Kind.CONNECTION: "GitHub could not be reached; the verdict stands. Check GITHUB_API_URL, HTTPS_PROXY and NO_PROXY, "
    "then run the step again.",
}


def _github_forbidden(call: Call, said: str, *, read_only: bool) -> str:
    lowered = said.lower()
    if "saml" in lowered or "sso" in lowered.split():
        return "authorize the token for the organization's single sign-on, or use the job's own `github.token`"
    if "ip allow list" in lowered:
        return "run the job where the organization's IP allow list lets it, or add the runner's address to the list"
    if read_only and call.permission.endswith("write"):
        return (
            "a pull request from a fork, or by Dependabot, gets a read-only token whatever `permissions:` says:\n"
            "post the saved report from a second workflow (on: workflow_run) with `evalci comment`"
        )
    return _permissions(call.permission or "contents: read")


def _permissions(line: str) -> str:
    return f"add to the job:\n  permissions:\n    {line}"


def gitlab_remedy(kind: Kind, call: Call, said: str) -> str:
    """What to change in `.gitlab-ci.yml` or the project's settings so that the call goes through next time."""
    if kind in (Kind.UNAUTHORIZED, Kind.FORBIDDEN):
        return (
            "CI_JOB_TOKEN cannot write notes: set the masked CI/CD variable GITLAB_TOKEN to a project access token\n"
            "with the scope `api` and at least the role Reporter"
        )
    if kind is Kind.MISSING:
        return (
            "either there is no such merge request, or the token cannot see it: check CI_PROJECT_ID, "
            "CI_MERGE_REQUEST_IID\nand that the job runs in merge request pipelines (rules: "
            'if: $CI_PIPELINE_SOURCE == "merge_request_event")'
        )
    if kind is Kind.RATE_LIMITED:
        return "GitLab's rate limit is used up; the verdict stands. Run the publish job again later."
    if kind is Kind.CONNECTION:
        return "GitLab could not be reached; the verdict stands. Check CI_API_V4_URL, HTTPS_PROXY and NO_PROXY."
    if kind in (Kind.SERVER, Kind.TIMEOUT, Kind.DEADLINE):
        return no_answer("GitLab")
    return _REMEDIES.get(kind, "").replace("GitHub", "GitLab")
