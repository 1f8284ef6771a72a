"""What every test may use: `--update-golden`, and the fixture that compares with a golden file."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes says more about the machine than about the code.
settings.register_profile("evalci", deadline=None)
# The suite for every save looks at fewer examples: `--hypothesis-profile=fast`.
settings.register_profile("fast", deadline=None, max_examples=12)
settings.load_profile("evalci")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite golden files with what is written now")


@pytest.fixture
def golden(pytestconfig: pytest.Config) -> Callable[[Path, str | bytes], None]:
    """`golden(path, written)` holds when the file has exactly these bytes; with --update-golden it gets them."""

    def compare(path: Path, written: str | bytes) -> None:
        data = written.encode() if isinstance(written, str) else written
        if pytestconfig.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            return
        assert path.exists(), (
            f"no golden file {path.name}: pytest --update-golden writes it, then read it as a user would"
        )
        assert data.decode(errors="backslashreplace") == path.read_bytes().decode(errors="backslashreplace")

    return compare
