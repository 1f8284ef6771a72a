"""Rows on the judge: how its reply is read, what it is shown, what it costs."""

import asyncio
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evalci.calls import CallError, Reply
from evalci.calls.chat_answer import read_usage
from evalci.calls.cost import CostRates
from evalci.model import Output, Score
from evalci.scorers.judge_model import Judge
from tests.doubles import Model, tools_in
from tests.factories import case


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    score, model = _judged(given)
    if "prompt_order" in want or "expected_rendered" in want:
        _prompt(given, want, model.asked[0].input, model.asked[0].label)
        return
    if "errored" in want:
        assert (score.error is not None) == want["errored"]
    if "value" in want:
        assert score.value == want["value"]
    if "passed" in want:
        assert score.passed is want["passed"]
    if "error" in want:
        assert score.error == want["error"]
    if "reason" in want:
        assert (score.reason or None) == want["reason"]
    if "reason_reference_wording" in want:
        assert score.reason == want["reason_reference_wording"]
    if "reason_prefix" in want:
        assert score.reason.startswith(want["reason_prefix"])
    if "tokens" in want:
        assert (score.tokens and score.tokens._asdict()) == want["tokens"]
    if "cost_usd" in want:
        assert score.cost_usd == (want["cost_usd"] and pytest.approx(want["cost_usd"]))


def _judged(given: dict[str, Any]) -> tuple[Score, Model]:
    usage = read_usage(given.get("usage"), "prompt_tokens", "completion_tokens")
    reply = Reply(text=given.get("reply", '{"score": 1}'), tokens=usage)
    model = Model(lambda call: CallError("500") if "judge_call" in given else reply)
    cost = given.get("cost")
    settings = Judge(
        url="http://x/v1",
        model="m",
        rubric=given.get("rubric", "R"),
        threshold=given.get("threshold", 0.5),
        cost=cost and CostRates(**cost),
    )
    assert not list(settings.check("judge scorer"))
    with tempfile.TemporaryDirectory() as folder:
        scorer = settings.build(replace(tools_in(Path(folder)), record=lambda live: model))
    return asyncio.run(scorer.score(_case(given.get("case", {})), Output(text=given.get("output", "a")))), model


def _case(given: dict[str, Any]) -> Any:
    context = given.get("context")
    more = {"input": given.get("input", "q"), "expected": given.get("expected")}
    return case(given.get("id", "c1"), context=tuple(context) if context else None, **more)


def _prompt(given: dict[str, Any], want: dict[str, Any], prompt: str, label: str) -> None:
    if "expected_rendered" in want:
        assert f"\n{want['expected_rendered']}\n" in prompt
        return
    marks = {
        "rubric": f"Rubric: {given['rubric']}\n",
        "input": "<input>\n",
        "expected": "<expected>\n",
        "context": "<context>\n",
        "output": f"<answer>\n{given['output']}\n",
        "answer-format instruction": "Reply with JSON only",
    }
    places = [prompt.index(marks[part]) for part in want["prompt_order"]]
    assert places == sorted(places)
    assert all(f"\n{line}\n" in prompt for line in want["context_lines"])
    assert label == want["judge_case_id"]
    bare = _judged({**given, "case": {**given["case"], "context": None, "expected": None}})[1].asked[0].input
    assert ("<context>" in bare) == want["contextless_prompt_has_context_section"]
    assert ("<expected>" not in bare) == want["expected_absent_section_omitted"]
