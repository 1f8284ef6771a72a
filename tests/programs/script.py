"""A program on disk, in the words of the evaluator's interface."""

from pathlib import Path

from evalci.program import DiffType, IProgram


class ScriptProgram(IProgram):
    """A script; `directly` runs the file itself."""

    def __init__(self, path: Path | str, directly: bool = False) -> None:
        self._path = str(path)
        self._directly = directly

    def diff(self, other: IProgram) -> DiffType:
        return {}

    def apply_diff(self, diff: DiffType) -> IProgram:
        return self.clone()

    def validate(self) -> bool:
        return Path(self._path).exists()

    def clone(self) -> IProgram:
        return ScriptProgram(self._path, self._directly)

    def get_path(self) -> str:
        return self._path

    def is_executable(self) -> bool:
        return self._directly
