"""The baseline files of one suite: `.evalci/baselines/<suite>/<label>.json`."""

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evalci.baseline.codec import decode, encode
from evalci.baseline.snapshot import Baseline
from evalci.errors import BaselineError
from evalci.wording import quoted, seen

FOLDER: Final = Path(".evalci/baselines")
LABEL: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, slots=True)
class BaselineStore:
    """The accepted states of one suite. `folder` holds a file per label; `name` is what messages call the folder."""

    folder: Path
    name: str

    @classmethod
    def beside(cls, config: Path) -> "BaselineStore":
        """The store of a suite: beside its config, under the config's name without its ending."""
        below = FOLDER / config.stem
        return cls(config.parent / below, below.as_posix())

    def file(self, label: str) -> Path:
        """Where a label's baseline lies. Raises `BaselineError` when it cannot be a label."""
        if not LABEL.fullmatch(label) or ".." in label:
            raise BaselineError(
                f"{seen(label)} cannot be a baseline's label",
                hint="use letters, digits, dots, dashes and underscores, without `..` and not starting with a dot",
            )
        return self.folder / f"{label}.json"

    def source(self, label: str) -> str:
        """A label's file as messages and reports name it."""
        return f"{self.name}/{label}.json"

    def labels(self) -> tuple[str, ...]:
        """The labels there are, sorted."""
        found = (path.stem for path in self.folder.glob("*.json") if path.is_file())
        return tuple(sorted(label for label in found if LABEL.fullmatch(label)))

    def load(self, label: str) -> Baseline:
        """The state accepted under a label. Raises `BaselineError` when there is none, or it cannot be read."""
        try:
            data = self.file(label).read_bytes()
        except FileNotFoundError:
            there = ", ".join(self.labels())
            raise BaselineError(
                f"no baseline {quoted(label)} found — record one with --save-baseline {label}",
                hint=f"baselines there are: {there}" if there else f"there are none yet in {self.name}",
            ) from None
        except OSError as exc:
            raise BaselineError(f"{self.source(label)}: {exc.strerror or exc}") from exc
        return decode(data, name=self.source(label))

    def save(self, label: str, baseline: Baseline) -> None:
        """Accept a state under a label, whole or not at all. Raises `BaselineError` when it cannot be written."""
        file = self.file(label)
        beside = self.folder / f".{label}.{os.getpid()}.tmp"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            beside.write_bytes(encode(baseline))
            beside.replace(file)
        except OSError as exc:
            with suppress(OSError):
                beside.unlink()
            raise BaselineError(f"{self.source(label)}: {exc.strerror or exc}") from exc


def saved_text(label: str, baseline: Baseline) -> str:
    """What is said once a baseline is saved: `saved baseline "main" (9/10 passed)`."""
    return f"saved baseline {quoted(label)} ({baseline.passed}/{baseline.total} passed)"
