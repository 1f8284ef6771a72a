"""A recording that is killed loses nothing that was answered: the next one asks again only what was in flight."""

import random
import time
from pathlib import Path

import pytest

from tests.doubles import chat_server
from tests.durability.killing import CONCURRENCY, finish, kill_while_recording, left_in, make_suite, recordings, start


def slowly(text: str) -> str:
    """An answer that takes long enough for questions to be in flight."""
    time.sleep(0.005)
    return f"ok {text} done"


@pytest.mark.slow
@pytest.mark.parametrize(("kills", "cases"), [(8, 80), (100, 500)], ids=["short", "full"])
def test_a_recording_killed_at_random_moments_asks_again_only_what_was_in_flight(
    tmp_path: Path, kills: int, cases: int
) -> None:
    killed, undisturbed = tmp_path / "killed", tmp_path / "undisturbed"
    with chat_server(slowly) as (url, asked):
        make_suite(killed, url, cases)
        found = kill_while_recording(killed, asked, kills=kills, cases=cases, rng=random.Random(kills))
        assert found.most_again <= CONCURRENCY
        assert found.requests <= cases + found.kills * CONCURRENCY
        make_suite(undisturbed, url, cases)
        finish(start(undisturbed))
        so_far = len(asked)
        finish(start(killed, "run"))
        assert len(asked) == so_far
    assert recordings(killed) == recordings(undisturbed)
    assert len(recordings(killed)) == cases
    assert left_in(killed) == left_in(undisturbed) == ["cassette.jsonl"]
