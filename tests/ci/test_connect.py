"""From what a run knows of itself to a working client."""

import json

import pytest

from evalci.ci.connect import Reach, github_of, gitlab_of
from evalci.ci.event import CiEnvironment, Provider, ci_environment

from .clients import JumpingClock
from .fake_github import JOB_TOKEN, FakeGitHub
from .fake_gitlab import TOKEN, FakeGitLab
from .github_shapes import REPOSITORY, event


def test_a_github_run_reaches_its_own_api(fake: FakeGitHub):
    fake.add_pull(2, head_sha="a" * 40)
    environ = {"GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": REPOSITORY, "GITHUB_API_URL": fake.api_url}
    where = ci_environment({**environ, "GITHUB_EVENT_NAME": "pull_request"}, json.dumps(event("pull_request")))
    assert where.pull_request is not None
    with github_of(where, JOB_TOKEN, environ, Reach(effects=JumpingClock().effects())) as github:
        assert github.pull_request(where.pull_request).head_sha == "a" * 40


def test_a_run_without_a_repository_has_no_client():
    with (
        pytest.raises(ValueError, match="owner/name"),
        github_of(CiEnvironment(provider=Provider.GITHUB), "t", {}, Reach(effects=JumpingClock().effects())),
    ):
        pass


def test_a_gitlab_pipeline_reaches_its_own_api():
    with FakeGitLab() as fake:
        where = CiEnvironment(provider=Provider.GITLAB, repository="group/evals", api_url=fake.api_url)
        with gitlab_of(where, TOKEN, {}, Reach(effects=JumpingClock().effects())) as gitlab:
            assert gitlab.merge_request(7).number == 7
