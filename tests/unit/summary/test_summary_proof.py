"""No request id counts twice in a run, and what is missing is said in dataset order."""

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from evalci.engine import Attempt, CaseRun, Slot
from evalci.model import Output, Tokens
from evalci.summary.proof import OncePerRun, missing_proof
from evalci.summary.trials import fold, single
from evalci.summary.verdicts import attempt
from tests.factories import broken, case, errored, good, skipped

Ids = dict[tuple[str, int], str]


@dataclass
class Adapter:
    """A target or scorer that says which ids its calls gave."""

    request_ids: Ids = field(default_factory=dict)

    async def score(self, case: object, output: object) -> None:
        """Never asked: what it said is handed in."""


BOT, JUDGE = "bot", "judge"


def slots(*scorers: object) -> tuple[Slot, ...]:
    return tuple(Slot.of(JUDGE, "judge", scorer) for scorer in scorers)  # type: ignore[arg-type]


def runs(*ids: str, trials: int = 1, scorers: int = 1) -> tuple[CaseRun, ...]:
    one = Attempt(output=Output(text="x"), scores=tuple(good(JUDGE, tokens=Tokens(5, 1)) for _ in range(scorers)))
    return tuple(CaseRun(case(case_id), (one,) * trials) for case_id in ids)


def refused(settled: tuple[CaseRun, ...]) -> list[tuple[str, int, str]]:
    """Who was refused: case, trial, and whether executor or judge."""
    found = []
    for run in settled:
        for trial, each in enumerate(run.attempts):
            found += [(run.case.id, trial, BOT)] if each.error else []
            found += [(run.case.id, trial, JUDGE) for score in each.scores if score.error]
    return found


def test_the_later_of_two_equal_ids_is_refused_and_says_where_the_other_came() -> None:
    judge = Adapter({("a", 0): "id-1", ("b", 0): "id-1"})
    first, second = OncePerRun(str).settle(runs("a", "b"), object(), slots(judge))
    assert first == runs("a")[0]
    score = second.attempts[0].scores[0]
    assert score.error == (
        'the judge\'s answer was refused: request_id "id-1" was given before, in case "a": a replay proves nothing'
    )
    assert (score.value, score.passed, score.scorer, score.tokens) == (None, False, JUDGE, Tokens(5, 1))


def test_executor_and_judge_share_their_ids_and_the_executor_comes_first() -> None:
    bot, judge = Adapter({("a", 0): "same"}), Adapter({("a", 0): "same"})
    assert refused(OncePerRun(str).settle(runs("a"), bot, slots(judge))) == [("a", 0, JUDGE)]


def test_two_judges_of_one_output_share_their_ids() -> None:
    one, two = Adapter({("a", 0): "same"}), Adapter({("a", 0): "same"})
    settled = OncePerRun(str).settle(runs("a", scorers=2), object(), slots(one, two))
    assert [score.error is None for score in settled[0].attempts[0].scores] == [True, False]


def test_trials_share_their_ids() -> None:
    judge = Adapter({("a", trial): "same" for trial in range(3)})
    assert refused(OncePerRun(str).settle(runs("a", trials=3), object(), slots(judge))) == [
        ("a", 1, JUDGE),
        ("a", 2, JUDGE),
    ]


def test_arms_share_their_ids() -> None:
    once = OncePerRun(str)
    one, two = Adapter({("a", 0): "same"}), Adapter({("a", 0): "same"})
    assert refused(once.settle(runs("a"), one, ())) == []
    assert refused(once.settle(runs("a"), two, ())) == [("a", 0, BOT)]


def test_an_id_that_a_refused_answer_led_to_was_given_all_the_same() -> None:
    bot = Adapter({("a", 0): "same", ("b", 0): "same", ("c", 0): "other"})
    judge = Adapter({("b", 0): "judged", ("c", 0): "judged"})
    assert refused(OncePerRun(str).settle(runs("a", "b", "c"), bot, slots(judge))) == [("b", 0, BOT), ("c", 0, JUDGE)]


def test_what_an_id_holds_of_a_secret_is_not_repeated() -> None:
    judge = Adapter({("a", 0): "sk-1", ("b", 0): "sk-1"})
    once = OncePerRun(lambda text: text.replace("sk-1", "[redacted]"))
    assert "sk-1" not in str(once.settle(runs("a", "b"), object(), slots(judge)))


def test_runs_without_adapters_are_left_as_they_are() -> None:
    given_ = runs("a", "b")
    settled = OncePerRun(str).settle(given_, object(), slots(object()))
    assert all(one is other for one, other in zip(settled, given_, strict=True))


@given(st.lists(st.sampled_from("pqr"), min_size=6, max_size=6), st.permutations(range(6)))
def test_which_one_is_refused_never_depends_on_what_finished_first(ids: list[str], order: list[int]) -> None:
    calls = [(case_id, trial) for case_id in "abc" for trial in (0, 1)]
    in_turn = Adapter(dict(zip(calls, ids, strict=True)))
    as_finished = Adapter({calls[place]: ids[place] for place in order})
    settled = [
        OncePerRun(str).settle(runs("a", "b", "c", trials=2), object(), slots(judge))
        for judge in (in_turn, as_finished)
    ]
    assert settled[0] == settled[1]
    standing = [in_turn.request_ids[call] for call in calls if (*call, JUDGE) not in refused(settled[0])]
    assert sorted(standing) == sorted(set(ids))


def test_what_is_missing_is_told_case_by_case_trial_by_trial_scorer_by_scorer() -> None:
    twice = fold(
        case("b"),
        (
            attempt(output=Output(text="x"), scores=(broken("one", "e1"), broken("two", "e2"))),
            attempt(error="no answer"),
        ),
    )
    results = (errored("a", "refused"), twice, single(case("c"), output=Output(text="x"), scores=(good(), good())))
    assert missing_proof(results, Adapter(), slots(Adapter(), Adapter())) == (
        'case "a": refused',
        'case "b": trial 0: one: e1',
        'case "b": trial 0: two: e2',
        'case "b": trial 1: no answer',
    )


def test_only_adapters_leave_a_run_incomplete() -> None:
    result = single(case("a"), output=Output(text="x"), scores=(broken("one", "e1"), broken("two", "e2")))
    results = (result, errored("b", "a shell that failed"), skipped("c"))
    assert missing_proof(results, object(), slots(object(), object())) == ()
    assert missing_proof(results, object(), slots(object(), Adapter())) == ('case "a": two: e2',)
    assert missing_proof(results, Adapter(), slots(object(), object())) == ('case "b": a shell that failed',)
