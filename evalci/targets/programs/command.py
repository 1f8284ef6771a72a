"""The command that runs a program file: the file itself, or the interpreter that it is written for.

Nothing about the file is changed. One that lacks the permission to be executed is run through the interpreter that its
first line names, where it names one.
"""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path


class ProgramMissing(Exception):
    """There is no program to run; the text says which."""


def found_program(path: str) -> str:
    """The absolute path of a program file, since programs mostly run in another folder. Raises `ProgramMissing`."""
    if not path:
        raise ProgramMissing("Program path is not available")
    if not _exists(path):
        raise ProgramMissing(f"Program file not found: {path}")
    return str(Path(path).absolute())


def command_of(path: str, *, directly: bool, environ: Mapping[str, str]) -> tuple[str, ...]:
    """The words that start the program, its arguments left out.

    `directly` asks for the file itself whatever its name ends in.
    """
    return (*_interpreter(path, directly, environ), path)


def runs_by_itself(path: str) -> bool:
    """May the file be executed, and does it say how, or need no interpreter?"""
    return _executable(path) and (bool(_first_line(path)) or not path.endswith((".py", ".sh")))


def _interpreter(path: str, directly: bool, environ: Mapping[str, str]) -> tuple[str, ...]:
    if not directly and path.endswith(".py"):
        return (sys.executable or "python3",)
    if not directly and path.endswith(".sh"):
        return ("bash" if shutil.which("bash", path=environ.get("PATH")) else "sh",)
    return () if _executable(path) else _first_line(path)


def _first_line(path: str) -> tuple[str, ...]:
    """The interpreter that a `#!` line names and its one argument, as the system splits them."""
    try:
        with open(path, "rb") as file:
            line = file.readline(256)
    except OSError:
        return ()
    if not line.startswith(b"#!"):
        return ()
    return tuple(os.fsdecode(line[2:]).strip().split(maxsplit=1))


def _executable(path: str) -> bool:
    try:
        return Path(path).is_file() and os.access(path, os.X_OK)
    except OSError:  # in a folder that is closed to us
        return False


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except OSError:
        return False
