"""`evalci schema`: the JSON Schema of `evals.yaml`, for editors."""

import json

from evalci.cli.console import Console, Parser


def main(words: list[str], console: Console) -> int:
    """Print the schema."""
    if Parser("schema", "Print the JSON Schema of evals.yaml, for editors.").read(words, console) is None:
        return 0
    from evalci.config.json_schema import suite_schema
    from evalci.pipeline import KINDS

    console.write(json.dumps(suite_schema(KINDS), indent=2, sort_keys=True) + "\n")
    return 0
