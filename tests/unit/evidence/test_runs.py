import json
import shlex
import sys
from pathlib import Path

import pytest

from tests.evidence_suites import CASES, PROGRAMS, SECRET, evalci, run, suite_in


def test_a_complete_run_passes_compares_both_conditions_and_verifies(tmp_path: Path) -> None:
    code, manifest, text = run(tmp_path, suite_in(tmp_path), runs=2)
    assert code == 0, text
    assert manifest["complete"] and manifest["verdict"]["passed"]
    assert manifest["attempts"] == {
        "control": {"passed": 0, "failed": 2, "incomplete": 0},
        "treatment": {"passed": 2, "failed": 0, "incomplete": 0},
    }
    assert manifest["comparison"]["difference"] == 1.0
    assert "too few" in manifest["comparison"]["words"]
    assert manifest["judge"] == {"grades": 4, "calibrated": False, "standing": "diagnostic"}
    assert len(set(manifest["request_ids"])) == 8
    digest = text.split("sha256:")[1].split()[0]
    code, out, err = evalci("manifest", "verify", str(tmp_path / "out"), "--digest", digest, environ={})
    assert code == 0, err
    assert "holds" in out


BROKEN = [
    ("BEHAVE", "hangs", "timeout"),
    ("BEHAVE", "exits-3", "non-zero exit"),
    ("BEHAVE", "killed", "signal: 9"),
    ("BEHAVE", "plain-text", "JSON"),
    ("BEHAVE", "empty", "is empty"),
    ("BEHAVE", "logs-first", "JSON"),
    ("BEHAVE", "twice", "more after the first"),
    ("BEHAVE", "no-provider", "provider must be text"),
    ("BEHAVE", "no-id", "request_id must be text"),
    ("BEHAVE", "same-id", "given before"),
    ("BEHAVE", "cached", "cache_hit is true"),
    ("BEHAVE", "no-cache-word", "cache_hit must be"),
    ("BEHAVE", "wrong-archive", "loaded_plugin_sha256"),
    ("BEHAVE", "dirty-control", "clean_control"),
    ("BEHAVE", "negative-tokens", "input_tokens"),
    ("BEHAVE", "no-output", "output must be text"),
    ("JUDGE", "hangs", "timeout"),
    ("JUDGE", "exits-3", "non-zero exit"),
    ("JUDGE", "score", "status must be"),
    ("JUDGE", "no-reason", "reason must"),
    ("JUDGE", "same-id", "given before"),
    ("JUDGE", "cached", "cache_hit is true"),
    ("JUDGE", "fenced", "JSON"),
]


@pytest.mark.parametrize(("who", "how", "why"), BROKEN, ids=[f"{who.lower()}-{how}" for who, how, _ in BROKEN])
def test_a_broken_adapter_makes_the_run_incomplete_with_the_reason(
    tmp_path: Path, who: str, how: str, why: str
) -> None:
    environ = {**suite_in(tmp_path, timeout=1 if how == "hangs" else 30), who: how}
    code, manifest, text = run(tmp_path, environ)
    assert code == 3
    assert not manifest["complete"] and not manifest["verdict"]["passed"] and manifest["comparison"] is None
    reasons = manifest["incomplete_because"]
    assert reasons and all(why in reason for reason in reasons), reasons
    assert "INCOMPLETE" in text
    assert "No judge was needed" not in text
    assert evalci("manifest", "verify", str(tmp_path / "out"), environ={})[0] == 3


def test_a_missing_adapter_is_incomplete_and_calls_nobody(tmp_path: Path) -> None:
    environ = suite_in(tmp_path, adapters={"judge": [str(tmp_path / "no-such-judge")]})
    code, manifest, text = run(tmp_path, environ)
    assert (code, manifest) == (3, {})
    assert "missing adapter: the judge command" in text


def test_an_adapter_that_cannot_be_started_is_missing(tmp_path: Path) -> None:
    script = tmp_path / "executor"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    code, manifest, _ = run(tmp_path, suite_in(tmp_path, adapters={"executor": [str(script)]}))
    assert code == 3
    assert all("missing adapter" in reason for reason in manifest["incomplete_because"])


def test_missing_usage_is_recorded_as_missing_and_rejects_nothing(tmp_path: Path) -> None:
    code, manifest, _ = run(tmp_path, {**suite_in(tmp_path), "BEHAVE": "no-usage"})
    assert code == 0
    executor = manifest["accounting"]["executor"]
    assert (executor["usage_missing"], executor["input_tokens"]) == (2, None)


def test_a_lenient_judge_cannot_lift_a_deterministic_failure(tmp_path: Path) -> None:
    cases = [
        {**CASES[0], "assertions": [{"id": "no", "oracle": "contains", "value": "zzz"}, CASES[0]["assertions"][1]]}
    ]  # type: ignore[index]
    code, manifest, _ = run(tmp_path, {**suite_in(tmp_path, cases), "JUDGE": "lenient"})
    assert (code, manifest["complete"]) == (1, True)
    assert manifest["attempts"]["treatment"]["failed"] == 1


def test_a_trigger_suite_runs_the_treatment_only_and_needs_no_judge(tmp_path: Path) -> None:
    cases = [{"id": "t", "input": "?", "assertions": [{"id": "s", "oracle": "selected_skill", "value": "careful"}]}]
    code, manifest, text = run(tmp_path, suite_in(tmp_path, cases, mode="trigger"), runs=2)
    assert code == 0, text
    assert list(manifest["attempts"]) == ["treatment"]
    assert manifest["judge"]["standing"] == "not used"


def test_an_executor_that_dumps_all_it_can_see_sees_nothing_it_should_not(tmp_path: Path) -> None:
    run(tmp_path, {**suite_in(tmp_path), "BEHAVE": "dumps"}, runs=2)
    texts = [path.read_text() for path in (tmp_path / "out/attempts").glob("*/executor.stdout")]
    seen = [json.loads(json.loads(text)["output"]) for text in texts]
    assert len(seen) == 4
    for each in seen:
        everything = json.dumps(each)
        for hidden in (
            "hidden-id-1",
            "hidden-expected",
            "hidden-route",
            "another-secret",
            "SECRET_OTHER",
            "It is careful",
        ):
            assert hidden not in everything
        assert set(each["stdin"]) == {"condition", "mode", "prompt", "plugin_archive"}
        assert each["files"] == [], "nothing of an earlier call is left"
        assert each["beside_the_archive"] in (None, ["plugin.tar.gz"])
        assert each["environment"]["HOME"] != "/root"
        allowed = {"PATH", "LANG", "LC_ALL", "HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "TMPDIR"}
        assert set(each["environment"]) - {"LC_CTYPE", "PWD"} == allowed | {"PROVIDER_API_KEY", "BEHAVE"}
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "TMPDIR"):
        assert len({each["environment"][name] for each in seen}) == 4
    assert len({each["cwd"] for each in seen}) == 4
    prompts = {(each["stdin"]["mode"], each["stdin"]["prompt"]) for each in seen}
    assert prompts == {("behavior", "Say it.")}, "control and treatment get the same payload"


def test_no_file_of_the_evidence_holds_the_value_of_a_passed_variable(tmp_path: Path) -> None:
    run(tmp_path, {**suite_in(tmp_path), "BEHAVE": "tells-secret"})
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert len(files) > 8
    assert all(SECRET.encode() not in path.read_bytes() for path in files)
    assert any(b"[redacted]" in path.read_bytes() for path in files if path.name == "executor.stderr")


def test_evidence_of_two_runs_does_not_mix(tmp_path: Path) -> None:
    environ = suite_in(tmp_path)
    (tmp_path / "out").mkdir()
    (tmp_path / "out/other").write_text("x")
    code, _, text = run(tmp_path, environ)
    assert code == 2
    assert "is not empty" in text


def test_a_wrong_archive_is_refused_before_anything_runs(tmp_path: Path) -> None:
    environ = suite_in(tmp_path)
    (tmp_path / "plugin.tar.gz.sha256").write_text("d" * 64 + "  plugin.tar.gz\n")
    code, manifest, text = run(tmp_path, environ)
    assert (code, manifest) == (2, {})
    assert "has SHA-256" in text


@pytest.mark.parametrize("how", ["rm", "rm -r $(dirname $0)/out; true", "echo other >", "mkfifo $0.pipe; mv $0.pipe"])
def test_an_adapter_that_takes_the_evidence_copy_away_ends_the_run_with_words(tmp_path: Path, how: str) -> None:
    script = tmp_path / "executor.sh"
    real = shlex.join([sys.executable, str(PROGRAMS / "adapter_executor.py")])
    script.write_text(f"#!/bin/sh\n{how} {shlex.quote(str(tmp_path / 'out/archive/plugin.tar.gz'))}\nexec {real}\n")
    script.chmod(0o755)
    code, manifest, text = run(tmp_path, suite_in(tmp_path, adapters={"executor": [str(script)]}), runs=2)
    assert (code, manifest) == (3, {})
    assert "error: the evidence copy of plugin.tar.gz was changed while the run was going on" in text


def test_an_adapter_that_changes_what_was_kept_of_an_earlier_call_makes_the_run_prove_nothing(tmp_path: Path) -> None:
    script = tmp_path / "executor.sh"
    real = shlex.join([sys.executable, str(PROGRAMS / "adapter_executor.py")])
    kept = shlex.quote(str(tmp_path / "out/attempts/0001/executor.stdout"))
    script.write_text(f"#!/bin/sh\n[ ! -f {kept} ] || echo '{{}}' > {kept}\nexec {real}\n")
    script.chmod(0o755)
    code, _, text = run(tmp_path, suite_in(tmp_path, adapters={"executor": [str(script)]}), runs=2)
    assert code == 3
    assert "was changed while the run was going on: attempts/0001/executor.stdout: differs" in text
