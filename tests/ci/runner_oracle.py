"""The Actions runner's own rules for what a step prints and writes, as an oracle: what would it make of this?

Written from the rules in the runner's ActionCommand, ActionCommandManager, OutputManager and FileCommandManager.
"""

import re
from dataclasses import dataclass, field

LEVELS = ("error", "warning", "notice")
COMMANDS = {
    "add-mask",
    "add-matcher",
    "add-path",
    "debug",
    "echo",
    "endgroup",
    "error",
    "group",
    "notice",
    "remove-matcher",
    "save-state",
    "set-env",
    "set-output",
    "stop-commands",
    "warning",
}
FORBIDDEN_TOKENS = {"", "pause-logging", *COMMANDS}
KEPT_PER_LEVEL = 10
MESSAGE_UNITS = 4_096
SUMMARY_BYTES = 1_048_576


@dataclass(frozen=True)
class Command:
    name: str
    properties: dict[str, str]
    data: str


@dataclass(frozen=True)
class Issue:
    level: str
    message: str
    properties: dict[str, str]


@dataclass
class Step:
    """A step's run as the runner sees it: both streams share the state of paused commands."""

    failed: bool = False
    issues: list[Issue] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    masks: set[str] = field(default_factory=set)
    log: list[str] = field(default_factory=list)
    _stop_token: str | None = None

    def prints(self, text: str) -> "Step":
        """Reads one stream. A lone carriage return ends a line too."""
        for line in re.split(r"\r\n|\n|\r", text):
            if not self._processed(line):
                self.log.append(line)
        return self

    @property
    def paused(self) -> bool:
        return self._stop_token is not None

    def annotations(self, level: str) -> list[Issue]:
        """What the run page keeps of one level."""
        return [issue for issue in self.issues if issue.level == level][:KEPT_PER_LEVEL]

    def _processed(self, line: str) -> bool:
        known = COMMANDS | ({self._stop_token.lower()} if self._stop_token else set())
        command = new_form(line, known) or old_form(line, known)
        if command is None:
            return False
        name = command.name.lower()
        if self._stop_token is not None:
            if name != self._stop_token.lower():
                return False
            self._stop_token = None
            return True
        self.commands.append(command)
        self._act(name, command)
        return True

    def _act(self, name: str, command: Command) -> None:
        if name == "stop-commands":
            if command.data.lower() in FORBIDDEN_TOKENS:
                self.failed = True
            else:
                self._stop_token = command.data
                if len(command.data) > 6:
                    self.masks.add(command.data)
        elif name in ("set-env", "add-path"):
            self.failed = True  # refused since they are insecure; the exception fails the step
        elif name == "add-mask":
            self.masks.add(command.data)
        elif name == "echo" and command.data.strip().upper() not in ("ON", "OFF"):
            self.failed = True
        elif name in LEVELS:
            self.issues.append(Issue(name, cut(command.data), command.properties))


def cut(message: str) -> str:
    """The message as kept: .NET counts UTF-16 units."""
    return message.encode("utf-16-le", "surrogatepass")[: MESSAGE_UNITS * 2].decode("utf-16-le", "ignore")


def new_form(line: str, known: set[str]) -> Command | None:
    """`::name key=value,key=value::data`, at the start of a line after its blanks."""
    line = line.lstrip()
    if not line.startswith("::") or (end := line.find("::", 2)) < 0:
        return None
    return _command(line[2:end], line[end + 2 :], ",", known, {"%0D": "\r", "%0A": "\n"}, {"%3A": ":", "%2C": ","})


def old_form(line: str, known: set[str]) -> Command | None:
    """`##[name key=value;key=value]data`, anywhere in a line."""
    start = line.find("##[")
    if start < 0 or (end := line.find("]", start)) < 0:
        return None
    escapes = {"%3B": ";", "%0D": "\r", "%0A": "\n", "%5D": "]"}
    return _command(line[start + 3 : end], line[end + 1 :], ";", known, escapes, {})


def _command(
    info: str, data: str, separator: str, known: set[str], escapes: dict[str, str], in_properties: dict[str, str]
) -> Command | None:
    name, _, rest = info.partition(" ")
    if name.lower() not in known:
        return None
    pairs = (part.partition("=") for part in rest.strip().split(separator))
    properties = {key: _unescaped(value, {**escapes, **in_properties}) for key, _, value in pairs if key and value}
    return Command(name, properties, _unescaped(data, escapes))


def _unescaped(text: str, escapes: dict[str, str]) -> str:
    for escape, char in {**escapes, "%25": "%"}.items():
        text = text.replace(escape, char)
    return text


class FileCommandError(Exception):
    """The step fails over its output file."""


def outputs_of(text: str) -> dict[str, str]:
    """What GITHUB_OUTPUT says: `k=v` or `k<<DELIMITER`; the earlier of `=` and `<<` decides; the last write wins."""
    found: dict[str, str] = {}
    lines = text.removesuffix("\n").split("\n")
    position = 0
    while position < len(lines):
        line = lines[position]
        position += 1
        if not line:
            continue
        equals, heredoc = line.find("="), line.find("<<")
        if equals >= 0 and (heredoc < 0 or equals < heredoc):
            name, _, found_value = line.partition("=")
            found[name] = found_value
            continue
        if heredoc < 0:
            raise FileCommandError(f"invalid format {line!r}")
        name, _, delimiter = line.partition("<<")
        if not name or not delimiter:
            raise FileCommandError("a name and a delimiter are needed")
        if delimiter not in lines[position:]:
            raise FileCommandError(f"no matching delimiter {delimiter!r}")
        end = lines.index(delimiter, position)
        found[name] = "\n".join(lines[position:end])
        position = end + 1
    return found


def summary_is_shown(data: bytes) -> bool:
    """Over the limit the whole summary is dropped, and an error annotation says so."""
    return 0 < len(data) <= SUMMARY_BYTES
