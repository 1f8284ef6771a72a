"""Clients against the fakes, with a clock that jumps instead of waiting."""

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from evalci.ci.github import GitHub, PullRequestComments, github_host
from evalci.ci.host import Effects, Secret
from evalci.ci.http_api import ApiClient
from evalci.ci.retry import Patience
from evalci.ci.transport import open_http

from .fake_github import JOB_TOKEN, FakeGitHub
from .github_shapes import REPOSITORY

QUICK = Patience(call_seconds=0.25)


@dataclass
class JumpingClock:
    """Time that passes only when somebody waits."""

    now: float = 0.0
    waits: list[float] = field(default_factory=list)

    def read(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def effects(self, seed: int = 0) -> Effects:
        return Effects(clock=self.read, sleep=self.sleep, rng=random.Random(seed))


@dataclass
class Connected:
    """A client and the clock it waits by."""

    github: GitHub
    clock: JumpingClock

    @property
    def api(self) -> ApiClient:
        return self.github.api

    def conversation(self, number: int, login: str = "github-actions[bot]") -> PullRequestComments:
        return PullRequestComments(github=self.github, number=number, login=login)


@contextmanager
def connected(
    fake: FakeGitHub,
    *,
    token: str = JOB_TOKEN,
    patience: Patience = QUICK,
    environ: Mapping[str, str] | None = None,
    read_only: bool = False,
    base_url: str | None = None,
    repository: str = REPOSITORY,
) -> Iterator[Connected]:
    """GitHub's calls on the fake."""
    clock = JumpingClock()
    secret = Secret(token)
    host = github_host(base_url or fake.api_url, has_token=bool(secret), read_only=read_only)
    with open_http(environ or {}) as http:
        api = ApiClient(http=http, host=host, token=secret, effects=clock.effects(), patience=patience)
        yield Connected(GitHub(api=api, repository=repository), clock)
