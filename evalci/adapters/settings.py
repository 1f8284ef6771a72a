"""How an adapter is set up: argv, its time limit, and which variables it may see."""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from evalci.config.settings import Fault, setting
from evalci.process import Limits
from evalci.wording import quoted

_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_PYTHON: Final = re.compile(r"(python|pypy)[0-9.]*(\.exe)?\Z")
_RESERVED: Final = ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "TMPDIR")


@dataclass(frozen=True, kw_only=True, slots=True)
class Adapter:
    """One adapter: argv without a shell, an absolute executable, absolute scripts."""

    command: tuple[str, ...] = setting(about="a list of words: an absolute executable, then its arguments")
    timeout_seconds: float = setting(120.0, about="time for one call", low=0.01, high=86_400)
    pass_env: tuple[str, ...] = setting((), about="names of variables that the adapter may see, keys among them")

    def check(self, who: str) -> Iterator[Fault]:
        yield from check_command(self.command, who)
        yield from check_names(self.pass_env, who)

    @property
    def limits(self) -> Limits:
        return Limits(timeout_seconds=self.timeout_seconds)


def check_command(command: tuple[str, ...], who: str) -> Iterator[Fault]:
    """What is wrong with an argv by its words alone; whether its files are there is looked at later."""
    if not command or not command[0]:
        yield Fault("command", f"{who} command is empty", "name an absolute executable, then its arguments")
        return
    if any("\0" in word for word in command):
        yield Fault("command", f"{who} command holds a NUL character")
    for index in files_of(command):
        word, what = command[index], "script" if index else "executable"
        if not PurePosixPath(word).is_absolute():
            hint = "a call runs in a fresh folder, so that nothing relative would be found"
            yield Fault(f"command.{index}", f"{who} command: the {what} {quoted(word)} must be an absolute path", hint)


def check_names(names: tuple[str, ...], who: str) -> Iterator[Fault]:
    """What is wrong with the names of variables to hand on."""
    for index, name in enumerate(names):
        if not _VARIABLE.match(name):
            hint = "write the name of a variable here, never the value of a key"
            yield Fault(f"pass_env.{index}", f"{who} pass_env[{index}] is no name of a variable", hint)
        elif name in _RESERVED:
            yield Fault(f"pass_env.{index}", f"{who} pass_env: {name} is fresh for every call and cannot be passed")


def files_of(command: tuple[str, ...]) -> tuple[int, ...]:
    """Which words of an argv must be files: the executable, and the scripts that Python is to run."""
    scripts = {index for index, word in enumerate(command) if index and word.endswith(".py") and word[0] != "-"}
    if command and _PYTHON.fullmatch(PurePosixPath(command[0]).name):
        for index, word in enumerate(command[1:], start=1):
            if word in ("-m", "-c"):
                break
            if not word.startswith("-"):
                scripts.add(index)
                break
    return (0, *sorted(scripts))


def check_there(command: tuple[str, ...], field: str) -> None:
    """Raises `Fault` at the field when a file of the argv is not there."""
    for file in missing_files(command):
        raise Fault(field, f"missing adapter: the command names {quoted(file)}, which is no file")


def missing_files(command: tuple[str, ...], exists: Callable[[str], bool] = os.path.isfile) -> Iterator[str]:
    """The files of an argv that are not there."""
    return (command[index] for index in files_of(command) if not exists(command[index]))
