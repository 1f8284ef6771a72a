"""A replay builds everything that asks a model without loading what would ask one."""

import json
import subprocess
import sys
from pathlib import Path

LIVE = {"httpx", *(f"evalci.calls.{name}" for name in ("chat", "embeddings", "http_call", "live", "messages"))}
MODEL = {"url": "http://127.0.0.1:9/v1", "model": "m"}
SUITE = {
    "targets": {
        "bot": {"type": "openai-compatible", **MODEL},
        "app": {"type": "http", "url": "http://127.0.0.1:9/{{input}}", "method": "GET"},
    },
    "datasets": [{"file": "q.jsonl"}],
    "scorers": [{"type": "judge", "rubric": "r", **MODEL}, {"type": "similarity", **MODEL}],
    "run": {"matrix": ["bot", "app"]},
}


def test_a_replay_of_models_apis_and_judges_loads_no_live_caller(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text('{"id": "a", "input": "x", "expected": "y"}\n')
    (tmp_path / "evals.yaml").write_text(json.dumps(SUITE))
    command = [sys.executable, "-X", "importtime", "-m", "evalci", "run", str(tmp_path / "evals.yaml"), "--no-history"]
    done = subprocess.run(command, capture_output=True, text=True)
    loaded = {line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines()}
    assert {"evalci.targets.http_headers", "evalci.scorers.judge_prompt"} <= loaded, done.stdout
    assert not loaded & LIVE
