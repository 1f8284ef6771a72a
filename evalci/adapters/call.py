"""One call of an adapter: a new process, fresh folders, a minimal environment, and nothing of an earlier call."""

import json
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from evalci.adapters.archive import Archive
from evalci.adapters.settings import Adapter
from evalci.process import Job, NotStarted, Place, minimal, run, text_of

MASK: Final = "[redacted]"
SHORTEST: Final = 6


@dataclass(frozen=True, kw_only=True, slots=True)
class Called:
    """What one call left. `trouble` says why it proves nothing, whatever it wrote; None when it ended well."""

    stdout: bytes = field(default=b"", repr=False)
    stderr: str = field(default="", repr=False)
    trouble: str | None = None
    seconds: float = 0.0


async def call_adapter(adapter: Adapter, request: Mapping[str, Any], environ: Mapping[str, str]) -> Called:
    """The raw answer to one request, with the values of passed variables taken out of both streams."""
    job = Job(
        argv=adapter.command,
        environment=minimal(environ, names=adapter.pass_env),
        stdin=json.dumps(request, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace"),
        place=Place.FRESH_HOME,
        limits=adapter.limits,
    )
    passed = [environ[name] for name in adapter.pass_env if environ.get(name)]
    try:
        finished = await run(job)
    except NotStarted as exc:
        return Called(trouble=f"missing adapter: it could not be started: {without(passed, str(exc))}")
    trouble = None
    if finished.timed_out:
        trouble = f"timeout: the adapter {finished.ending_text}"
    elif not finished.succeeded:
        trouble = f"non-zero exit: the adapter {finished.ending_text}"
    elif finished.stdout_dropped:
        trouble = "the adapter wrote more to stdout than output_mb allows, so its answer is not whole JSON"
    longer = [value for value in passed if len(value) >= SHORTEST]
    return Called(
        stdout=_masked(finished.stdout, longer),
        stderr=without(passed, text_of(finished.stderr)),
        trouble=trouble,
        seconds=finished.duration,
    )


class ArchiveCopy:
    """A copy of the archive in a folder of its own, gone when the call is over."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._folder = ""

    def __enter__(self) -> str:
        self._folder = tempfile.mkdtemp(prefix="evalci-")
        path = Path(self._folder).resolve() / self._archive.name
        path.write_bytes(self._archive.data)
        return str(path)

    def __exit__(self, *exc: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)


def without(values: list[str], text: str) -> str:
    """The text with each value masked, also as JSON writes it; the longest first, so that no part of one is left."""
    for value in sorted(_spellings(values), key=lambda value: (-len(value), value)):
        text = text.replace(value, MASK)
    return text


def _masked(data: bytes, values: list[str]) -> bytes:
    """The raw bytes, untouched when they hold none of the values."""
    for value in sorted(_spellings(values), key=lambda value: (-len(value), value)):
        data = data.replace(value.encode("utf-8", "surrogateescape"), MASK.encode())
    return data


def _spellings(values: list[str]) -> set[str]:
    found = {part for value in values for part in (value, value.strip()) if part}
    return found | {json.dumps(value, ensure_ascii=ascii_)[1:-1] for value in found for ascii_ in (True, False)}
