"""Protocol v0, as the golden rows have it. No process is started: what one would have left is judged."""

from typing import Any

from evalci.model import Case, Output, Score
from evalci.process import Finished, Limits
from evalci.scorers import ScorerError
from evalci.scorers.subprocess import Subprocess, score_of
from evalci.scorers.verdicts import payload
from tests.doubles import tools_in
from tests.scoring import score_of as score_with


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    if "stdin" in want or "payload" in want:
        _check_payload(given, want.get("stdin", want.get("payload")))
    elif given.get("spawn_fails"):
        _check(_spawned_in_vain(given["cmd"]), want)
    else:
        _check(_judged(given), want)


def _check_payload(given: dict[str, Any], stdin: str) -> None:
    about = given["case"]
    context = about.get("context")
    case = Case(
        id=about.get("id", "c1"),
        input=about.get("input", ""),
        expected=about.get("expected"),
        context=tuple(context) if context else None,
    )
    assert payload(case, Output(text=given["output"])).decode() == stdin


def _judged(given: dict[str, Any]) -> Score:
    finished = Finished(
        exit_code=given.get("exit_code"),
        signal=given.get("signal"),
        stdout=given["stdout"].encode(),
        stderr=given["stderr"].encode(),
        duration=0.1,
        cwd="/",
        limits=Limits(),
    )
    try:
        return score_of(given["cmd"], finished)
    except ScorerError as exc:
        return Score.broken(str(exc))


def _spawned_in_vain(cmd: str) -> Score:
    """Without a PATH there is no `sh` to start."""
    from pathlib import Path

    scorer = Subprocess(cmd=cmd).build(tools_in(Path("/nowhere"), environ={"PATH": "/nowhere"}))
    return score_with(scorer, "x")


def _check(score: Score, want: dict[str, Any]) -> None:
    assert (score.value, score.passed) == (want["value"], want["passed"])
    assert (score.error is not None) == want["errored"]
    if "error" in want:
        assert score.error == want["error"]
    if "reason" in want:
        assert score.reason == (want["reason"] or "")
    assert all(text in (score.error or "") for text in want.get("error_contains", ()))
    assert score.reason.startswith(want.get("reason_prefix", ""))
