"""Kills a recording against a local server at random moments, and says what that cost.

    python benchmarks/kill_while_recording.py [KILLS [CASES [SEED]]]

After each kill the next recording may ask again for what was in flight, no more. Exit code 1 when it asked for more, or
when the finished cassette is not that of an undisturbed recording, measured latencies aside.
"""

import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.doubles import chat_server
from tests.durability.killing import CONCURRENCY, finish, kill_while_recording, make_suite, recordings, start


def main(kills: int = 100, cases: int = 500, seed: int = 0) -> int:
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as place, chat_server(_slowly) as (url, asked):
        killed, undisturbed = Path(place, "killed"), Path(place, "undisturbed")
        make_suite(killed, url, cases)
        found = kill_while_recording(killed, asked, kills=kills, cases=cases, rng=random.Random(seed))
        make_suite(undisturbed, url, cases)
        finish(start(undisturbed))
        same = recordings(killed) == recordings(undisturbed)
    print(
        f"{found.kills} of {kills} runs were killed; {cases} cases took {found.requests} requests\n"
        f"asked again: {sum(found.again)} in all, at most {found.most_again} in one run (concurrency {CONCURRENCY})\n"
        f"torn journal lines met: {found.torn}\n"
        f"the cassette equals an undisturbed one: {'yes' if same else 'NO'}\n"
        f"{time.monotonic() - began:.1f} s"
    )
    return 0 if same and found.most_again <= CONCURRENCY else 1


def _slowly(text: str) -> str:
    time.sleep(0.005)
    return f"ok {text} done"


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
