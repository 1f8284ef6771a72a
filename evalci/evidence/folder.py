"""The evidence folder: artifacts written once, and their index."""

import json
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Final

from evalci.errors import UsageError
from evalci.evidence.records import sha256
from evalci.wording import quoted

MANIFEST: Final = "manifest.json"
STATEMENT: Final = "statement.json"


class EvidenceFolder:
    """An empty folder that becomes evidence. Nothing that is written is written twice."""

    def __init__(self, place: Path) -> None:
        """Raises `UsageError` when something is there already: evidence of two runs must not mix."""
        self.place = place
        self.artifacts: dict[str, dict[str, Any]] = {}
        try:
            place.mkdir(parents=True, exist_ok=True)
            taken = any(place.iterdir())
        except OSError as exc:
            raise UsageError(f"cannot write to {quoted(str(place))}: {exc.strerror or exc}") from exc
        if taken:
            hint = "name a new folder, or remove this one"
            raise UsageError(f"the folder {quoted(str(place))} is not empty", hint=hint)

    def keep(self, path: str, data: bytes) -> str:
        """Write an artifact and put it in the index; its SHA-256."""
        self._write(path, data)
        self.artifacts[path] = {"path": path, "sha256": sha256(data), "bytes": len(data)}
        return sha256(data)

    def finish(self, manifest: Mapping[str, Any]) -> str:
        """Write the manifest, and the statement that carries its digest; that digest."""
        from evalci.evidence.statement import statement_of

        data = as_bytes({**manifest, "artifacts": [self.artifacts[path] for path in sorted(self.artifacts)]})
        self._write(MANIFEST, data)
        self._write(STATEMENT, as_bytes(statement_of(json.loads(data), sha256(data))))
        return sha256(data)

    def _write(self, path: str, data: bytes) -> None:
        target = self.place / PurePosixPath(path)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as file:
                file.write(data)
        except OSError as exc:
            raise UsageError(f"cannot write {quoted(str(target))}: {exc.strerror or exc}") from exc


def as_bytes(value: Any) -> bytes:
    """JSON with sorted keys that people can read; the same value gives the same bytes."""
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False).encode() + b"\n"
