"""`evalci cassette`: work with recordings."""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from evalci.cassette import Redactor, upkeep
from evalci.cassette.codec import Recording
from evalci.cassette.journal import recover, rewrite
from evalci.cassette.store import cassette_files, load
from evalci.cli import cassette_changes
from evalci.cli.actions import Action, run_action
from evalci.cli.console import Console, Parser
from evalci.cli.run_command import DEFAULT_CONFIG
from evalci.errors import EXIT_FAILED, EXIT_PASSED, CassetteError, UsageError
from evalci.pipeline import STATE_FOLDER
from evalci.wording import count_of, quoted, snippet

ABOUT: Final[Mapping[str, str]] = {
    "stats": "how many recordings of what, and how large",
    "show": "one recording, or those whose input holds a text",
    "merge": "join files, and settle two answers to one key",
    "verify": "recompute every key from its request",
    "redact": "take out what looks like a secret",
    "diff": "two cassettes side by side, with before and after",
    "import": "take over the recordings of an EvalCore suite",
    "prune": "drop recordings that nothing asks for",
}


def main(words: list[str], console: Console) -> int:
    """Run one of the actions on the cassette beside a config."""
    return run_action("cassette", ACTIONS, ABOUT, words, console)


def _parser(action: str) -> Parser:
    parser = Parser(f"cassette {action}", ABOUT[action])
    parser.add_argument("--config", default=DEFAULT_CONFIG, help="the suite the recordings belong to")
    return parser


def _folder(arguments: argparse.Namespace) -> Path:
    return Path(arguments.config).absolute().parent / STATE_FOLDER


def _load(arguments: argparse.Namespace, console: Console) -> dict[str, Recording]:
    recover(_folder(arguments))
    loaded = load(_folder(arguments))
    for note in loaded.notes:
        console.error(f"warning: {note}")
    return loaded.recordings


def _stats(words: list[str], console: Console) -> int:
    arguments = _parser("stats").read(words, console)
    if arguments is None:
        return EXIT_PASSED
    found = upkeep.stats(_load(arguments, console).values())
    kinds = ", ".join(f"{count} {kind}" for kind, count in found.kinds.items())
    console.write(f"{count_of(found.recordings, 'recording')}{f' ({kinds})' if kinds else ''}, {found.bytes} bytes\n")
    for model, count in found.models.items():
        console.write(f"  {model}: {count}\n")
    console.write(f"{found.tokens} tokens recorded, {found.redacted} redacted\n")
    return EXIT_PASSED


def _show(words: list[str], console: Console) -> int:
    parser = _parser("show")
    parser.add_argument("what", help="the beginning of a key, or a text of the input")
    arguments = parser.read(words, console)
    if arguments is None:
        return EXIT_PASSED
    recordings = _load(arguments, console)
    found = [r for key, r in sorted(recordings.items()) if key.startswith(arguments.what)]
    found = found or [r for _, r in sorted(recordings.items()) if arguments.what in str(r.row["request"].get("input"))]
    if not found:
        raise UsageError(f"no recording has a key or an input like {quoted(arguments.what)}")
    for recording in found:
        console.write(json.dumps(recording.row, indent=2, sort_keys=True, ensure_ascii=False) + "\n")
    return EXIT_PASSED


def _merge(words: list[str], console: Console) -> int:
    parser = _parser("merge")
    parser.add_argument("files", nargs="*", help="further cassette files to take in")
    parser.add_argument("--prefer", choices=("first", "last"), help="which of two different answers to keep")
    arguments = parser.read(words, console)
    if arguments is None:
        return EXIT_PASSED
    folder = _folder(arguments)
    recover(folder)
    files = [*cassette_files(folder), *map(Path, arguments.files)]
    if not files:
        raise UsageError("there is no cassette to merge", hint="name the files, or record one with `evalci record`")
    merged, conflicts = upkeep.merge(files, arguments.prefer)
    for conflict in conflicts:
        console.error(f"{conflict.key[:12]}… has two answers")
        console.error(f"  first: {quoted(snippet(conflict.first.text, 70))}")
        console.error(f"  last:  {quoted(snippet(conflict.last.text, 70))}")
    if conflicts and arguments.prefer is None:
        raise CassetteError(
            f"{count_of(len(conflicts), 'key')} with two different answers; nothing was written",
            hint="choose with --prefer first or --prefer last, or delete the lines that are wrong",
        )
    rewrite(folder, merged)
    console.write(f"{count_of(len(merged), 'recording')} in the cassette\n")
    return EXIT_PASSED


def _verify(words: list[str], console: Console) -> int:
    arguments = _parser("verify").read(words, console)
    if arguments is None:
        return EXIT_PASSED
    found = upkeep.verify(_load(arguments, console).values())
    for key in found.wrong:
        console.write(f"WRONG    {key}: its request hashes to another key\n")
    for key in found.unknowable:
        console.write(f"REDACTED {key}: a secret was masked in its request, so its key cannot be recomputed\n")
    console.write(f"{found.right} right, {len(found.wrong)} wrong, {len(found.unknowable)} redacted\n")
    return EXIT_FAILED if found.wrong else EXIT_PASSED


def _redact(words: list[str], console: Console) -> int:
    arguments = _parser("redact").read(words, console)
    if arguments is None:
        return EXIT_PASSED
    cleaned, changed = upkeep.redact(_load(arguments, console), Redactor())
    if changed:
        rewrite(_folder(arguments), cleaned)
    console.write(f"{count_of(changed, 'recording')} redacted, {len(cleaned) - changed} unchanged\n")
    return EXIT_PASSED


ACTIONS: Final[Mapping[str, Action]] = {
    "stats": _stats,
    "show": _show,
    "merge": _merge,
    "verify": _verify,
    "redact": _redact,
    "diff": cassette_changes.diff,
    "import": cassette_changes.import_cache,
    "prune": cassette_changes.prune,
}
