"""The fakes as fixtures: each test has its own, and no request or answer may break GitHub's own document."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from .fake_github import FakeGitHub
from .scene import Scene


@pytest.fixture
def fake() -> Iterator[FakeGitHub]:
    with FakeGitHub() as server:
        yield server
        assert server.violations == []


@pytest.fixture
def scene(fake: FakeGitHub, tmp_path: Path) -> Scene:
    """A pull request of this repository on a suite that passes."""
    return Scene(fake, tmp_path)
