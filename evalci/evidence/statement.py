"""The manifest as an in-toto Statement, for whoever signs it: its subject is `manifest.json` by digest."""

from collections.abc import Mapping
from typing import Any, Final

STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE: Final = "urn:evalci:predicate:run:v1"


def statement_of(manifest: Mapping[str, Any], digest: str) -> dict[str, Any]:
    """The Statement that binds a run's verdict and inputs to its manifest; a calibrated judge's standing too."""
    keys = ("schema", "kind", "tool", "suite", "digests", "verdict", "complete")
    return {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": "manifest.json", "digest": {"sha256": digest}}],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            **{key: manifest[key] for key in keys},
            **({key: manifest[key] for key in ("judge", "calibration")} if "calibration" in manifest else {}),
        },
    }
