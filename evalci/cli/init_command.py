"""`evalci init`: a suite that runs offline at once, and a workflow that gates pull requests with it."""

from pathlib import Path

from evalci.cli.console import Console, Parser
from evalci.errors import EXIT_PASSED, UsageError
from evalci.scaffold import RECORDING_GUIDE, SUITE, text_of
from evalci.wording import quoted


def main(words: list[str], console: Console) -> int:
    """Write what is not there yet, and say what was left as it is."""
    parser = Parser("init", "Write a suite that runs offline at once, and a workflow. Overwrites nothing.")
    parser.add_argument("folder", nargs="?", default=".", help="where to (default: here)")
    parser.add_argument("--recording-guide", action="store_true", help="also RECORDING.md: how to record a model")
    arguments = parser.read(words, console)
    if arguments is None:
        return EXIT_PASSED
    folder = Path(arguments.folder)
    for place, name in ({**SUITE, **RECORDING_GUIDE} if arguments.recording_guide else SUITE).items():
        console.write(_write(folder, place, text_of(name)) + "\n")
    console.write("next: `evalci run` replays the suite; `evalci run --save-baseline main` accepts its state\n")
    return EXIT_PASSED


def _write(folder: Path, place: str, text: str) -> str:
    """What became of one file."""
    target = folder / place
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8", newline="") as file:
            file.write(text)
    except FileExistsError:
        return _left(target, place, text)
    except OSError as exc:
        raise UsageError(f"cannot write {quoted(str(target))}: {exc.strerror or exc}") from exc
    return f"wrote {place}"


def _left(target: Path, place: str, text: str) -> str:
    """A file that was there: git's own files work only with our lines in them, so these are told."""
    if not place.startswith(".git") or "/" in place:
        return f"left {place} as it is"
    there = target.read_text("utf-8", "replace").splitlines() if target.is_file() else []
    lines = [line for line in text.splitlines() if not line.startswith("#") and line not in there]
    if not lines:
        return f"left {place} as it is; it says all that is needed"
    return "\n".join([f"left {place} as it is; add to it:", *(f"  {line}" for line in lines)])
