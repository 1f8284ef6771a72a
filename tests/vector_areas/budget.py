"""The budget, as the golden rows have it.

What a live run dispatches is the engine's; these rows are held against the fold that charges results in dataset order.
"""

from collections import deque
from typing import Any

import pytest

from evalci.calls.chat_answer import read_usage
from evalci.gates.verdict import decide
from evalci.model import Case, CaseResult
from evalci.summary.budget import Budget, charge, skipped_result


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    if "spent_usd" in given:
        _check_skipped(given, want)
    elif "rates" in given:
        _check_price(given, want)
    elif "usage" in given:
        _check_usage(given, want)
    elif "matrix" in given:
        _check_arms(given, want)
    else:
        _check_fold(given, want)


def _check_fold(given: dict[str, Any], want: dict[str, Any]) -> None:
    costs = given.get("case_costs_usd") or [given["recorded_cost_usd"]] * given["cases"]
    in_flight = 1 if given.get("mode") == "replay" else given.get("concurrency", 1)
    charged = _dispatched(_results(costs), given["budget_usd"], in_flight)
    if in_flight == 1:
        assert charged == charge(_results(costs), given["budget_usd"])
    assert ["skipped" if result.status == "skipped" else "ran" for result in charged] == want["cases"]
    if "exit_code" in want:
        assert decide(results=charged).exit_code == want["exit_code"]


def _dispatched(results: list[CaseResult], budget_usd: float, concurrency: int) -> tuple[CaseResult, ...]:
    """What a live run makes of the cases when each finishes as late as it can, in the order they began."""
    budget, running, ended = Budget(budget_usd), deque[CaseResult](), []
    for result in results:
        if len(running) == concurrency:
            budget.spend(running.popleft().cost_usd)
        if budget.is_exhausted:
            ended.append(budget.skip(result.case))
        else:
            running.append(result)
            ended.append(result)
    return tuple(ended)


def _check_skipped(given: dict[str, Any], want: dict[str, Any]) -> None:
    result = skipped_result(Case(id=given["case_id"]), given["budget_usd"], given["spent_usd"])
    assert result.error == want["case_error"]
    assert result.failures() == (want["failure_reason"],)
    assert result.output is want["output"]
    assert list(result.scores) == want["scores"]


def _check_price(given: dict[str, Any], want: dict[str, Any]) -> None:
    """The formula alone: where a target applies its rates is the targets' own affair."""
    tokens, rates = given["tokens"], given["rates"]
    spent = tokens["input"] * rates["input_per_1m"] + tokens["output"] * rates["output_per_1m"]
    assert spent / 1e6 == pytest.approx(want["cost_usd"], abs=1e-12)
    assert f"${spent / 1e6:.4f}" == want["shown"]


def _check_usage(given: dict[str, Any], want: dict[str, Any]) -> None:
    assert read_usage(given["usage"], "prompt_tokens", "completion_tokens") == want["tokens"]


def _check_arms(given: dict[str, Any], want: dict[str, Any]) -> None:
    budget = given["budget_usd"]
    assert want == {"budget_per_arm_usd": budget}
    for _arm in given["matrix"]:
        charged = charge(_results([budget, 1.0]), budget)
        assert [result.status for result in charged] == ["passed", "skipped"]


def _results(costs: list[float | None]) -> list[CaseResult]:
    return [CaseResult(case=Case(id=f"c{i}"), status="passed", cost_usd=cost) for i, cost in enumerate(costs)]
