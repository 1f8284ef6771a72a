"""Records a suite against a real server, and kills the recording, with no word of warning, at random moments."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CONCURRENCY = 8
SUITE = """\
targets:
  bot: {{ type: openai-compatible, url: "{url}", model: stub }}
datasets: [{{ file: cases.jsonl }}]
scorers: [{{ type: contains, value: done }}]
run: {{ concurrency: {concurrency}, history: false }}
"""


@dataclass
class Killed:
    """What came of a recording that was killed again and again, and then left alone."""

    cases: int
    kills: int = 0
    requests: int = 0
    again: list[int] = field(default_factory=list)
    """For every run, how many of its questions had been asked before."""
    torn: int = 0
    """Runs that found the last line of a journal cut off."""

    @property
    def most_again(self) -> int:
        return max(self.again, default=0)


def make_suite(folder: Path, url: str, cases: int) -> None:
    folder.mkdir(parents=True)
    rows = (json.dumps({"id": f"c{i}", "input": f"question {i} " + "words " * 20}) for i in range(cases))
    (folder / "cases.jsonl").write_text("\n".join(rows))
    (folder / "evals.yaml").write_text(SUITE.format(url=url, concurrency=CONCURRENCY))


def start(folder: Path, command: str = "record") -> subprocess.Popen[str]:
    argv = [sys.executable, "-m", "evalci", command, "-q"]
    return subprocess.Popen(argv, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str]) -> str:
    """Wait for a run that must pass; what it wrote to stderr."""
    _, stderr = process.communicate(timeout=120)
    assert process.returncode == 0, stderr
    return stderr


def kill_while_recording(folder: Path, asked: Sequence[str], *, kills: int, cases: int, rng: random.Random) -> Killed:
    """Kill so many recordings of the suite in `folder`, each at a moment of its own, then let one finish.

    `asked` is what the server was asked so far, and grows.
    """
    found = Killed(cases=cases)
    for _ in range(kills):
        before = len(asked)
        process = start(folder)
        _wait_for_a_moment(process, asked, rng, cases // kills)
        process.send_signal(signal.SIGKILL)
        _, stderr = process.communicate()
        found.kills += process.returncode == -signal.SIGKILL
        _note(found, asked, before, stderr)
    before = len(asked)
    _note(found, asked, before, finish(start(folder)))
    found.requests = len(asked)
    return found


def _wait_for_a_moment(process: subprocess.Popen[str], asked: Sequence[str], rng: random.Random, most: int) -> None:
    """Some moment of a run: while it starts and folds in what the last one left, or after some questions and a bit."""
    starting = rng.random() < 0.2
    wanted = len(asked) + (0 if starting else 1 + rng.randrange(most))
    while len(asked) < wanted and process.poll() is None:
        time.sleep(0.0005)
    deadline = time.monotonic() + rng.random() * (0.25 if starting else 0.008)
    while time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.0005)


def _note(found: Killed, asked: Sequence[str], before: int, stderr: str) -> None:
    # Each question once: the server may come to read one only after its sender is dead.
    found.again.append(len(set(asked[:before]) & set(asked[before:])))
    found.torn += "the last line is cut off" in stderr


def recordings(folder: Path) -> list[dict[str, Any]]:
    """The cassette's rows in its order, without what is measured anew each time."""
    rows = [json.loads(line) for line in (folder / ".evalci" / "cassette.jsonl").read_bytes().splitlines()]
    for row in rows:
        del row["response"]["latency_ms"]
    return rows


def left_in(folder: Path) -> list[str]:
    """What lies in the state folder."""
    return sorted(os.listdir(folder / ".evalci"))
