"""Golden rows of adapters: a scripted program, what it may see, and a row as its file has it."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tests.evidence_suites import PROGRAMS, SECRET

ROOT: Final = Path(__file__).parent / "golden"
ENVIRON: Final = {"PATH": "/usr/bin:/bin", "PROVIDER_API_KEY": SECRET, "OTHER": "not passed on"}


def command(folder: Path, says: Mapping[str, Any]) -> list[str]:
    """The argv of an adapter that answers every prompt so."""
    (folder / "says.json").write_text(json.dumps({"*": says}), "utf-8")
    return [sys.executable, str(PROGRAMS / "adapter_says.py"), str(folder / "says.json")]


def shown(row: Mapping[str, Any], names: Mapping[str | None, str]) -> str:
    """The row with what is another one on every machine under a name."""
    text = json.dumps(row, indent=2, ensure_ascii=False) + "\n"
    for what, name in names.items():
        text = text.replace(what, name) if what else text
    return text
