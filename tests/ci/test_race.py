"""Twenty real processes on one pull request: one comment is left, with every section."""

import pytest

from .race import run_race


@pytest.mark.slow
@pytest.mark.parametrize("with_comment", [False, True])
def test_twenty_publishers_leave_one_comment_with_every_section_within_a_minute(with_comment: bool):
    race = run_race(20, seed=2, with_comment=with_comment)
    assert race.is_whole, race
    assert race.violations == ()
    assert race.seconds <= 60
