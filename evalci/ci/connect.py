"""From the environment of a run to a client for its code host."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from evalci.ci import github, gitlab
from evalci.ci.event import CiEnvironment
from evalci.ci.host import Effects, Secret
from evalci.ci.http_api import ApiClient
from evalci.ci.retry import Patience
from evalci.ci.transport import open_http


@contextmanager
def github_of(
    where: CiEnvironment, token: str, environ: Mapping[str, str], effects: Effects, patience: Patience | None = None
) -> Iterator[github.GitHub]:
    """GitHub's calls on the repository of this run; closed at the end. A repository that is none is a ValueError."""
    secret = Secret(token)
    base_url = where.api_url or github.PUBLIC_API
    host = github.github_host(base_url, has_token=bool(secret), read_only=where.read_only)
    with open_http(environ) as http:
        api = ApiClient(http=http, host=host, token=secret, effects=effects, patience=patience or Patience())
        yield github.GitHub(api=api, repository=where.repository or "")


@contextmanager
def gitlab_of(
    where: CiEnvironment, token: str, environ: Mapping[str, str], effects: Effects, patience: Patience | None = None
) -> Iterator[gitlab.GitLab]:
    """GitLab's calls on the project of this pipeline; closed at the end."""
    host = gitlab.gitlab_host(where.api_url or gitlab.PUBLIC_API)
    with open_http(environ) as http:
        api = ApiClient(http=http, host=host, token=Secret(token), effects=effects, patience=patience or Patience())
        yield gitlab.GitLab(api=api, project=str(where.repository_id or where.repository or ""))
