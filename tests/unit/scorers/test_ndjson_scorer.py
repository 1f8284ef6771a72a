"""A scorer that speaks protocol ndjson, with a real process: what it is sent, and what becomes of its failures."""

import asyncio
import os
import shlex
import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalci.config.decode import Decoder
from evalci.config.yaml_nodes import read_yaml
from evalci.model import Output, Score
from evalci.process import Limits
from evalci.scorers import ScorerError
from evalci.scorers.subprocess import Subprocess
from evalci.scorers.subprocess_ndjson import WINDOW, NdjsonScorer
from tests.doubles import tools_in
from tests.factories import case
from tests.programs import PROGRAMS, alive

Make = Callable[..., NdjsonScorer]
PROGRAM = shlex.join([sys.executable, "-I", "-S", str(PROGRAMS / "line_scorer.py")])


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Where the process notes what it was asked."""
    return tmp_path / "log"


@pytest.fixture
def make(tmp_path: Path, log: Path) -> Iterator[Make]:
    """Makes a scorer whose process carries a marker; none may outlive the test."""
    marker = f"marker-{uuid.uuid4().hex}"

    def scorer(cmd: str = f"exec {PROGRAM} log", **limits: Any) -> NdjsonScorer:
        environ = {"PATH": os.environ["PATH"], "MARKER": marker, "LOG": str(log)}
        settings = Subprocess(
            cmd=cmd.replace(" log", ' "$LOG"'), protocol="ndjson", limits=Limits(**{"timeout_seconds": 20, **limits})
        )
        built = settings.build(tools_in(tmp_path, environ=environ))
        assert isinstance(built, NdjsonScorer)
        return built

    yield scorer
    assert alive(marker) == []


@pytest.fixture
def asked(log: Path) -> Callable[[], list[list[str]]]:
    """What each process was asked, in the order of the processes."""

    def read() -> list[list[str]]:
        found: dict[str, list[str]] = {}
        for line in log.read_text().splitlines():
            pid, _, output = line.partition(" ")
            found.setdefault(pid, []).append(output)
        return list(found.values())

    return read


async def until(log: Path, output: str) -> None:
    """The process has been asked about this output."""
    while not (log.exists() and output in log.read_text()):
        await asyncio.sleep(0.005)


async def judge(scorer: NdjsonScorer, output: str) -> Score:
    try:
        return await scorer.score(case("c1"), Output(text=output))
    except ScorerError as exc:
        return Score.broken(str(exc))


def judged(scorer: NdjsonScorer, outputs: Sequence[str], *, at_once: bool = False) -> list[Score]:
    """The scores of outputs, one after the other or all in flight together."""

    async def run() -> list[Score]:
        try:
            if at_once:
                return await asyncio.gather(*(judge(scorer, output) for output in outputs))
            return [await judge(scorer, output) for output in outputs]
        finally:
            await scorer.close()

    return asyncio.run(run())


def errors(scores: Sequence[Score]) -> list[str | None]:
    return [score.error for score in scores]


def test_one_process_judges_all_outputs(make: Make, asked: Callable[[], Any]) -> None:
    outputs = [f"output {i}" for i in range(50)]
    scores = judged(make(), outputs)
    assert {score.value for score in scores} == {1.0}
    assert asked() == [outputs]


def test_answers_may_come_in_any_order(make: Make) -> None:
    scores = judged(make(), ["hold", "plain", "hold", "release"], at_once=True)
    assert [score.reason.split()[-1] for score in scores] == ["held", "plain", "held", "released"]


@pytest.mark.slow
def test_no_more_than_a_window_is_in_flight(make: Make) -> None:
    """One more `hold` than fits keeps `release` out until all of them are given up."""
    fits = ["hold"] * (WINDOW - 1) + ["release", "after"]
    assert errors(judged(make(), fits, at_once=True)) == [None] * len(fits)
    scores = judged(make(timeout_seconds=0.1), ["hold"] * WINDOW + ["release"], at_once=True)
    assert errors(scores)[:-1] == ["scorer command timed out after 0.1s"] * WINDOW


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize(
    ("culprit", "error"),
    [
        ("boom", "scorer command exited with exit status: 3: it went boom"),
        ("leave", "scorer command exited with exit status: 0 before it answered"),
        ("noise", 'printed a line that answers no request: "Loading the model"'),
        ("say {}", 'printed a line that answers no request: "{}"'),
        ('say {"id": 999, "score": 1}', "printed a line that answers no request"),
        ('say {"id": ID, "score": NaN}', "printed a line that answers no request"),
    ],
)
def test_only_the_one_that_breaks_the_process_is_broken(make: Make, culprit: str, error: str, at_once: bool) -> None:
    scores = judged(make(), ["a", "b", culprit, "c", "d"], at_once=at_once)
    assert [score.value for score in scores] == [1.0, 1.0, None, 1.0, 1.0]
    assert error in (scores[2].error or "")


@pytest.mark.parametrize("at_once", [False, True])
def test_only_the_one_that_hangs_is_broken(make: Make, at_once: bool) -> None:
    scores = judged(make(timeout_seconds=0.4), ["a", "hang", "b"], at_once=at_once)
    assert errors(scores) == [None, "scorer command timed out after 0.4s", None]


def test_an_output_is_sent_again_only_after_a_failure_and_alone(make: Make, asked: Callable[[], Any]) -> None:
    judged(make(), ["a", "boom", "b"], at_once=True)
    first, *later = asked()
    assert first == ["a", "boom"]
    assert later == [["boom"], ["b"]]


def test_which_are_broken_does_not_depend_on_what_is_in_flight(make: Make) -> None:
    outputs = ["a", "boom", "outside", "b", "once", "c", "leave", "cannot", "twice", "d", "boom", "noise", "e"]
    seen = [errors(judged(make(), outputs, at_once=at_once)) for at_once in (False, True)]
    assert seen[0] == seen[1]
    assert [output for output, error in zip(outputs, seen[0], strict=True) if error] == [
        "boom", "outside", "leave", "cannot", "boom", "noise",
    ]  # fmt: skip


# What becomes of an output, whatever else is in flight.
BROKEN = {
    "boom": "exit status: 3: it went boom",
    "leave": "exit status: 0 before it answered",
    "noise": "answers no request",
    "outside": "outside 0.0..=1.0",
    "cannot": "no such metric",
}
SOUND = ("a", "blank", "once", "twice", "noise-after", "floods", "long")


@given(
    outputs=st.lists(st.sampled_from([*BROKEN, *SOUND]), min_size=1, max_size=16),
    at_once=st.integers(1, 32),
)
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_each_output_gets_its_own_answer_however_many_are_in_flight(
    make: Make, outputs: list[str], at_once: int
) -> None:
    async def run() -> list[Score]:
        scorer, turn = make(), asyncio.Semaphore(at_once)

        async def in_turn(output: str) -> Score:
            async with turn:
                return await judge(scorer, output)

        try:
            return await asyncio.gather(*map(in_turn, outputs))
        finally:
            await scorer.close()

    for output, score in zip(outputs, asyncio.run(run()), strict=True):
        assert (score.error is None) == (output in SOUND), (output, score)
        assert BROKEN.get(output, "") in (score.error or "")


def test_a_bad_answer_breaks_its_own_score_and_the_process_stays(make: Make, asked: Callable[[], Any]) -> None:
    outputs = ["outside", "cannot", "fine"]
    scores = judged(make(), outputs)
    assert errors(scores)[1:] == ["scorer command failed: no such metric", None]
    assert "returned score 2 outside" in (scores[0].error or "")
    assert asked() == [outputs]


def test_blank_lines_are_passed_over(make: Make, asked: Callable[[], Any]) -> None:
    assert errors(judged(make(), ["blank", "a", "blank"])) == [None] * 3
    assert len(asked()) == 1


def test_a_process_that_prints_blank_lines_for_ever_is_late(make: Make) -> None:
    scorer = make("timeout 3 sh -c 'while :; do echo; done'", timeout_seconds=0.3)
    assert errors(judged(scorer, ["a"])) == ["scorer command timed out after 0.3s"]


@pytest.mark.parametrize("at_once", [False, True])
def test_a_process_that_ends_after_every_answer_is_started_anew(make: Make, at_once: bool) -> None:
    assert errors(judged(make(), ["once"] * 4, at_once=at_once)) == [None] * 4


@pytest.mark.parametrize("at_once", [False, True])
def test_what_broke_a_score_is_no_remark_too_whatever_was_in_flight(make: Make, at_once: bool) -> None:
    scorer = make()
    assert [error is None for error in errors(judged(scorer, ["a", "noise", "b"], at_once=at_once))] == [
        True,
        False,
        True,
    ]
    assert scorer.remarks == ()


def test_a_process_that_is_noisy_after_each_answer_leaves_few_remarks(make: Make) -> None:
    scorer = make()
    words = [f"twice-with {number}" for number in range(8)]
    assert errors(judged(scorer, words)) == [None] * 8
    assert len(scorer.remarks) == 4
    assert scorer.remarks[3].startswith("its process was started anew for ")


def test_a_process_that_only_closes_its_stdout_is_told_apart_from_one_that_was_killed(make: Make) -> None:
    (score,) = judged(make(), ["shut"])
    assert score.error == "scorer command closed its stdout before it answered"


def test_noise_after_an_answer_breaks_nothing_but_is_remarked(make: Make) -> None:
    scorer = make()
    assert errors(judged(scorer, ["noise-after", "a", "noise-after", "b"])) == [None] * 4
    told = [remark for remark in scorer.remarks if "started anew" in remark]
    assert len(told) == 1
    assert 'printed a line that answers no request: "Done"' in told[0]


def test_nothing_deadlocks_however_much_is_written(make: Make) -> None:
    outputs = ["x" * 400_000, "long", "floods", "y" * 400_000, "long"] * 3
    scores = judged(make(), outputs, at_once=True)
    assert errors(scores) == [None] * len(outputs)
    assert len(scores[1].reason) == 300_000


def test_a_line_longer_than_output_mb_is_no_answer(make: Make) -> None:
    scores = judged(make(output_mb=0.1), ["a", "long", "b"])
    assert errors(scores)[0::2] == [None, None]
    assert "printed a line longer than output_mb: 0.1" in (scores[1].error or "")


def test_what_the_process_starts_ends_with_it(make: Make) -> None:
    assert errors(judged(make(), ["child"])) == [None]


@pytest.mark.slow
def test_a_process_that_dies_of_a_limit_is_started_anew(make: Make, asked: Callable[[], Any]) -> None:
    """Each request adds to the CPU time of the process; in the end it dies between two of them, or within one."""
    busy = (
        "import sys, json, time\n"
        "for line in sys.stdin:\n"
        "    end = time.process_time() + 0.3\n"
        "    while time.process_time() < end: pass\n"
        "    print(json.dumps({'id': json.loads(line)['id'], 'score': 1}), flush=True)\n"
    )
    scorer = make(f"exec {shlex.join([sys.executable, '-I', '-S', '-c', busy])}", cpu_seconds=1)
    assert errors(judged(scorer, ["a"] * 5)) == [None] * 5


def test_a_command_that_cannot_be_found_breaks_every_score(make: Make) -> None:
    scores = judged(make("no-such-command-here"), ["a", "b"], at_once=True)
    assert all("exit status: 127" in (score.error or "") for score in scores)


def test_without_a_shell_every_score_is_broken(tmp_path: Path) -> None:
    settings = Subprocess(cmd="scorer", protocol="ndjson")
    scorer = settings.build(tools_in(tmp_path, environ={"PATH": "/nowhere"}))
    assert isinstance(scorer, NdjsonScorer)
    assert errors(judged(scorer, ["a", "b"], at_once=True)) == ["failed to spawn subprocess scorer: scorer"] * 2


def test_the_process_starts_with_the_first_output_and_ends_by_itself_at_the_end(make: Make, tmp_path: Path) -> None:
    script = "cat > /dev/null; echo ended > ended"
    idle = make(f"cd {shlex.quote(str(tmp_path))}; {script}")
    asyncio.run(idle.close())
    assert not (tmp_path / "ended").exists()
    scorer = make(f"cd {shlex.quote(str(tmp_path))}; {PROGRAM}; echo $? > ended")
    judged(scorer, ["a"])
    assert (tmp_path / "ended").read_text() == "0\n"


@pytest.mark.slow
def test_a_process_deaf_to_the_end_of_its_input_is_ended(make: Make) -> None:
    assert errors(judged(make(f"{PROGRAM}; sleep 60"), ["a"])) == [None]


def test_closing_in_the_middle_ends_it_at_once(make: Make, log: Path) -> None:
    async def run() -> None:
        scorer = make()
        waiting = asyncio.create_task(judge(scorer, "hang"))
        await until(log, "hang")
        await scorer.close()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(run())


def test_closing_before_the_process_was_started_leaves_nobody_waiting(make: Make) -> None:
    async def run() -> None:
        scorer = make()
        waiting = asyncio.create_task(judge(scorer, "a"))
        await asyncio.sleep(0)
        await scorer.close()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(waiting, 5)

    asyncio.run(run())


def test_who_asks_a_scorer_that_is_being_closed_is_told_so_at_once(make: Make) -> None:
    async def run() -> tuple[Score, Score]:
        scorer = make()
        await judge(scorer, "a")
        closing = asyncio.create_task(scorer.close())
        await asyncio.sleep(0)
        late = await asyncio.wait_for(judge(scorer, "late"), 5)
        await closing
        again = await judge(scorer, "again")
        await scorer.close()
        return late, again

    late, again = asyncio.run(run())
    assert (late.error, again.error) == ("the scorer is being closed", None)


def test_one_who_asks_no_more_is_not_waited_for(make: Make, log: Path) -> None:
    async def run() -> Score:
        scorer = make()
        gone = asyncio.create_task(judge(scorer, "hold"))
        await until(log, "hold")
        gone.cancel()
        await asyncio.wait((gone,))
        await judge(scorer, "release")
        score = await judge(scorer, "after")
        await scorer.close()
        return score

    assert asyncio.run(run()).error is None


def test_a_scorer_may_be_used_again_after_it_was_closed(make: Make) -> None:
    scorer = make()
    assert errors(judged(scorer, ["a"])) == errors(judged(scorer, ["b"])) == [None]


def test_the_protocol_is_chosen_by_name() -> None:
    def mistakes(protocol: str) -> list[str]:
        root, _ = read_yaml(f"cmd: x\nprotocol: {protocol}\n".encode(), name="evals.yaml")
        assert root is not None
        decoder = Decoder("evals.yaml")
        decoder.block(root, Subprocess, "scorers[0]", "subprocess scorer: ")
        return [line for problem in decoder.problems for line in problem.lines()]

    assert mistakes("ndjson") == mistakes("v0") == []
    assert mistakes("ndjsn")[-1] == '  did you mean "ndjson"?'
