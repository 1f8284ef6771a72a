"""`evalci cassette diff`, `import` and `prune`: what changed, what came from elsewhere, what nothing asks for."""

from collections.abc import Sequence
from pathlib import Path

from evalci.cassette import Redactor
from evalci.cassette.codec import Recording
from evalci.cassette.evalcore import read_cache
from evalci.cassette.journal import recover, rewrite
from evalci.cassette.store import cassette_files, load, load_files
from evalci.cli.console import Console, Parser
from evalci.cli.loop import run_async
from evalci.cli.run_command import DEFAULT_CONFIG
from evalci.errors import EXIT_PASSED, CassetteError, UsageError
from evalci.pipeline import STATE_FOLDER, Request, Surroundings, load_suite, prepare, run_plan
from evalci.wording import count_of, quoted, snippet


def diff(words: list[str], console: Console) -> int:
    """Two cassettes side by side: answers recorded anew, added, removed, with before and after."""
    parser = Parser("cassette diff", "What changed from one cassette to another.")
    parser.add_argument("old", help="a cassette file, a .evalci folder, or a folder that holds one")
    parser.add_argument("new", help="the same, after the change")
    arguments = parser.read(words, console)
    if arguments is None:
        return EXIT_PASSED
    old, new = _recordings(Path(arguments.old)), _recordings(Path(arguments.new))
    changed = [key for key in sorted(old.keys() & new.keys()) if old[key].answer != new[key].answer]
    added, removed = sorted(new.keys() - old.keys()), sorted(old.keys() - new.keys())
    for key in changed:
        console.write(f"CHANGED {key[:12]}  {_asked(new[key])}\n")
        console.write(f"     before: {quoted(snippet(old[key].text))}\n     after:  {quoted(snippet(new[key].text))}\n")
    for word, keys, source in (("ADDED  ", added, new), ("REMOVED", removed, old)):
        for key in keys:
            console.write(f"{word} {key[:12]}  {_asked(source[key])}\n")
    same = len(old.keys() & new.keys()) - len(changed)
    redacted = sum(new[key].redacted for key in (*changed, *added))
    console.write(
        f"{count_of(len(changed), 'answer')} re-recorded, {len(added)} added, {len(removed)} removed, {same} unchanged,"
        f" {count_of(redacted, 'secret')} masked\n"
    )
    return EXIT_PASSED


def import_cache(words: list[str], console: Console) -> int:
    """Take the recordings of an EvalCore cache over; a key that is here already keeps its answer."""
    parser = Parser("cassette import", "Take over the recordings of an EvalCore suite.")
    parser.add_argument("cache", nargs="?", default=".evalcore/cache.db", help="default: .evalcore/cache.db")
    parser.add_argument("--config", default=DEFAULT_CONFIG, help="the suite the recordings belong to")
    arguments = parser.read(words, console)
    if arguments is None:
        return EXIT_PASSED
    folder = _state(arguments.config)
    found = list(read_cache(Path(arguments.cache), Redactor()))
    recover(folder)
    recordings = dict(load(folder).recordings)
    fresh = [recording for recording in found if recording.key not in recordings]
    recordings.update((recording.key, recording) for recording in fresh)
    rewrite(folder, recordings)
    kept = len(found) - len(fresh)
    console.write(
        f"{count_of(len(fresh), 'recording')} imported, {kept} here already, {len(recordings)} in the cassette\n"
    )
    return EXIT_PASSED


def prune(words: list[str], console: Console) -> int:
    """Replay the suites and drop the recordings that none of them asks for."""
    parser = Parser("cassette prune", "Drop recordings that nothing asks for. Name every suite that uses the cassette.")
    parser.add_argument("configs", nargs="*", default=[DEFAULT_CONFIG], metavar="CONFIG", help="default: evals.yaml")
    parser.add_argument("--dry-run", action="store_true", help="only say what would go")
    arguments = parser.read(words, console)
    if arguments is None:
        return EXIT_PASSED
    folders = {_state(config) for config in arguments.configs}
    if len(folders) > 1:
        raise UsageError("these suites lie in different folders, each with a cassette of its own")
    folder = folders.pop()
    used = {key for config in arguments.configs for key in _used(Path(config), console)}
    recordings = load(folder).recordings
    unused = [recordings[key] for key in sorted(recordings.keys() - used)]
    for recording in unused:
        console.write(f"UNUSED  {recording.key[:12]}  {_asked(recording)}\n")
    if unused and not arguments.dry_run:
        rewrite(folder, {key: recording for key, recording in recordings.items() if key in used})
    verb = "would go" if arguments.dry_run else "dropped"
    console.write(f"{count_of(len(unused), 'recording')} {verb}, {len(recordings) - len(unused)} kept\n")
    return EXIT_PASSED


def _used(config: Path, console: Console) -> Sequence[str]:
    """The keys that a suite asks for, over all its targets."""
    suite = load_suite(config)
    around = Surroundings(environ=console.environ, on_bug=console.bug)
    plan = prepare(Request(config=config, matrix=tuple(suite.targets)), around, suite=suite)
    run_async(run_plan(plan, around))
    counts = plan.cassette.counts(with_keys=True)
    if counts.misses:
        raise CassetteError(
            f"{config}: {count_of(counts.misses, 'call')} are not recorded, so what is in use cannot be known",
            hint="record them first with `evalci record`; nothing was dropped",
        )
    return counts.used_keys or ()


def _recordings(place: Path) -> dict[str, Recording]:
    if place.is_file():
        return load_files([place]).recordings
    for folder in (place, place / STATE_FOLDER):
        if cassette_files(folder):
            return load(folder).recordings
    raise UsageError(f"there is no cassette at {quoted(str(place))}")


def _state(config: str) -> Path:
    return Path(config).absolute().parent / STATE_FOLDER


def _asked(recording: Recording) -> str:
    return quoted(snippet(str(recording.row["request"].get("input")), 60))
