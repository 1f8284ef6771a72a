"""Shards merged are what an unsharded run writes; what does not fit together is refused by name."""

import io
import json
import os
from pathlib import Path

import pytest

from evalci.cli import main
from tests.doubles import chat_server

CONFIG = """
targets:
  bot:
    type: openai-compatible
    url: {url}
    model: small
    cost: {{input_per_1m: 100, output_per_1m: 100}}
datasets: [{{file: cases.jsonl}}, {{file: more.jsonl}}]
scorers: [{{type: regex, pattern: "done$"}}, {{type: ratio}}]
run:
  classification: true
  budget_usd: {budget}
  concurrency: 16
  gates: [{{type: pass_rate, min: 0.5}}, {{type: regression}}, {{type: latency, max_ms: 100000, statistic: p95}}]
"""


def evalci(*words: str) -> tuple[int, str]:
    """The exit code of a command, and what it said on stderr."""
    err = io.StringIO()
    environ = {"PATH": os.environ["PATH"]}
    code = main(words, stdin=io.StringIO(), stdout=io.StringIO(), stderr=err, environ=environ)
    return code, err.getvalue()


def record_suite(folder: Path, cases: int, budget: str) -> str:
    """A recorded suite of which every seventh case fails and four ask the same, with its accepted state; its config."""
    rows = [
        {"id": f"case-{n:05}", "input": f"{'stop' if n // 4 % 7 == 0 else 'go'} {n // 4}", "expected": f"ok {n} done"}
        for n in range(cases)
    ]
    for name, some in (("cases.jsonl", rows[::2]), ("more.jsonl", rows[1::2])):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in some))
    config = folder / "evals.yaml"
    with chat_server(lambda text: "no" if text.startswith("stop") else f"ok {text} done") as (url, _):
        config.write_text(CONFIG.format(url=url, budget=budget))
        evalci("record", str(config), "--save-baseline", "main", "--no-history")
    return str(config)


def run_shards(config: str, folder: Path, count: int) -> list[str]:
    paths = [str(folder / f"shard-{index}.json") for index in range(1, count + 1)]
    for index, path in enumerate(paths, start=1):
        evalci("run", config, "--baseline", "main", "--no-history", "--shard", f"{index}/{count}", "--json", path)
    return paths


@pytest.mark.parametrize(
    ("cases", "budget"),
    [(97, "100"), (97, "0.05"), (3, "100"), pytest.param(10_000, "100", marks=pytest.mark.slow)],
)
def test_eight_shards_merge_into_the_unsharded_report_byte_for_byte(tmp_path: Path, cases: int, budget: str) -> None:
    config = record_suite(tmp_path, cases, budget)
    whole, merged = tmp_path / "whole.json", tmp_path / "merged.json"
    wanted, _ = evalci("run", config, "--baseline", "main", "--no-history", "--json", str(whole))
    shards = run_shards(config, tmp_path, 8)
    code, said = evalci("merge", *shards, "--config", config, "--baseline", "main", "--json", str(merged))
    assert code == wanted, said
    assert merged.read_bytes() == whole.read_bytes()


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[str]]:
    folder = tmp_path_factory.mktemp("suite")
    config = record_suite(folder, 40, "100")
    return config, run_shards(config, folder, 4)


def refused(config: str, *shards: str) -> str:
    code, said = evalci("merge", *shards, "--config", config, "--baseline", "main")
    assert code == 2
    return said


def test_a_missing_shard_is_refused_by_its_number(suite: tuple[str, list[str]]) -> None:
    config, shards = suite
    assert "1 shard missing: 3/4" in refused(config, *shards[:2], shards[3])


def test_a_doubled_shard_is_refused_with_both_files(suite: tuple[str, list[str]]) -> None:
    config, shards = suite
    said = refused(config, *shards, shards[1])
    assert "shard 2/4 is there twice" in said
    assert shards[1] in said


def test_a_whole_report_is_no_shard(suite: tuple[str, list[str]], tmp_path: Path) -> None:
    config, _ = suite
    evalci("run", config, "--no-history", "--json", str(tmp_path / "whole.json"))
    assert "is the report of a whole run" in refused(config, str(tmp_path / "whole.json"))


@pytest.mark.parametrize(("digest", "word"), [("cassette", "cassette"), ("cases", "dataset"), ("config", "config")])
def test_a_shard_made_from_something_else_is_refused_by_name(
    suite: tuple[str, list[str]], tmp_path: Path, digest: str, word: str
) -> None:
    config, shards = suite
    data = json.loads(Path(shards[2]).read_text())
    data["suite"]["digests"][digest] = "0" * 64
    other = tmp_path / "other.json"
    other.write_text(json.dumps(data))
    said = refused(config, *shards[:2], str(other), shards[3])
    assert f'other.json" has another {word} than' in said


def test_shards_of_an_older_dataset_are_not_merged_with_the_new_one(
    suite: tuple[str, list[str]], tmp_path: Path
) -> None:
    config, shards = suite
    for name in ("evals.yaml", "cases.jsonl", "more.jsonl"):
        (tmp_path / name).write_bytes((Path(config).parent / name).read_bytes())
    with (tmp_path / "more.jsonl").open("a") as more:
        more.write('{"id": "late", "input": "go"}\n')
    code, said = evalci("merge", *shards, "--config", str(tmp_path / "evals.yaml"))
    assert code == 2
    assert "another dataset" in said


def test_a_case_left_out_of_a_shard_or_put_into_a_wrong_one_is_named(
    suite: tuple[str, list[str]], tmp_path: Path
) -> None:
    config, shards = suite
    first, second = (json.loads(Path(path).read_text()) for path in shards[:2])
    moved = first["results"].pop()
    less, more = tmp_path / "less.json", tmp_path / "more.json"
    less.write_text(json.dumps(first))
    assert f'lack 1 case: "{moved["case_id"]}"' in refused(config, str(less), *shards[1:])
    second["results"].append(moved)
    more.write_text(json.dumps(second))
    assert "which belongs to shard 1/4" in refused(config, str(less), str(more), *shards[2:])


def test_ci_judges_the_downloaded_reports_of_shards_as_one(suite: tuple[str, list[str]], tmp_path: Path) -> None:
    config, _ = suite
    for index in (1, 2, 3):
        evalci(
            "ci", "evaluate", config, "--shard", f"{index}/3", "--dir", str(tmp_path / f"shards/evalci-report-{index}")
        )
    whole, _ = evalci("ci", "evaluate", config, "--dir", str(tmp_path / "whole"))
    code, said = evalci(
        "ci", "evaluate", config, "--merge", str(tmp_path / "shards"), "--dir", str(tmp_path / "merged")
    )
    assert code == whole, said
    name = "evals/report.json"
    assert (tmp_path / "merged" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_a_shard_without_cases_is_no_failure(tmp_path: Path) -> None:
    config = record_suite(tmp_path, 5, "100")
    shards = run_shards(config, tmp_path, 64)
    empty = [json.loads(Path(path).read_text()) for path in shards]
    verdicts = [report["verdict"] for report in empty if not report["results"]]
    assert verdicts
    assert all(verdict == {"exit_code": 0, "passed": True, "reasons": []} for verdict in verdicts)
