"""Forty programs that misbehave, and how each is to end. Every one bounds itself, so that a failing limit costs a test.

Those of `tests/programs` are used as they are; the others are written here, one line of harm each.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.programs import PROGRAMS

LIMIT: Final = 1.0
MARK: Final = "MARKER"  # replaced in arguments by what a test looks for afterwards
OWN: Final = "of their own"


@dataclass(frozen=True, kw_only=True)
class Hostile:
    """A program: its name, its file, its text unless it is one of `tests/programs`, and the reason it is to have."""

    name: str
    file: str
    text: str | None = None
    args: tuple[str, ...] = ()
    reason: str = "success"
    more: Mapping[str, Any] = field(default_factory=dict)
    mode: int = 0o644

    def target(self, folder: Path, marker: str) -> dict[str, Any]:
        """The target's settings, its file written to the folder."""
        path = PROGRAMS / self.file if self.text is None and self.reason != MISSING else folder / self.file
        if self.text is not None:
            path.write_text(self.text)
            path.chmod(self.mode)
        limits = {"timeout_seconds": LIMIT, **self.more.get("limits", {})}
        args = [word.replace(MARK, marker) for word in self.args]
        return {"type": "program", "path": str(path), "args": args, "expected_output": False} | {
            **self.more,
            "limits": limits,
        }


MISSING: Final = "no such file"


def known(name: str, *args: str, reason: str = "success", **more: Any) -> Hostile:
    """One of `tests/programs`."""
    return Hostile(
        name="-".join((name, *args)).replace(f"-{MARK}", ""), file=f"{name}.py", args=args, reason=reason, more=more
    )


def python(name: str, text: str, reason: str = "success", **more: Any) -> Hostile:
    """A script for Python."""
    return Hostile(name=name, file=f"{name}.py", text=text, reason=reason, more=more)


def script(name: str, text: str, reason: str = "success", file: str = "", mode: int = 0o644) -> Hostile:
    """A script for a shell, or a file of some other kind."""
    return Hostile(name=name, file=file or f"{name}.sh", text=text, reason=reason, mode=mode)


BUSY_FAMILY = """\
import os
for _ in range(8):
    if os.fork() == 0:
        break
while True:
    pass
"""
DRIP = """\
import time
while True:
    print("drip", flush=True)
    time.sleep(0.02)
"""
BOTH_STREAMS = """\
import os
while True:
    os.write(1, b"o" * 65536)
    os.write(2, b"e" * 65536)
"""
CHATTY_GRANDCHILD = """\
import os, time
if os.fork() == 0:
    for _ in range(3000):
        os.write(1, b"more\\n")
        time.sleep(0.01)
    os._exit(0)
print("the answer", flush=True)
"""
CLOSES_ALL = """\
import os, time
for stream in (0, 1, 2):
    os.close(stream)
time.sleep(60)
"""
ZOMBIES = """\
import os, time
for _ in range(40):
    if os.fork() == 0:
        os._exit(0)
time.sleep(60)
"""
THREADS = """\
import threading, time
begun = 0
for _ in range(200):
    try:
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        begun += 1
    except RuntimeError:
        break
print(begun, flush=True)
import os
os._exit(0)
"""
MANY_FILES = """\
for i in range(20):
    with open(f"file-{i}", "wb") as file:
        file.write(b"x" * 2 * 1024 * 1024)
"""
DEEP_FOLDERS = """\
import os
for _ in range(3000):
    os.mkdir("d")
    os.chdir("d")
"""
MANY_HANDLES = """\
import os
held = []
try:
    for _ in range(100000):
        held.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    pass
print(len(held) > 100)
"""
RAISES_LIMITS = """\
import resource
for name in ("RLIMIT_CPU", "RLIMIT_NPROC", "RLIMIT_NOFILE"):
    try:
        resource.setrlimit(getattr(resource, name), (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    except (OSError, ValueError):
        pass
while True:
    pass
"""
NEW_SESSION = """\
import os, time
if os.fork():
    os.wait()
os.setsid() if os.getpid() != os.getsid(0) else None
time.sleep(60)
"""
TERMINAL_TRICKS = r"""
print("\x1b[2J\x1b]0;owned\x07\r::error::owned\n::set-output name=passed::true\n</details><script>alert(1)</script>")
"""

FORTY: Final = (
    known("busy_loop", reason="timeout"),
    known("busy_loop", "deaf", reason="timeout"),
    known("ignores_sigterm", reason="timeout"),
    known("fork_bomb", "leave", limits={"processes": 20}),
    known("fork_bomb", "stay", reason="timeout", limits={"processes": 20}),
    known("memory_hog", reason="exit_code_1"),
    known("disk_filler", reason="exit_code_1"),
    known("endless_output", "stdout", reason="error", limits={"timeout_seconds": 20}),
    known("endless_output", "stderr", reason="error", limits={"timeout_seconds": 20}),
    known("double_fork", "exit"),
    known("double_fork", "stay", reason="timeout"),
    known("double_fork", "exit", "washed", MARK),
    known("double_fork", "stay", "tampered", MARK, reason="timeout"),
    known("closes_stdin"),
    known("writes_before_reading"),
    known("leaves_grandchild_on_pipe"),
    known("locks_its_folder"),
    known("binary_output"),
    known("tries_network", "9", isolate="network"),
    python("busy-family", BUSY_FAMILY, "timeout"),
    python("drips-for-ever", DRIP, "timeout"),
    python("floods-both-streams", BOTH_STREAMS, "error", limits={"timeout_seconds": 20}),
    python("grandchild-goes-on-writing", CHATTY_GRANDCHILD),
    python("closes-every-stream", CLOSES_ALL, "timeout"),
    python("makes-zombies", ZOMBIES, "timeout"),
    python("starts-threads", THREADS, limits={"processes": 20}),
    python("one-line-of-5-mb", "print('x' * 5 * 1024 * 1024)"),
    python("many-files", MANY_FILES),
    python("deep-folders", DEEP_FOLDERS, limits={"timeout_seconds": 20}),
    python("many-handles", MANY_HANDLES),
    python("file-of-a-terabyte", "open('big', 'wb').truncate(1 << 40)", "exit_code_1"),
    # It is the memory limit that ends this one, once half a gigabyte is read: a busy machine needs more than a second.
    python("reads-zeroes-for-ever", "open('/dev/zero', 'rb').read()", "exit_code_1", limits={"timeout_seconds": 20}),
    python("raises-its-limits", RAISES_LIMITS, "timeout"),
    python("leaves-its-session", NEW_SESSION, "timeout"),
    python("stops-itself", "import os\nos.kill(os.getpid(), 19)", "timeout"),
    python("kills-its-group", "import os\nos.killpg(0, 9)", "exit_code_-9"),
    python("executes-a-missing-file", "import os\nos.execv('/no/such/file', ['x'])", "exit_code_1"),
    python("plays-tricks-on-terminals", TERMINAL_TRICKS),
    script("deaf-shell-in-a-loop", "trap '' TERM INT HUP\nwhile :; do :; done\n", "timeout"),
    script("interpreter-that-is-not-there", "#!/no/such/interpreter\n", "exit_code_-2", file="tool", mode=0o755),
)
