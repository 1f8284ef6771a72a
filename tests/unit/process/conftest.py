"""Jobs that can be found again: whatever a test started carries a marker, and none of it may outlive the test."""

import os
import sys
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from evalci.process import Job, inherited
from tests.programs import PROGRAMS, alive


@pytest.fixture
def marker() -> str:
    return f"marker-{uuid.uuid4().hex}"


@pytest.fixture
def job(marker: str) -> Iterator[Callable[..., Job]]:
    """Makes a Job out of a program in tests/programs and its arguments, or out of `argv`."""

    def make(program: str = "", *arguments: str, argv: tuple[str, ...] = (), **more: Any) -> Job:
        argv = argv or (sys.executable, "-I", "-S", str(PROGRAMS / f"{program}.py"), *arguments)
        return Job(argv=argv, environment=inherited(os.environ, extra={"EVALCI_TEST": marker}), **more)

    yield make
    assert alive(marker) == []
