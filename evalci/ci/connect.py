"""From the environment of a run to a client for its code host."""

import random
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from evalci.ci import github, gitlab
from evalci.ci.event import CiEnvironment
from evalci.ci.host import Effects, Secret
from evalci.ci.http_api import ApiClient
from evalci.ci.retry import Patience
from evalci.ci.transport import open_http


def real_effects() -> Effects:
    """The real clock, real waiting, real chance."""
    return Effects(clock=time.monotonic, sleep=time.sleep, rng=random.SystemRandom())


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How code hosts are reached: by which clock, and with how much patience."""

    effects: Effects = field(default_factory=real_effects)
    patience: Patience = field(default_factory=Patience)


@contextmanager
def github_of(where: CiEnvironment, token: str, environ: Mapping[str, str], reach: Reach) -> Iterator[github.GitHub]:
    """GitHub's calls on the repository of this run; closed at the end. A repository that is none is a ValueError."""
    secret = Secret(token)
    base_url = where.api_url or github.PUBLIC_API
    host = github.github_host(base_url, has_token=bool(secret), read_only=where.read_only)
    with open_http(environ) as http:
        api = ApiClient(http=http, host=host, token=secret, effects=reach.effects, patience=reach.patience)
        yield github.GitHub(api=api, repository=where.repository or "")


@contextmanager
def gitlab_of(where: CiEnvironment, token: str, environ: Mapping[str, str], reach: Reach) -> Iterator[gitlab.GitLab]:
    """GitLab's calls on the project of this pipeline; closed at the end."""
    host = gitlab.gitlab_host(where.api_url or gitlab.PUBLIC_API)
    with open_http(environ) as http:
        api = ApiClient(http=http, host=host, token=Secret(token), effects=reach.effects, patience=reach.patience)
        yield gitlab.GitLab(api=api, project=str(where.repository_id or where.repository or ""))
