"""`type: judge` with `adapter:` in whole runs: verdicts, refusals, ids that must not repeat, and reasons in order."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.evidence_suites import PROGRAMS, SECRET, evalci

JUDGE = [sys.executable, str(PROGRAMS / "adapter_judge.py")]
SAYS = str(PROGRAMS / "adapter_says.py")
IDS = ("a", "b", "c", "d", "e", "f", "g", "h")


def judge(command: list[str] = JUDGE, **more: Any) -> dict[str, Any]:
    return {"type": "judge", "rubric": "It is careful.", "adapter": {"command": command, "pass_env": ["JUDGE"]}, **more}


def suite(place: Path, *scorers: dict[str, Any], run: Mapping[str, Any] | None = None, **more: Any) -> Path:
    """A suite whose target repeats its input, over two cases of which the judge passes the first."""
    rows = [{"id": "good", "input": "with care"}, {"id": "bad", "input": "in haste"}]
    (place / "q.jsonl").write_text("".join(json.dumps(row) + "\n" for row in more.pop("rows", rows)))
    config = {
        "targets": {"bot": {"type": "shell", "cmd": "cat"}},
        "datasets": [{"file": "q.jsonl"}],
        "scorers": scorers or [judge()],
        "run": {"history": False, **(run or {})},
        **more,
    }
    (place / "evals.yaml").write_text(json.dumps(config))
    return place / "evals.yaml"


def ran(config: Path, *words: str, **environ: str) -> tuple[int, dict[str, Any]]:
    code, out, err = evalci(
        *("run", str(config), "--cache", "off", "--reporter", "json", *words),
        environ={"PATH": "/usr/bin:/bin", **environ},
    )
    assert out, err
    return code, json.loads(out)


def says(place: Path, table: Mapping[str, Any], name: str = "says") -> list[str]:
    (place / f"{name}.json").write_text(json.dumps(table))
    return [sys.executable, SAYS, str(place / f"{name}.json")]


def verdict(request_id: str, status: str = "passed", **more: Any) -> dict[str, Any]:
    answer = {"status": status, "reason": "so it is", "request_id": request_id, "provider": "double"}
    return {"answer": {**answer, "cache_hit": False}, **more}


def execution(request_id: str, **more: Any) -> dict[str, Any]:
    proof = {"loaded_plugin_sha256": None, "clean_control": True, "cache_hit": False}
    return {"answer": {"output": "an answer", "request_id": request_id, "provider": "double", **proof}, **more}


def executor(command: list[str]) -> dict[str, Any]:
    return {"type": "adapter", "command": command, "condition": "control"}


# --- what it says ---------------------------------------------------------------------------------------------------


def test_its_verdict_is_a_score_with_its_reason_tokens_and_provenance(tmp_path: Path) -> None:
    code, report = ran(suite(tmp_path, judge(name="careful")))
    good, bad = (result["scores"][0] for result in report["results"])
    assert code == 1
    assert (good["value"], good["passed"], good["reason"]) == (1.0, True, "held against careful")
    assert (bad["value"], bad["passed"], bad["reason"]) == (0.0, False, "held against careful")
    assert good["tokens"] == {"input": 5, "output": 1}
    assert good["metadata"]["unvalidated"] is True
    assert good["metadata"]["provider"] == "double"
    assert len(good["metadata"]["request_id"]) == 32


def test_an_unnamed_judge_is_told_its_type_as_the_assertions_id(tmp_path: Path) -> None:
    _, report = ran(suite(tmp_path))
    assert report["results"][0]["scores"][0]["reason"] == "held against judge"


@pytest.mark.parametrize(
    ("how", "why"),
    [("exits-3", "non-zero exit"), ("cached", "cache_hit"), ("no-reason", "reason must say"), ("fenced", "one JSON")],
)
def test_a_refused_answer_breaks_the_score_and_makes_the_run_incomplete(tmp_path: Path, how: str, why: str) -> None:
    code, report = ran(suite(tmp_path), JUDGE=how)
    assert code == 3
    assert [result["status"] for result in report["results"]] == ["errored", "errored"]
    assert why in report["results"][0]["scores"][0]["error"]
    reasons = report["verdict"]["reasons"]
    assert [reason.split(": ")[1] for reason in reasons[:2]] == ['case "good"', 'case "bad"']
    assert why in reasons[0]


def test_a_judge_that_takes_too_long_makes_the_run_incomplete(tmp_path: Path) -> None:
    slow = judge()
    slow["adapter"]["timeout_seconds"] = 0.3
    code, report = ran(suite(tmp_path, slow), JUDGE="hangs")
    assert code == 3
    assert "timeout" in report["verdict"]["reasons"][0]


def test_scorer_errors_that_are_excluded_leave_the_run_incomplete_all_the_same(tmp_path: Path) -> None:
    broken = judge()
    config = suite(tmp_path, {"type": "contains", "value": ""}, broken, run={"scorer_errors": "exclude"})
    code, report = ran(config, JUDGE="exits-3")
    assert [result["status"] for result in report["results"]] == ["passed", "passed"]
    assert code == 3


def test_what_it_writes_of_a_passed_variable_is_masked(tmp_path: Path) -> None:
    answer = verdict("id-1")
    answer["answer"]["reason"] = "the key is $PROVIDER_API_KEY and the pin $PIN"
    config = suite(
        tmp_path, judge(says(tmp_path, {"*": answer})), rows=[{"id": "good", "input": "x"}], run={"concurrency": 1}
    )
    text = config.read_text().replace('"pass_env": ["JUDGE"]', '"pass_env": ["PROVIDER_API_KEY", "PIN"]')
    config.write_text(text)
    code, report = ran(config, PROVIDER_API_KEY=SECRET, PIN="98765432")
    assert code == 0
    assert SECRET not in json.dumps(report)
    assert "98765432" not in json.dumps(report)
    assert "the key is [redacted]" in report["results"][0]["scores"][0]["reason"]


# --- when it cannot be asked ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["run", "calibrate"])
def test_a_replay_is_refused_and_the_scorer_is_named(tmp_path: Path, command: str) -> None:
    config = suite(tmp_path, judge(name="careful"))
    (tmp_path / "labels.jsonl").write_text('{"case_id": "good", "passed": true}\n')
    more = ["--labels", str(tmp_path / "labels.jsonl")] if command == "calibrate" else []
    code, _, err = evalci(command, str(config), *more, environ={})
    assert code == 2
    assert 'scorer "careful": adapter calls are never recorded, so there is nothing to replay' in err
    assert "--cache off" in err


def test_a_missing_adapter_is_a_mistake_at_its_place(tmp_path: Path) -> None:
    config = suite(tmp_path)
    config.write_text(config.read_text().replace(JUDGE[1], "/nowhere/judge.py"))
    code, _, err = evalci("run", str(config), "--cache", "off", environ={})
    assert code == 2
    assert 'missing adapter: the command names "/nowhere/judge.py", which is no file' in err
    assert "evals.yaml:1:" in err


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ({"adapter": {"command": ["python3"]}}, "must be an absolute path"),
        ({"adapter": {"command": []}}, "judge scorer: adapter command is empty"),
        ({"adapter": {"command": JUDGE, "pass_env": ["HOME"]}}, "HOME is fresh for every call"),
        ({"adapter": {"command": JUDGE, "timeout": 3}}, 'did you mean "timeout_seconds"?'),
        ({"adapter": None}, "adapter must be a mapping"),
        ({"rubric": " "}, "rubric must not be blank"),
        ({"severity": ""}, "severity must not be blank"),
    ],
)
def test_what_is_wrong_with_its_settings_is_said(tmp_path: Path, change: dict[str, Any], wanted: str) -> None:
    code, _, err = evalci("validate", str(suite(tmp_path, {**judge(), **change})), environ={})
    assert code == 2
    assert wanted in err


@pytest.mark.parametrize("key", ["url", "model", "choices", "api_key_env", "cost", "include_expected", "threshold"])
def test_what_only_a_model_needs_is_an_unknown_key_beside_adapter(tmp_path: Path, key: str) -> None:
    code, _, err = evalci("validate", str(suite(tmp_path, judge(**{key: "x"}))), environ={})
    assert code == 2
    assert f'unknown key "{key}" in scorers[0]' in err
    assert "known keys: adapter, calibrated, name, rubric, severity, type" in err


def test_a_misspelt_adapter_is_pointed_out(tmp_path: Path) -> None:
    wrong = judge()
    wrong["adaptor"] = wrong.pop("adapter")
    _, _, err = evalci("validate", str(suite(tmp_path, wrong)), environ={})
    assert 'did you mean "adapter"?' in err


@pytest.mark.parametrize(
    ("scorer", "sound"),
    [
        (judge(), True),
        (judge(model="m"), False),
        ({"type": "judge", "rubric": "r", "url": "http://x", "model": "m", "threshold": 0.7}, True),
        ({"type": "judge", "rubric": "r", "url": "http://x"}, False),
        ({"type": "judge", "adapter": {"command": JUDGE}}, False),
    ],
)
def test_the_published_schema_and_the_reader_agree_on_both_forms(
    tmp_path: Path, scorer: dict[str, Any], sound: bool
) -> None:
    config = suite(tmp_path, scorer)
    schema = Draft202012Validator(json.loads(evalci("schema", environ={})[1]))
    assert schema.is_valid(json.loads(config.read_text())) is sound
    assert (evalci("validate", str(config), environ={})[0] == 0) is sound


# --- people's labels ------------------------------------------------------------------------------------------------


def labels(place: Path, **said: bool) -> str:
    rows = ({"case_id": case_id, "passed": passed} for case_id, passed in said.items())
    (place / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(place / "labels.jsonl")


def test_calibrate_measures_it(tmp_path: Path) -> None:
    config = suite(tmp_path)
    words = ("calibrate", str(config), "--labels", labels(tmp_path, good=True, bad=False), "--cache", "off")
    code, out, err = evalci(*words, environ={"PATH": "/usr/bin:/bin"})
    assert code == 0, err
    assert "Cohen's kappa 1.0000" in out


@pytest.mark.parametrize(("people", "unvalidated"), [((True, False), False), ((False, True), True)])
def test_the_agreement_that_it_states_is_a_gate(tmp_path: Path, people: tuple[bool, bool], unvalidated: bool) -> None:
    labels(tmp_path, good=people[0], bad=people[1])
    config = suite(tmp_path, judge(calibrated={"labels": "labels.jsonl", "min_kappa": 0.6}))
    _, report = ran(config)
    assert report["gates"][0]["passed"] is not unvalidated
    assert ("unvalidated" in report["results"][0]["scores"][0]["metadata"]) is unvalidated


# --- over the whole run ---------------------------------------------------------------------------------------------


def later_first(place: Path, of: Any, name: str, **ids: str) -> list[str]:
    """An adapter that answers the sooner, the later a case stands in the dataset."""
    table = {
        prompt: of(ids.get(prompt, f"{name}-{prompt}"), sleep=0.05 * (len(IDS) - number))
        for number, prompt in enumerate(IDS)
    }
    return says(place, table, name)


@pytest.mark.parametrize("concurrency", [1, 8])
def test_of_two_equal_ids_the_later_in_the_dataset_is_refused_whatever_finishes_first(
    tmp_path: Path, concurrency: int
) -> None:
    rows = [{"id": case_id, "input": case_id} for case_id in IDS]
    command = later_first(tmp_path, execution, "bot", b="twice", g="twice", h="twice")
    asked = judge(later_first(tmp_path, verdict, "judge", c="bot-d", e="bot-a"))
    run = {"concurrency": concurrency}
    code, report = ran(suite(tmp_path, asked, rows=rows, run=run, targets={"bot": executor(command)}))
    assert code == 3
    assert [result["case_id"] for result in report["results"] if result["status"] == "errored"] == ["d", "e", "g", "h"]
    said = "was given before, in case"
    assert report["verdict"]["reasons"][:4] == [
        "the evidence is incomplete: "
        f'case "d": the executor\'s answer was refused: request_id "bot-d" {said} "c": a replay proves nothing',
        "the evidence is incomplete: "
        f'case "e": judge: the judge\'s answer was refused: request_id "bot-a" {said} "a": a replay proves nothing',
        "the evidence is incomplete: "
        f'case "g": the executor\'s answer was refused: request_id "twice" {said} "b": a replay proves nothing',
        "the evidence is incomplete: "
        f'case "h": the executor\'s answer was refused: request_id "twice" {said} "b": a replay proves nothing',
    ]


@pytest.mark.parametrize("concurrency", [1, 8])
def test_reasons_come_in_the_order_of_cases_trials_and_scorers(tmp_path: Path, concurrency: int) -> None:
    rows = [{"id": case_id, "input": case_id} for case_id in IDS]
    bad = says(tmp_path, {p: {"exit": 1, "sleep": 0.05 * (8 - n)} for n, p in enumerate(IDS)}, "bad")
    worse = says(tmp_path, {"*": {"exit": 2}}, "worse")
    scorers = [judge(bad, name="one"), judge(worse, name="two")]
    code, report = ran(suite(tmp_path, *scorers, rows=rows, run={"concurrency": concurrency, "trials": 2}))
    assert code == 3
    told = [reason.split(": ")[1:4] for reason in report["verdict"]["reasons"][:32]]
    assert told == [
        [f'case "{case_id}"', f"trial {trial}", name] for case_id in IDS for trial in (0, 1) for name in ("one", "two")
    ]


def test_an_id_may_come_once_over_all_trials(tmp_path: Path) -> None:
    same = judge(says(tmp_path, {"*": verdict("always")}))
    code, report = ran(suite(tmp_path, same, rows=[{"id": "a", "input": "x"}], run={"trials": 3}))
    assert code == 3
    assert [reason.split(": ")[2] for reason in report["verdict"]["reasons"][:2]] == ["trial 1", "trial 2"]
    assert [trial["passed"] for trial in report["results"][0]["trials"]] == [True, False, False]


def test_an_id_may_come_once_over_all_arms_of_a_matrix(tmp_path: Path) -> None:
    targets = {name: executor(says(tmp_path, {"*": execution("always")}, name)) for name in ("one", "two")}
    config = suite(
        tmp_path,
        {"type": "contains", "value": "an answer"},
        rows=[{"id": "a", "input": "x"}],
        targets=targets,
        run={"matrix": ["one", "two"]},
    )
    code, report = ran(config)
    assert code == 3
    assert [arm["verdict"]["exit_code"] for arm in report["arms"]] == [0, 3]
    assert "given before" in report["verdict"]["reasons"][0]


def test_a_shard_is_refused_since_it_cannot_prove_that_ids_are_new(tmp_path: Path) -> None:
    config = suite(tmp_path)
    environ = {"PATH": "/usr/bin:/bin"}
    code, _, err = evalci("run", str(config), "--cache", "off", "--shard", "1/2", environ=environ)
    assert code == 2
    assert "a shard cannot tell that no request id was given in another one" in err
