"""Chooses the command, and turns every way to fail into a message and an exit code."""

import errno
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Final, TextIO

from evalci import __version__
from evalci.cli.console import Console
from evalci.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_PASSED, EXIT_USAGE, EvalciError, InputError, UsageError
from evalci.wording import choices_hint, quoted

# What a command does, and the module that holds it; only the one that is asked for is imported.
COMMANDS: Final[Mapping[str, str]] = {
    "run": "run a suite; replays recordings, never calls a model",
    "record": "run a suite, calling and recording what is not recorded yet",
    "plan": "what would be called, with tokens and dollars; calls nothing",
    "validate": "every mistake in the config and datasets; runs nothing",
    "init": "a suite that runs offline at once, and a workflow",
    "ci": "in CI: restore, evaluate, publish, exit",
    "comment": "post a saved report on its pull request",
    "baseline": "accepted states: save, show, list",
    "cassette": "work with recordings: stats, show, diff, merge, verify …",
    "calibrate": "how far a judge agrees with human labels",
    "evidence": "run a suite through executor and judge adapters, and keep evidence",
    "manifest": "verify an evidence folder",
    "merge": "reports of shards into the report of the whole suite",
    "compare": "two saved reports or baselines side by side",
    "serve": "look at past runs in a browser; local, read-only",
    "schema": "print the JSON Schema of evals.yaml, for editors",
}


def main(argv: Sequence[str], *, stdin: TextIO, stdout: TextIO, stderr: TextIO, environ: Mapping[str, str]) -> int:
    """Run one command and return its exit code. Never raises, never shows a traceback without `--debug`."""
    debug = "--debug" in argv
    console = Console(stdin=stdin, stdout=stdout, stderr=stderr, environ=environ, debug=debug)
    words = [word for word in argv if word != "--debug"]
    try:
        code = _dispatch(words, console)
        stdout.flush()
        return code
    except EvalciError as exc:
        return _explain(exc, console)
    except KeyboardInterrupt:
        console.error("interrupted; what was recorded so far is kept")
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        return _close_quietly(console)
    except Exception as exc:
        if isinstance(exc, OSError) and exc.errno in (errno.EACCES, errno.EPERM, errno.EROFS) and exc.filename:
            return _explain(UsageError(f"cannot use {quoted(str(exc.filename))}: {exc.strerror}"), console, exc)
        return _admit(exc, console)


def _dispatch(words: list[str], console: Console) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        console.write(usage())
        return EXIT_PASSED if words else EXIT_USAGE
    if words[0] in ("-V", "--version"):
        console.write(f"evalci {__version__}\n")
        return EXIT_PASSED
    name = words[0]
    if name not in COMMANDS:
        raise UsageError(f"unknown command {quoted(name)}", hint=choices_hint("commands", name, COMMANDS))
    module = import_module(f"evalci.cli.{name}_command")
    code: int = module.main(words[1:], console)
    return code


def usage() -> str:
    """The page of `evalci --help`."""
    width = max(map(len, COMMANDS))
    rows = "".join(f"  {name:<{width}}  {about}\n" for name, about in COMMANDS.items())
    return (
        "usage: evalci COMMAND [OPTIONS]\n\n"
        "Runs LLM eval suites as tests: record once, replay on every pull request.\n\n"
        f"commands:\n{rows}\n"
        "`evalci COMMAND --help` says more. Exit codes: 0 passed, 1 not passed, 2 usage or config\n"
        "error, 3 evidence incomplete, 130 interrupted.\n"
    )


def _explain(exc: EvalciError, console: Console, cause: BaseException | None = None) -> int:
    first, *rest = exc.lines()
    console.error(first if isinstance(exc, InputError) else f"error: {first}")
    for line in (*rest, *_in_container(cause or exc, console)):
        console.error(line)
    return exc.exit_code


def _in_container(exc: BaseException, console: Console) -> Iterator[str]:
    """In our image, what to add to `docker run` when something could not be written."""
    cause = exc.__cause__ if isinstance(exc, EvalciError) else exc
    if not console.environ.get("EVALCI_IN_CONTAINER") or not isinstance(cause, OSError):
        return
    if cause.errno in (errno.EACCES, errno.EPERM):
        yield '  the files belong to somebody else: add --user "$(id -u):$(id -g)" to docker run'
    elif cause.errno == errno.EROFS:
        yield '  it is mounted read-only: write into a folder that is not, such as one mounted by --volume "$PWD:/work"'


def _admit(exc: Exception, console: Console) -> int:
    """A failure of our own: say so, and how to tell us. The verdict cannot be green."""
    console.bug(exc)
    what = str(exc) or "no details"
    console.error(f"error: internal error in EvalCI ({type(exc).__name__}: {what})")
    console.error("  this is a bug of ours, please report it; --debug shows where it happened")
    return EXIT_FAILED


def _close_quietly(console: Console) -> int:
    """Whoever read our output has left; there is nobody to tell."""
    import contextlib
    import os

    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), console.stdout.fileno())
    return EXIT_FAILED
