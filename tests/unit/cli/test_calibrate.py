"""`evalci calibrate`, and judges that state their agreement."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.doubles import chat_server

EXAMPLE = Path(__file__).parents[3] / "examples" / "calibrate"


def evalci(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "evalci", *words], cwd=folder, capture_output=True, text=True, check=False
    )


def suite(folder: Path, url: str, **more: Any) -> None:
    """Four cases whose judge says what the input says, and people's labels of them."""
    judge = {"type": "judge", "url": url, "model": "m", "rubric": "R", **more}
    rows = {
        "scorers": [judge],
        "targets": {"parrot": {"type": "shell", "cmd": "cat"}},
        "datasets": [{"file": "c.jsonl"}],
    }
    (folder / "evals.yaml").write_text(json.dumps(rows))
    cases = [{"id": f"c{n}", "input": f"grade {score}"} for n, score in enumerate((1, 1, 0, 0))]
    (folder / "c.jsonl").write_text("\n".join(map(json.dumps, cases)))
    label(folder, True, True, False, False)


def label(folder: Path, *passed: bool) -> None:
    rows = [{"case_id": f"c{n}", "passed": each} for n, each in enumerate(passed)]
    (folder / "labels.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")


def grade(text: str) -> str:
    return '{"score": 1}' if "grade 1" in text else '{"score": 0}'


CALIBRATED = {"labels": "labels.jsonl", "min_kappa": 0.6}


def test_the_example_prints_its_table_and_its_page_holds_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "calibrate"
    shutil.copytree(EXAMPLE, folder)
    ran = evalci(folder, "calibrate", "--labels", "labels.jsonl")
    assert ran.returncode == 0, ran.stderr
    assert 'scorer "right" against 60 human labels' in ran.stdout
    table = ran.stdout.split("\nthey part on")[0].strip()
    page = (EXAMPLE / "README.md").read_text("utf-8")
    assert table in page
    assert "Who labelled" in page


def test_a_calibrated_judge_is_no_longer_unvalidated_until_it_disagrees(tmp_path: Path) -> None:
    with chat_server(grade) as (url, _):
        suite(tmp_path, url, calibrated=CALIBRATED)
        evalci(tmp_path, "record", "--no-history")
    ran = evalci(tmp_path, "run", "--no-history", "--reporter", "json")
    report = json.loads(ran.stdout)
    assert [gate["passed"] for gate in report["gates"]] == [True]
    assert all("unvalidated" not in result["scores"][0]["metadata"] for result in report["results"])
    label(tmp_path, True, False, True, False)
    ran = evalci(tmp_path, "run", "--no-history", "--reporter", "json")
    report = json.loads(ran.stdout)
    assert (ran.returncode, [gate["passed"] for gate in report["gates"]]) == (1, [False])
    assert all(result["scores"][0]["metadata"]["unvalidated"] for result in report["results"])
    part = json.loads(evalci(tmp_path, "run", "--no-history", "--reporter", "json", "--filter", "c0").stdout)
    assert "gates" not in part
    assert part["results"][0]["scores"][0]["metadata"]["unvalidated"] is True


def test_a_choice_judge_without_a_threshold_gets_the_best(tmp_path: Path) -> None:
    with chat_server(lambda text: "A" if "grade 1" in text else "B") as (url, _):
        suite(tmp_path, url, choices={"A": 1.0, "B": 0.0})
        evalci(tmp_path, "record", "--no-history")
    label(tmp_path, True, True, False, True)
    ran = evalci(tmp_path, "calibrate", "--labels", "labels.jsonl", "--scorer", "judge")
    assert "the scorer gives no verdict; the table is that of the best threshold" in ran.stdout
    assert "best threshold 1: accuracy 0.7500, kappa 0.5000" in ran.stdout
    assert "c3: people passed it, the scorer gave 0" in ran.stdout


def test_labels_of_other_answers_are_left_out_and_counted(tmp_path: Path) -> None:
    with chat_server(grade) as (url, _):
        suite(tmp_path, url)
        evalci(tmp_path, "record", "--no-history")
    seen = ["grade 1", "grade 1", "grade 0", "what was answered once"]
    rows = [{"case_id": f"c{n}", "passed": n < 2, "output": output} for n, output in enumerate(seen)]
    (tmp_path / "labels.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    ran = evalci(tmp_path, "calibrate", "--labels", "labels.jsonl")
    assert "about another answer than this run's, and left out: 1" in ran.stdout
    assert "not measured" not in ran.stdout
    assert "accuracy      1.0000" in ran.stdout


def test_nothing_measured_is_no_success(tmp_path: Path) -> None:
    suite(tmp_path, "http://127.0.0.1:1/v1")
    ran = evalci(tmp_path, "calibrate", "--labels", "labels.jsonl")
    assert ran.returncode == 1
    assert "nothing was measured" in ran.stdout


@pytest.mark.parametrize(
    ("words", "labels", "says"),
    [
        (("--labels", "none.jsonl"), None, "cannot read the labels"),
        (("--labels", "labels.jsonl"), '{"case_id": "x", "passed": true}', '1 label of no case in the suite: "x"'),
        (("--labels", "labels.jsonl"), '{"case_id": "c0", "passed": 1}', "labels.jsonl:1: invalid case at"),
        (("--labels", "labels.jsonl"), '{"case_id": "c0", "passed": true, "output": 1}', '"output" of a label is the'),
        (("--labels", "labels.jsonl"), "\n", "there are no labels"),
        (
            ("--labels", "labels.jsonl"),
            '{"case_id": "c0", "passed": true}\n{"case_id": "c0", "passed": true}',
            "labelled twice",
        ),
        (("--labels", "labels.jsonl", "--scorer", "x"), None, 'the suite has no scorer "x"'),
    ],
)
def test_what_cannot_be_compared_is_a_usage_error(
    tmp_path: Path, words: tuple[str, ...], labels: str | None, says: str
) -> None:
    suite(tmp_path, "http://127.0.0.1:1/v1")
    if labels is not None:
        (tmp_path / "labels.jsonl").write_text(labels)
    ran = evalci(tmp_path, "calibrate", *words)
    assert ran.returncode == 2
    assert says in ran.stderr


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"calibrated": {"labels": "none.jsonl", "min_kappa": 0.5}}, "failed to read labels none.jsonl"),
        ({"calibrated": {"labels": "../x.jsonl", "min_kappa": 0.5}}, "outside the project"),
        ({"calibrated": {"labels": "labels.jsonl", "min_kappa": 2}}, "min_kappa 2 outside -1.0..=1.0"),
        ({"calibrated": CALIBRATED, "choices": {"A": 1, "B": 0}}, "without a threshold there is no verdict"),
        ({"choices": {}}, "at least one choice"),
        ({"choices": {"a": 1, "A": 0}}, "differ only in case"),
    ],
)
def test_a_judge_block_that_cannot_hold_is_a_config_error(tmp_path: Path, more: dict[str, Any], says: str) -> None:
    suite(tmp_path, "http://127.0.0.1:1/v1", **more)
    ran = evalci(tmp_path, "validate")
    assert ran.returncode == 2
    assert says in ran.stderr
