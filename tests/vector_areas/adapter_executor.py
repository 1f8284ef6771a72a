"""Executor envelopes as the golden rows have them; environments and archives with real processes and files."""

import asyncio
import gzip
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from evalci.adapters.archive import ArchiveError, read_archive
from evalci.adapters.call import Called, call_adapter
from evalci.adapters.envelopes import executor_request
from evalci.adapters.settings import Adapter
from evalci.evidence.assertions import Assertion
from evalci.evidence.attempts import Attempt, Question, plan_attempts
from evalci.evidence.records import Ledger, Setting, attempt_record, execution_of, ungraded
from evalci.evidence.summary import incompleteness
from evalci.model import Case


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    if "stdin_object" in want:
        _check_request(given, want)
    elif "runs_per_condition" in given:
        _check_calls(given, want)
    elif "child_env_has" in want:
        _check_environment(given, want)
    elif "archive" in given:
        _check_archives()
    else:
        _check_answer(given, want)


def called_with(given: dict[str, Any]) -> Called:
    """What a call left, as a row tells it."""
    trouble = None
    if given.get("timed_out"):
        trouble = "timeout: the adapter timed out after 180s"
    elif given.get("exit_code"):
        trouble = f"non-zero exit: the adapter exited with exit status: {given['exit_code']}"
    stdout = given["stdout"] if "stdout" in given else json.dumps(given["response"])
    return Called(stdout=stdout.encode(), trouble=trouble)


def attempt_of(condition: str = "treatment") -> Attempt:
    question = Question(case=Case(id="c1", input="P"), assertions=(Assertion(id="a", oracle="contains"),))
    return Attempt(number=1, question=question, condition=condition, run=1)  # type: ignore[arg-type]


def _check_answer(given: dict[str, Any], want: dict[str, Any]) -> None:
    setting = Setting(mode=given["mode"], archive_sha256=given["evaluated_archive_sha256"])
    attempt = attempt_of(given["condition"])
    execution = execution_of(called_with(given), attempt, setting, Ledger(ids=list(given["seen_request_ids"])))
    assert execution.record["accepted"] == want["accepted"], execution.record["error"]
    assert all(text in (execution.record["error"] or "") for text in want.get("error_mentions", ()))
    if "token_usage_recorded" in want:
        assert execution.record["token_usage"] == want["token_usage_recorded"]
    grades = [] if want["accepted"] else [ungraded(attempt.question.assertions[0])]
    record = attempt_record(attempt, execution, grades, {})
    assert bool(list(incompleteness([record]))) == (want["run_status"] == "incomplete")


def _check_request(given: dict[str, Any], want: dict[str, Any]) -> None:
    request = executor_request(
        condition=given["condition"],
        mode=given["mode"],
        prompt=given["case"]["prompt"],
        plugin_archive=given.get("archive_copy", "/iso/p.tar.gz"),
    )
    assert request == want["stdin_object"]
    assert sorted(request) == sorted(want.get("stdin_keys_exactly", request))


def _check_calls(given: dict[str, Any], want: dict[str, Any]) -> None:
    questions = [Question(case=Case(id=f"c{i}"), assertions=()) for i in range(given["cases"])]
    attempts = plan_attempts(questions, given["suite"], given["runs_per_condition"], seed=1)
    assert len(attempts) == want["calls"]
    assert sorted({attempt.condition for attempt in attempts}) == want["conditions"]


def _check_environment(given: dict[str, Any], want: dict[str, Any]) -> None:
    code = "import json, os; print(json.dumps({**os.environ, 'cwd': os.getcwd()}))"
    adapter = Adapter(command=(sys.executable, "-c", code), pass_env=tuple(given["pass_env"]))
    calls = [asyncio.run(call_adapter(adapter, {}, given["parent_env"])) for _ in range(given["calls"])]
    seen = [json.loads(called.stdout) for called in calls]
    for each in seen:
        assert set(want["child_env_has"]) <= set(each)
        assert not set(want["child_env_lacks"]) & set(each)
        assert (each["HOME"] == given["parent_env"]["HOME"]) == want["home_is_parent_home"]
    assert all(len({each[name] for each in seen}) == len(seen) for name in want["fresh_per_call"])


def _check_archives() -> None:
    from tests.evidence_suites import tar_gz

    whole = tar_gz({"a.txt": b"a" * 5000})
    broken = [b"no gzip", whole[:-40], gzip.compress(b"no tar" * 200), tar_gz({"../out": b"x"})]
    with tempfile.TemporaryDirectory() as place:
        for number, data in enumerate([*broken, whole]):
            path = Path(place, f"{number}.tar.gz")
            path.write_bytes(data)
            import hashlib

            digest = "d" * 64 if data is whole else hashlib.sha256(data).hexdigest()
            with pytest.raises(ArchiveError):
                read_archive(path, digest)
