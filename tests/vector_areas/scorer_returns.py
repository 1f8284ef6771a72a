"""What a scorer function takes and what its return value means, as the golden rows have it."""

import asyncio
from typing import Any

import pytest

from evalci import scorer
from evalci.engine import EngineSettings, Slot, run_cases
from evalci.model import Case, Output, Score
from evalci.scorers.function_scorer import FunctionScorer
from evalci.summary.summarize import summarize
from evalci.summary.trials import single
from tests.doubles import Model


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    if "signature" in given:
        _signature(given, want)
        return

    def judged() -> Any:
        if "raises" in given:
            raise RuntimeError("judge unavailable")
        return given["returns"]

    broken, good = _scores(judged, lambda: True)
    assert (broken.error is not None) == want["errored"]
    assert (broken.value, broken.passed) == (want.get("value"), want["passed"])
    if "error" in want:
        assert broken.error == want["error"]
    assert good.passed is True
    if want.get("counts_in_mean") is False:
        _left_out(broken, good)


def _left_out(broken: Score, good: Score) -> None:
    """It leaves the mean alone, and a case that has nothing else was not measured."""
    output = Output(text="")
    result = single(Case(id="c"), output=output, scores=(broken, good), scorer_errors="exclude")
    assert result.status == "passed"
    assert dict(summarize([result]).mean_score) == {"scorer": 1.0}
    alone = single(Case(id="c"), output=output, scores=(broken,), scorer_errors="exclude")
    assert alone.status == "errored"


def _scores(*functions: Any) -> tuple[Score, ...]:
    """The scores of one output, as the engine has them."""

    class Parrot:
        async def ask(self, case: Case, trial: int) -> Output:
            return Output(text="the output")

    slots = [
        Slot.of("judged" if number == 0 else "scorer", "python", FunctionScorer(function, Model()))
        for number, function in enumerate(functions)
    ]
    case = Case(id="c", input="q", expected="the reference")
    (ran,) = asyncio.run(run_cases([case], Parrot(), slots, EngineSettings()))
    return ran.attempts[0].scores


def _signature(given: dict[str, Any], want: dict[str, Any]) -> None:
    body = "dict(locals())" if given["signature"] != "(*args)" else "args"
    space: dict[str, Any] = {"seen": []}
    exec(f"def judged{given['signature']}:\n    seen.append({body})\n    return True", space)
    judged = space["judged"]
    if "error_at_import" in want:
        with pytest.raises(TypeError, match=want["error_at_import"][0]):
            scorer(judged)
        (score,) = _scores(judged)
        assert (score.error or "").startswith("TypeError: ")
        return
    assert scorer(judged) is judged
    (score,) = _scores(judged)
    assert score.passed is True
    seen = space["seen"][0]
    values = list(seen) if isinstance(seen, tuple) else [seen[name] for name in seen if name != "fold"]
    known = {"the output": "output", "the reference": "expected"}
    assert [known[value] if isinstance(value, str) else "case" for value in values] == want["called_with"]
