"""The fakes as fixtures: each test has its own, and no request or answer may break GitHub's own document."""

from collections.abc import Iterator

import pytest

from .fake_github import FakeGitHub


@pytest.fixture
def fake() -> Iterator[FakeGitHub]:
    with FakeGitHub() as server:
        yield server
        assert server.violations == []
