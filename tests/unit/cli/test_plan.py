"""`evalci plan`: what would be called, and that nothing is."""

import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from evalci.cli.main import main
from tests.doubles import chat_server

EXAMPLES = Path(__file__).parents[3] / "examples"
RATES = {"input_per_1m": 1_000_000, "output_per_1m": 2_000_000}
JUDGE = {"type": "judge", "rubric": "It is polite.", "model": "grader"}


def evalci(*words: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    code = main(words, stdin=io.StringIO(), stdout=out, stderr=err, environ={"PATH": "/usr/bin:/bin"})
    return code, out.getvalue(), err.getvalue()


def planned(config: Path, *words: str) -> dict[str, Any]:
    code, out, err = evalci("plan", str(config), "--reporter", "json", *words)
    assert code == 0, err
    return json.loads(out)


def suite(folder: Path, url: str, *, cases: int = 3, scorers: Any = (), run: Any = None, **target: Any) -> Path:
    chat = {"type": "openai-compatible", "url": url, "model": "m", **target}
    config = folder / "evals.yaml"
    config.write_text(
        json.dumps(
            {
                "targets": {"bot": chat},
                "datasets": [{"file": "c.jsonl"}],
                "scorers": [{"type": "contains", "value": "ok"}, *scorers],
                "run": {"history": False, **(run or {})},
            }
        )
    )
    rows = [{"id": f"c{number}", "input": f"question {number}"} for number in range(cases)]
    (folder / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return config


def sums(plan: dict[str, Any]) -> list[tuple[str, int, int, int, int]]:
    keys = ("who", "calls", "recorded", "to_make", "waiting")
    return [tuple(part[key] for key in keys) for part in plan["calls"]]


def test_before_anything_is_recorded_every_call_is_to_make_and_nobody_is_called(tmp_path: Path) -> None:
    with chat_server() as (url, asked):
        config = suite(tmp_path, url, scorers=[{**JUDGE, "url": url}], api_key_env="NOT_SET")
        before = sorted(tmp_path.rglob("*"))
        plan = planned(config)
        assert asked == []
    assert sums(plan) == [('target "bot"', 3, 0, 3, 0), ('scorer "judge"', 3, 0, 3, 3)]
    assert sorted(tmp_path.rglob("*")) == before


def test_what_is_recorded_is_not_called_again_and_tells_what_the_rest_costs(tmp_path: Path) -> None:
    with chat_server() as (url, asked):
        judge = {**JUDGE, "url": url, "threshold": 0}
        evalci("record", str(suite(tmp_path, url, cases=2, scorers=[judge], cost=RATES)))
        called = len(asked)
        plan = planned(suite(tmp_path, url, cases=5, scorers=[judge], cost=RATES))
        whole = planned(suite(tmp_path, url, cases=2, scorers=[judge], cost=RATES))
        live = planned(suite(tmp_path, url, cases=2, scorers=[judge], cost=RATES), "--cache", "live")
        report = json.loads(evalci("run", str(tmp_path / "evals.yaml"), "--reporter", "json")[1])
        assert len(asked) == called == 4
    assert sums(plan) == [('target "bot"', 5, 2, 3, 0), ('scorer "judge"', 5, 2, 3, 3)]
    assert sums(whole) == [('target "bot"', 2, 2, 0, 0), ('scorer "judge"', 2, 2, 0, 0)]
    assert (whole["to_make"], whole["cost_usd"]) == (0, None)
    # All of it once more costs what it cost.
    assert live["calls"][0]["estimate"]["cost_usd"] == report["summary"]["cost_usd"]
    assert live["calls"][0]["estimate"]["certainty"] == live["calls"][1]["estimate"]["certainty"] == "about"
    assert live["certainty"] == "at least"  # the judge has no price
    # Each recorded question has 10 characters, and so has each that is not recorded.
    assert plan["calls"][0]["estimate"]["cost_usd"] == pytest.approx(report["summary"]["cost_usd"] / 2 * 3)


def test_a_price_that_is_not_known_makes_the_sum_the_least(tmp_path: Path) -> None:
    with chat_server() as (url, _):
        config = suite(tmp_path, url, scorers=[{**JUDGE, "url": url}], cost=RATES, params={"max_tokens": 10})
        plan = planned(config)
    target, judge = (part["estimate"] for part in plan["calls"])
    assert (target["output_tokens"], target["certainty"]) == (30, "up to")
    assert target["cost_usd"] == 3 * 3 + 2 * 30  # ten characters are about three tokens
    assert (judge["output_tokens"], judge["cost_usd"]) == (None, None)
    assert (plan["cost_usd"], plan["certainty"]) == (69, "at least")


def test_equal_calls_are_made_once_and_trials_are_not_equal(tmp_path: Path) -> None:
    with chat_server() as (url, _):
        config = suite(tmp_path, url, run={"trials": 2})
        (tmp_path / "c.jsonl").write_text('{"id": "a", "input": "same"}\n{"id": "b", "input": "same"}\n')
        assert sums(planned(config)) == [('target "bot"', 4, 0, 2, 0)]
        assert sums(planned(config, "--cache", "off")) == [('target "bot"', 4, 0, 4, 0)]


def test_a_filter_and_a_shard_plan_their_part(tmp_path: Path) -> None:
    with chat_server() as (url, _):
        config = suite(tmp_path, url, cases=20)
        assert planned(config, "--filter", "c1*")["to_make"] == 11
        assert sum(planned(config, "--shard", f"{part}/3")["to_make"] for part in (1, 2, 3)) == 20


def test_programs_are_not_started_and_what_they_call_is_said_to_be_unknown(tmp_path: Path) -> None:
    with chat_server() as (url, _):
        config = suite(tmp_path, url, scorers=[{"type": "subprocess", "cmd": "touch scored"}, {**JUDGE, "url": url}])
        data = json.loads(config.read_text())
        data["targets"] = {"tool": {"type": "shell", "cmd": f"touch {tmp_path}/asked"}}
        config.write_text(json.dumps(data))
        before = sorted(tmp_path.rglob("*"))
        plan, (code, page, _) = planned(config), evalci("plan", str(config))
    assert [(start["who"], start["type"], start["starts"]) for start in plan["starts"]] == [
        ('target "tool"', "shell", 3),
        ('scorer "subprocess"', "subprocess", 3),
    ]
    assert sums(plan) == [('scorer "judge"', 3, 0, 3, 3)]
    assert code == 0
    assert "at most 3 starts; what it calls itself is not known" in page
    assert sorted(tmp_path.rglob("*")) == before


def test_an_embedding_is_called_for_both_texts_and_answers_with_no_tokens() -> None:
    plan = planned(EXAMPLES / "judged" / "evals.yaml", "--cache", "live")
    similarity = plan["calls"][1]
    assert (similarity["who"], similarity["calls"], similarity["to_make"]) == ('scorer "similarity"', 24, 24)
    assert similarity["estimate"]["output_tokens"] == 0


def test_each_arm_of_a_matrix_has_its_own_part(tmp_path: Path) -> None:
    with chat_server() as (url, _):
        config = suite(tmp_path, url, scorers=[{**JUDGE, "url": url}])
        data = json.loads(config.read_text())
        data["targets"]["other"] = {**data["targets"]["bot"], "model": "n"}
        config.write_text(json.dumps(data))
        plan = planned(config, "--matrix", "bot,other")
    assert [part["who"] for part in plan["calls"]] == [
        'target "bot"',
        'scorer "judge" on "bot"',
        'target "other"',
        'scorer "judge" on "other"',
    ]


def test_the_page_of_a_recorded_suite_says_that_nothing_is_to_be_called(tmp_path: Path) -> None:
    folder = tmp_path / "support-bot"
    shutil.copytree(EXAMPLES / "support-bot", folder)
    code, page, _ = evalci("plan", str(folder / "evals.yaml"))
    assert code == 0
    assert "16 calls: 16 recorded, 0 to make" in page
    assert "no call to make: everything is recorded" in page
    shutil.rmtree(folder / ".evalci")
    page = evalci("plan", str(folder / "evals.yaml"))[1]
    assert "16 calls to make, up to $" in page
    assert all(len(line) <= 80 for line in page.splitlines())


def test_a_suite_in_python_is_not_planned_since_that_would_run_it(tmp_path: Path) -> None:
    suite_file = tmp_path / "qa_eval.py"
    shutil.copy(EXAMPLES.parent / "tests" / "python_suites" / "qa_eval.py", suite_file)
    code, _, err = evalci("plan", str(suite_file))
    assert code == 2
    assert "`evalci run` replays it" in err
