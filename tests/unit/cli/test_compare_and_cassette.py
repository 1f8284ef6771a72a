"""`evalci compare`, and `evalci cassette` with all its actions."""

import json
import sqlite3
from pathlib import Path

import pytest

from evalci.calls.endpoint import Endpoint, canonical, chat_endpoint
from tests.unit.cli.test_main import Run

SUITE = """\
targets:
  bot: {type: openai-compatible, url: "http://127.0.0.1:9/v1", model: m}
datasets: [{file: cases.jsonl}]
scorers: [{type: contains, value: yes}]
run: {history: false}
"""
ENDPOINT = chat_endpoint("http://127.0.0.1:9/v1", "m")


def _line(text: str, answer: str, **more: object) -> str:
    request = ENDPOINT.request(text)
    response = {"latency_ms": 1, "text": answer, "tokens": {"input": 3, "output": 4}}
    row = {"key": ENDPOINT.key(text), "kind": "chat", "request": request, "response": response, **more}
    return canonical(row).decode() + "\n"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "cases.jsonl").write_text('{"id":"a","input":"one"}\n{"id":"b","input":"two"}\n')
    (tmp_path / ".evalci").mkdir()
    (tmp_path / ".evalci" / "cassette.jsonl").write_text(_line("one", "yes") + _line("two", "no"))
    config = tmp_path / "evals.yaml"
    config.write_text(SUITE)
    return config


def _cassette(suite: Path) -> Path:
    return suite.parent / ".evalci" / "cassette.jsonl"


def test_stats_say_what_is_recorded(suite: Path) -> None:
    run = Run("cassette", "stats", "--config", str(suite))
    assert run.out.startswith("2 recordings (2 chat), ")
    assert "  m: 2\n14 tokens recorded, 0 redacted\n" in run.out


def test_show_finds_by_key_and_by_input(suite: Path) -> None:
    by_key = Run("cassette", "show", ENDPOINT.key("one")[:10], "--config", str(suite))
    by_input = Run("cassette", "show", "one", "--config", str(suite))
    assert json.loads(by_key.out) == json.loads(by_input.out)
    assert json.loads(by_key.out)["response"]["text"] == "yes"
    assert Run("cassette", "show", "nothing like it", "--config", str(suite)).code == 2


def test_verify_names_a_key_that_is_not_its_requests_hash(suite: Path) -> None:
    assert Run("cassette", "verify", "--config", str(suite)).out == "2 right, 0 wrong, 0 redacted\n"
    _cassette(suite).write_text(_line("one", "yes").replace('"input":"one"', '"input":"changed"') + _line("two", "no"))
    run = Run("cassette", "verify", "--config", str(suite))
    assert run.code == 1
    assert f"WRONG    {ENDPOINT.key('one')}" in run.out


def test_verify_cannot_know_the_key_of_a_masked_request_and_says_so(suite: Path) -> None:
    _cassette(suite).write_text(_line("one", "yes", redacted=True).replace('"input":"one"', '"input":"[redacted]"'))
    run = Run("cassette", "verify", "--config", str(suite))
    assert (run.code, run.out.splitlines()[-1]) == (0, "0 right, 0 wrong, 1 redacted")


def test_merge_refuses_two_answers_until_told_which(suite: Path) -> None:
    other = suite.parent / "theirs.jsonl"
    other.write_text(_line("one", "other") + _line("three", "new"))
    before = _cassette(suite).read_bytes()
    run = Run("cassette", "merge", str(other), "--config", str(suite))
    assert run.code == 2
    assert "1 key with two different answers; nothing was written" in run.err
    assert _cassette(suite).read_bytes() == before
    assert Run("cassette", "merge", str(other), "--prefer", "last", "--config", str(suite)).out.startswith("3 rec")
    assert '"other"' in _cassette(suite).read_text()


def test_merge_settles_what_git_left_in_the_file(suite: Path) -> None:
    conflict = ["<<<<<<< ours\n", _line("one", "yes"), "=======\n", _line("one", "other"), ">>>>>>> theirs\n"]
    _cassette(suite).write_text("".join(conflict))
    run = Run("run", str(suite))
    assert run.code == 2
    assert "evalci cassette merge" in run.err
    assert Run("cassette", "merge", "--prefer", "first", "--config", str(suite)).code == 0
    assert _cassette(suite).read_text() == _line("one", "yes")


def test_redact_masks_what_looks_like_a_key(suite: Path) -> None:
    _cassette(suite).write_text(_line("one", "use sk-" + "a1" * 20) + _line("two", "no"))
    assert Run("cassette", "redact", "--config", str(suite)).out == "1 recording redacted, 1 unchanged\n"
    assert "sk-a1" not in _cassette(suite).read_text()
    assert Run("cassette", "redact", "--config", str(suite)).out == "0 recordings redacted, 2 unchanged\n"


def test_diff_shows_before_and_after(suite: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.jsonl"
    new.write_text(_line("one", "YES") + _line("three", "new"))
    run = Run("cassette", "diff", str(suite.parent), str(new))
    assert '     before: "yes"\n     after:  "YES"\n' in run.out
    assert run.out.endswith("1 answer re-recorded, 1 added, 1 removed, 0 unchanged, 0 secrets masked\n")


def test_prune_drops_what_no_case_asks_for(suite: Path) -> None:
    with _cassette(suite).open("a") as file:
        file.write(_line("gone", "x"))
    assert "1 recording would go, 2 kept" in Run("cassette", "prune", str(suite), "--dry-run").out
    assert "1 recording dropped, 2 kept" in Run("cassette", "prune", str(suite)).out
    assert Run("cassette", "prune", str(suite)).out == "0 recordings dropped, 2 kept\n"


def test_prune_refuses_when_something_is_not_recorded(suite: Path) -> None:
    _cassette(suite).write_text(_line("one", "yes") + _line("gone", "x"))
    run = Run("cassette", "prune", str(suite))
    assert run.code == 2
    assert "nothing was dropped" in run.err


def _evalcore(path: Path, *rows: tuple[Endpoint, str, dict[str, object]]) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE llm_cache(key TEXT PRIMARY KEY, request TEXT NOT NULL, response TEXT NOT NULL)")
        for endpoint, text, response in rows:
            request = canonical(endpoint.request(text)).decode()
            database.execute(
                "INSERT INTO llm_cache VALUES (?, ?, ?)", (endpoint.key(text), request, json.dumps(response))
            )
    database.close()


def test_import_keeps_every_hit_of_an_evalcore_cache(suite: Path) -> None:
    _cassette(suite).unlink()
    cache = suite.parent / ".evalcore" / "cache.db"
    embed = Endpoint("embeddings", {"type": "embeddings", "url": "u", "model": "e"})
    http = Endpoint("http", {"http": {"method": "POST", "url": "http://h/{{input}}"}})
    _evalcore(
        cache,
        (ENDPOINT, "one", {"text": "yes", "latency_ms": 7, "tokens": {"input": 1, "output": 2}}),
        (ENDPOINT, "two", {"text": "yes", "latency_ms": 7, "tokens": None}),
        (embed, "some text", {"text": "[0.6, 0.8]", "latency_ms": 3}),
        (http, "x", {"text": "answer", "latency_ms": 3}),
    )
    run = Run("cassette", "import", str(cache), "--config", str(suite))
    assert run.out == "4 recordings imported, 0 here already, 4 in the cassette\n"
    assert Run("cassette", "verify", "--config", str(suite)).out == "4 right, 0 wrong, 0 redacted\n"
    assert Run("run", str(suite)).code == 0
    assert Run("cassette", "import", str(cache), "--config", str(suite)).out.startswith("0 recordings imported, 4 here")


def test_import_of_something_else_is_told(suite: Path, tmp_path: Path) -> None:
    (tmp_path / "x.db").write_text("no database at all, but long enough to be looked at" * 9)
    assert "not an EvalCore cache" in Run("cassette", "import", str(tmp_path / "x.db"), "--config", str(suite)).err
    assert "no such file" in Run("cassette", "import", str(tmp_path / "y.db"), "--config", str(suite)).err


def test_compare_lays_out_and_does_not_judge(suite: Path, tmp_path: Path) -> None:
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    Run("run", str(suite), "--json", str(before))
    _cassette(suite).write_text(_line("one", "yes") + _line("two", "yes"))
    Run("run", str(suite), "--json", str(after), "--save-baseline", "main")
    run = Run("compare", str(before), str(after))
    assert run.code == 0
    assert "FLIPPED  b: failed -> passed" in run.out
    assert "no significance testing" in run.out
    baseline = suite.parent / ".evalci" / "baselines" / "evals" / "main.json"
    assert "nothing differs" in Run("compare", str(after), str(baseline)).out


def test_compare_of_nothing_in_common_is_a_usage_error(suite: Path, tmp_path: Path) -> None:
    report = tmp_path / "r.json"
    Run("run", str(suite), "--json", str(report))
    other = tmp_path / "o.json"
    other.write_text(report.read_text().replace('"a"', '"x"').replace('"b"', '"y"'))
    assert Run("compare", str(report), str(other)).code == 2
    assert Run("compare", str(report), str(tmp_path / "none.json")).code == 2
    (tmp_path / "bad.json").write_text("{}")
    assert Run("compare", str(report), str(tmp_path / "bad.json")).code == 2
