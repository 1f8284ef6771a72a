"""Twenty publisher processes race on one pull request, fifty times over, with 0 to 500 ms of latency on every call.

    python benchmarks/race_comments.py [RACES [PUBLISHERS [FIRST_SEED]]]

Every other race starts with a comment of an earlier commit. One line a race, then the sum. Exit code 1 when a section
was lost, 2 when one was lost and no publisher said so.
"""

import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.ci.race import Race, run_race

LIMIT_SECONDS = 60


def main(races: int = 50, publishers: int = 20, first_seed: int = 0) -> int:
    done: list[Race] = []
    for seed in range(first_seed, first_seed + races):
        race = run_race(publishers, seed=seed, with_comment=bool(seed % 2))
        done.append(race)
        print(
            f"race {seed}: {'whole' if race.is_whole else 'NOT WHOLE'} after {race.seconds} s, "
            f"{race.comments} comment, {len(race.sections)} sections, {race.created} created, {race.updated} updated, "
            f"{race.deleted} deleted, {race.requests} requests, {len(race.violations)} violations",
            flush=True,
        )
        for line in (*race.reported, *map("missing: {}".format, race.missing), *race.violations):
            print(f"  {line}", flush=True)
    whole = sum(race.is_whole and race.seconds <= LIMIT_SECONDS and not race.violations for race in done)
    silent = sum(race.is_silent_loss for race in done)
    seconds = [race.seconds for race in done]
    requests = [race.requests for race in done]
    writes = [race.created + race.updated + race.deleted for race in done]
    print(
        f"{whole} of {races} races whole within {LIMIT_SECONDS} s; {silent} lost something in silence\n"
        f"seconds: median {statistics.median(seconds)}, worst {max(seconds)}\n"
        f"requests a race: median {statistics.median(requests)}, worst {max(requests)}\n"
        f"writes a race: median {statistics.median(writes)}, worst {max(writes)}"
    )
    if silent:
        return 2
    return 0 if whole == races else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
