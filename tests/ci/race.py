"""Many publisher processes on one pull request at once, against the fake with random latency on every call.

As a program (`python -m tests.ci.race URL INDEX TOTAL SEED`) it is one of those publishers: it says it is ready, waits
for a line, publishes, and prints its outcome as JSON.
"""

import json
import random
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from evalci.ci.github import GitHub, PullRequestComments, github_host
from evalci.ci.host import Effects, Secret
from evalci.ci.http_api import ApiClient
from evalci.ci.retry import Patience
from evalci.ci.sticky import publish
from evalci.ci.sticky_body import Section, StickyBody, comment_key, parse
from evalci.ci.sticky_offer import Offer
from evalci.ci.transport import open_http

from .fake_github import JOB_TOKEN, FakeGitHub
from .github_shapes import REPOSITORY

ROOT = Path(__file__).resolve().parents[2]
SHA = "a" * 40
KEY = comment_key("evals.yaml")
BOT = "github-actions[bot]"


@dataclass(frozen=True)
class Race:
    """What a race left behind, and what it took."""

    seconds: float
    comments: int
    sections: tuple[str, ...]
    missing: tuple[str, ...]
    reported: tuple[str, ...]
    created: int
    updated: int
    deleted: int
    requests: int
    violations: tuple[str, ...]

    @property
    def is_whole(self) -> bool:
        return self.comments == 1 and not self.missing and not self.reported

    @property
    def is_silent_loss(self) -> bool:
        """Something is missing, and nobody said so."""
        return bool(self.missing or self.comments != 1) and not self.reported


def run_race(
    publishers: int, *, seed: int, latency: tuple[float, float] = (0.0, 0.5), with_comment: bool = False
) -> Race:
    """One race: all processes start at the same moment; afterwards the pull request is looked at."""
    with FakeGitHub() as fake:
        fake.add_pull(7, head_sha=SHA)
        fake.add_comment(7, "ada", "Looks good!")
        if with_comment:
            old = Section(key="leg 0", sha="0" * 40, run=1, attempt=1, content="of the commit before")
            fake.add_comment(7, BOT, StickyBody(key=KEY, sections={old.key: old}).render())
        fake.slow_down(*latency, seed)
        racers = [_start(fake.api_url, number, publishers, seed) for number in range(publishers)]
        for racer in racers:
            assert racer.stdout is not None
            racer.stdout.readline()
        began = time.monotonic()
        outcomes = [_outcome(racer) for racer in _released(racers)]
        seconds = time.monotonic() - began
        ours = [body for body in fake.bodies(7) if parse(body, KEY)]
        parsed = parse(ours[0], KEY) if ours else None
        sections = tuple(parsed.sections) if parsed else ()
        return Race(
            seconds=round(seconds, 1),
            comments=len(ours),
            sections=sections,
            missing=tuple(key for key in map(_leg, range(publishers)) if key not in sections),
            reported=tuple(f"{outcome['reason']}" for outcome in outcomes if outcome["did"] == "failed"),
            created=len(fake.calls("issues/create-comment")),
            updated=len(fake.calls("issues/update-comment")),
            deleted=len(fake.calls("issues/delete-comment")),
            requests=len(fake.asked),
            violations=tuple(fake.violations),
        )


def _leg(number: int) -> str:
    return f"leg {number + 1}"


def _start(url: str, number: int, total: int, seed: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tests.ci.race", url, str(number), str(total), str(seed)]
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _released(racers: "list[subprocess.Popen[str]]") -> "list[subprocess.Popen[str]]":
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    return racers


def _outcome(racer: "subprocess.Popen[str]") -> dict[str, str]:
    out, _ = racer.communicate(timeout=180)
    return json.loads(out)


def main(url: str, number: int, total: int, seed: int) -> None:
    effects = Effects(clock=time.monotonic, sleep=time.sleep, rng=random.Random(f"{seed}/{number}"))
    text = f"### {_leg(number)}\n\n" + "all cases passed\n" * 20
    offer = Offer(
        comment_key=KEY,
        section_key=_leg(number),
        sha=SHA,
        run=100,
        attempt=1,
        tier=lambda tier: text if tier == 0 else None,
        parts=total,
    )
    with open_http({}) as http:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.readline()
        patience = Patience(deadline_seconds=90)
        api = ApiClient(http=http, host=github_host(url), token=Secret(JOB_TOKEN), effects=effects, patience=patience)
        thread = PullRequestComments(github=GitHub(api=api, repository=REPOSITORY), number=7, login=BOT)
        outcome = publish(thread, offer, api)
    sys.stdout.write(json.dumps(asdict(outcome)) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
