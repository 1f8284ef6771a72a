"""The manifest as an in-toto Statement, for whoever signs it: its subject is `manifest.json` by digest."""

from collections.abc import Mapping
from typing import Any, Final

STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE: Final = "urn:evalci:predicate:run:v1"


def statement_of(manifest: Mapping[str, Any], digest: str) -> dict[str, Any]:
    """The Statement that binds a run's verdict and inputs to its manifest."""
    return {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": "manifest.json", "digest": {"sha256": digest}}],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            key: manifest[key] for key in ("schema", "kind", "tool", "suite", "digests", "verdict", "complete")
        },
    }
