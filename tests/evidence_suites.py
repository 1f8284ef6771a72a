"""Evidence suites in a folder: a tiny archive, cases with assertions, and adapters that are told how to behave."""

import hashlib
import io
import json
import sys
import tarfile
from pathlib import Path
from typing import Any

from evalci.cli.main import main
from evalci.evidence.folder import as_bytes
from evalci.evidence.records import sha256
from evalci.evidence.statement import statement_of

SEALS = ("manifest.json", "statement.json")
PROGRAMS = Path(__file__).parent / "programs"
SECRET = "provider-secret-9f8e7d"
CASES = [
    {
        "id": "hidden-id-1",
        "input": "Say it.",
        "expected": "hidden-expected",
        "expected_route": "hidden-route",
        "assertions": [
            {"id": "answers", "oracle": "contains", "value": "an answer"},
            {"id": "careful", "oracle": "llm_judge", "description": "It is careful.", "severity": "blocker"},
        ],
    }
]


def judged(output: str, passed: bool, case_id: str = "", **more: Any) -> dict[str, Any]:
    """An answer that people judged; the double of the judge says passed when there is care in the output."""
    assertion = {"id": "careful", "description": "It is careful."}
    row = {"case_id": case_id or f"of {output}", "prompt": "Say it.", "output": output, "assertion": assertion}
    return {**row, "passed": passed, **more}


AGREED = [judged("one with care", True), judged("two", False), judged("three with care", True), judged("four", False)]
# With this one more: both 2, judge only 1, neither 2; 4 of 5 agree, 12 of 25 would by chance, so kappa is 8 / 13.
DISPUTED = judged("five with care", False)


def tar_gz(members: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return data.getvalue()


def suite_in(
    place: Path,
    cases: list[dict[str, Any]] | None = None,
    mode: str = "behavior",
    timeout: float = 30,
    adapters: dict[str, list[str]] | None = None,
    answers: list[dict[str, Any]] | None = None,
    min_kappa: float = 0.6,
) -> dict[str, str]:
    """The environment to run suite `smoke` of `place/evidence.yaml` with."""
    archive = place / "plugin.tar.gz"
    archive.write_bytes(tar_gz({"skill/SKILL.md": b"be careful\n"}))
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    Path(f"{archive}.sha256").write_text(f"{digest}  plugin.tar.gz\n")
    (place / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases or CASES))
    (place / "evidence.yaml").write_text(f"suites:\n  smoke: {{ cases: cases.jsonl, mode: {mode} }}\n")
    if answers is not None:
        (place / "judged.jsonl").write_text("".join(json.dumps(answer) + "\n" for answer in answers))
        with (place / "evidence.yaml").open("a") as config:
            config.write(f"calibration: {{ answers: judged.jsonl, min_kappa: {min_kappa} }}\n")
    (place / "models.json").write_text(json.dumps(model_config(timeout, adapters or {})))
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": "/root",
        "SECRET_OTHER": "another-secret",
        "PROVIDER_API_KEY": SECRET,
        "ST_EVAL_MODEL_CONFIG": str(place / "models.json"),
        "ST_EVAL_PLUGIN_ARCHIVE": str(archive),
    }


def model_config(timeout: float, adapters: dict[str, list[str]]) -> dict[str, Any]:
    def adapter(name: str, variable: str) -> dict[str, Any]:
        command = adapters.get(name, [sys.executable, str(PROGRAMS / f"adapter_{name}.py")])
        return {"command": command, "timeout_seconds": timeout, "pass_env": ["PROVIDER_API_KEY", variable]}

    return {
        "environment_id": "test/image@sha256:" + "a" * 64,
        "executor_model": "double/executor-2026-01-01",
        "judge_model": "double/judge-2026-01-01",
        "executor_parameters": {"temperature": 0},
        "judge_parameters": {"temperature": 0},
        "executor": adapter("executor", "BEHAVE"),
        "judge": adapter("judge", "JUDGE"),
    }


def evalci(*words: str, environ: dict[str, str]) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    code = main(words, stdin=io.StringIO(), stdout=out, stderr=err, environ=environ)
    return code, out.getvalue(), err.getvalue()


def run(place: Path, environ: dict[str, str], runs: int = 1, seed: int = 7) -> tuple[int, dict[str, Any], str]:
    code, out, err = evalci(
        *("evidence", "run", "--suite", "smoke", "--runs-per-condition", str(runs), "--seed", str(seed)),
        *("--output-dir", str(place / "out"), "--config", str(place / "evidence.yaml")),
        environ=environ,
    )
    manifest = json.loads((place / "out/manifest.json").read_bytes()) if (place / "out/manifest.json").exists() else {}
    return code, manifest, out + err


def reseal(place: Path, **changed: Any) -> None:
    """Write index, manifest and statement anew, so that every digest agrees with what was forged."""
    manifest = {**json.loads((place / "manifest.json").read_bytes()), **changed}
    manifest = {key: value for key, value in manifest.items() if value is not None}
    files = [path for path in sorted(place.rglob("*")) if path.is_file() and path.name not in SEALS]
    manifest["artifacts"] = [
        {"path": path.relative_to(place).as_posix(), "sha256": sha256(data), "bytes": len(data)}
        for path in files
        for data in [path.read_bytes()]
    ]
    (place / "manifest.json").write_bytes(as_bytes(manifest))
    statement = statement_of(manifest, sha256(as_bytes(manifest)))
    (place / "statement.json").write_bytes(as_bytes(statement))
