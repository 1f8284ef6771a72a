"""The files that `evalci init` writes, as they are read; a name's leading dot is left out here."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Final

# Where each file goes, and which file here it is.
SUITE: Final[Mapping[str, str]] = {
    "evals.yaml": "evals.yaml",
    "cases.jsonl": "cases.jsonl",
    "bot.py": "bot.py",
    ".gitattributes": "gitattributes",
    ".gitignore": "gitignore",
    ".github/workflows/evals.yml": "workflow.yml",
}
RECORDING_GUIDE: Final[Mapping[str, str]] = {"RECORDING.md": "RECORDING.md"}


def text_of(name: str) -> str:
    """The text of one of the files."""
    return files(__name__).joinpath(name).read_text("utf-8")
