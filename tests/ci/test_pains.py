"""What people reported of tools like this one, each as a test named after it: here those of whole runs, and the table.

A pain's number is the one of its report in the table; tests of single parts stand beside those parts.
"""

import ast
import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from evalci.cli.ci_command import without_hidden
from tests.unit.reporters.markdown_tree import tree

from . import github_shapes as shapes
from .runner_oracle import Step as RunnerStep
from .scene import BASE, DROP, HEAD, PULL, Scene

PAINS = {
    1: "legs of a matrix clobber one comment (langfuse/experiment-action#78)",
    2: "two jobs create at once and leave two comments (kamp-us/phoenix#273)",
    3: "the lookup reads one page, and there is a duplicate (anthropics/claude-code-action#1781)",
    4: "an older run finishes later and overwrites (gavv/pull-request-artifacts#15)",
    5: "a fork's 403 fails the job (marocchino/sticky-pull-request-comment#227)",
    6: "a real regression hides behind a 403 (VowpalWabbit/vowpal_wabbit#4938)",
    7: "`workflow_run.pull_requests` is empty for forks (actions/runner#3444)",
    8: "a body over 65,536 characters, and nothing is posted (actions/dependency-review-action#730)",
    9: "a summary over the limit is dropped whole (actions/dependency-review-action#867)",
    10: "only the first `|` is escaped (dorny/test-reporter#795)",
    11: "backticks in a message break the fence (TypedDevs/bashunit#1305)",
    12: "quoted text pings users and links issues (phpstan/phpstan-src#5718)",
    13: "an embedded `-->` breaks the hidden block (philips-software/pull-request-report-action#59)",
    14: "logged text runs as workflow commands (anothrNick/github-tag-action#357)",
    15: "a resume token is visible and can be replayed (actions/runner#807)",
    16: "a fixed delimiter lets a value add outputs (sreerevanth/repopilot#297)",
    17: "a job output is dropped since it may hold a secret (actions/runner#1061)",
    18: "dubious ownership of the workspace (actions/runner#2033)",
    21: "paths are rewritten or not mounted in containers (actions/runner#728)",
    24: "a fork with a branch named main supplies the artifact (dawidd6/action-download-artifact#249)",
    25: "an expired artifact is picked (greenbone/actions#1794)",
    26: "the report names a baseline that could not be downloaded (powdr-labs/apc-optimizer#279)",
    27: "a pull request cannot read its siblings' caches (actions/cache#1501)",
    28: "legs share an artifact's name (actions/upload-artifact#548)",
    30: "a crashed shard vanishes and the merge is green (posit-dev/positron#12108)",
    31: "a merge queue has no pull request number (mheap/github-action-required-labels#66)",
    32: "secondary rate limits (EnricoMi/publish-unit-test-result-action#170)",
    33: "the API's host is hard-wired (onyxmueller/build-tag-number#27)",
    35: "a read-only cache token gives a misleading warning (actions/cache#1768)",
    36: "the job's environment and git state are touched, posting comes before gating (seen in code)",
}


def test_no_pain_is_forgotten():
    named: dict[int, list[str]] = {}
    for path in Path(__file__).parent.glob("test_*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            found = re.match(r"test_pain_(\d+)_", node.name) if isinstance(node, ast.FunctionDef) else None
            if found:
                named.setdefault(int(found[1]), []).append(f"{path.name}::{node.name}")
    assert sorted(named) == sorted(PAINS)


# --- comments and reports -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("command", "code"), [("cat", 0), (DROP, 1)])
def test_pain_5_a_403_on_a_fork_leaves_a_warning_the_report_and_the_gates_exit_code(
    scene: Scene, command: str, code: int
):
    scene.main_was_green()
    scene.suite(command)
    scene.fake.break_call("issues/create-comment", 403, message="Resource not accessible by integration", times=9)
    _, evaluated, published = scene.whole()
    assert (evaluated.code, published.code) == (code, 0)
    assert "pull-requests: write" in published.err
    assert (scene.folder / "evals/report.json").is_file()


def test_pain_6_a_regression_is_told_first_whatever_github_refuses(scene: Scene):
    scene.main_was_green()
    scene.suite(DROP)
    scene.fake.break_call("issues/create-comment", 403, message="Resource not accessible by integration", times=9)
    _, evaluated, published = scene.whole()
    assert evaluated.code == 1
    assert "regressed" in evaluated.out
    assert scene.summary.read_text().splitlines()[0].startswith("### ❌ Evals failed: 1 regressed")
    assert scene.outputs["verdict"] == "failed"
    # In the log of publishing, too, the annotation stands before the failure of GitHub.
    assert RunnerStep().prints(published.out).annotations("error")[0].properties["title"] == "eval case regressed"
    assert published.err.startswith("evals: comment failed: could not comment")


def test_pain_7_two_pull_requests_from_one_branch_are_told_apart_by_their_commit(scene: Scene):
    fork = shapes.repository("stranger/evals", 99)
    scene.restore()
    files = {"evals/error.json": (scene.folder / "evals/error.json").read_bytes()}
    facts = {"branch": "change", "event_name": "pull_request", "head": fork}
    run = scene.fake.add_run(500, head_sha=HEAD, **facts) | {"pull_requests": []}
    scene.fake.add_artifact("evalci-report", files, run)
    scene.fake.pulls.clear()
    scene.fake.add_pull(PULL, head_sha=HEAD, head_ref="change", head=fork)
    scene.fake.add_pull(8, head_sha="c" * 40, head_ref="change", head=fork)
    scene.arrives("workflow_run", run=600, of=run)
    scene.comment("--parts", "1")
    assert len(scene.comments) == 1
    assert scene.fake.bodies(8) == []


def test_pain_10_bars_and_backslashes_in_a_case_id_make_no_cells(scene: Scene):
    scene.suite(cases=[{"id": "a|b|c\\|d", "input": "|x|y|\n|-|-|\n|1|2|"}])
    scene.whole()
    for text in (scene.comments[0], scene.summary.read_text()):
        page = tree(text)
        assert "table" not in page.tags
        assert "a|b|c\\|d" in page.inert_text


def test_pain_11_a_run_of_backticks_in_an_output_breaks_no_fence(scene: Scene):
    scene.suite(cases=[{"id": "a`b``c", "input": "`````\n# not a heading\n```"}])
    scene.whole()
    page = tree(scene.comments[0].partition("\n")[2].replace("<!--", "").replace("-->", ""))
    assert page.mistakes == []
    assert page.open == []
    assert "# not a heading" in page.inert_text
    assert "Run it yourself" in page.live_text


def test_pain_12_quoted_text_mentions_nobody_and_closes_nothing(scene: Scene):
    said = "@org/team see #12, fixes #1 and GH-3 in org/repo#4 at https://example.com, " + "a1" * 20
    scene.suite(cases=[{"id": said, "input": said * 20}])
    scene.whole()
    for text in (scene.comments[0].replace("<!--", "").replace("-->", ""), scene.summary.read_text()):
        page = tree(text)
        assert not re.search(r"@\w|#\d|GH-\d|example\.com|a1a1", page.live_text)
        assert [link for link in page.links if "/actions/runs/" not in link] == []


def test_pain_13_an_output_that_holds_our_marker_leads_to_no_second_comment(scene: Scene):
    scene.whole()
    marker = scene.comments[0].splitlines()[0]
    scene.fake.add_comment(PULL, "mallory", f"{marker}\n--> <!-- evalci:end -->")
    scene.arrives("pull_request", run=901, sha="c" * 40)
    scene.suite(cases=[{"id": marker, "input": f"{marker}\n--> <!-- evalci:end -->\n{marker}"}])
    scene.whole()
    assert len(scene.comments) == 2
    assert scene.comments[0].startswith("<!-- evalci:1 key=")
    assert f"sha={'c' * 40}" in scene.comments[0].splitlines()[0]
    scene.publish("--parts", "1")
    assert len(scene.comments) == 2


# --- workspaces and runners -----------------------------------------------------------------------------------------


def test_pain_18_git_is_never_asked_whoever_owns_the_workspace(scene: Scene):
    shim = scene.root / "bin"
    shim.mkdir()
    (shim / "git").write_text(f"#!/bin/sh\ntouch {scene.root}/asked\nexit 128\n")
    (shim / "git").chmod(0o755)
    scene.environ["PATH"] = f"{shim}:{scene.environ['PATH']}"
    (scene.root / ".git").chmod(0)
    try:
        _, evaluated, published = scene.whole()
    finally:
        (scene.root / ".git").chmod(0o755)
    assert (evaluated.code, published.code) == (0, 0)
    assert f"sha={HEAD}" in scene.comments[0]
    assert not (scene.root / "asked").exists()


def test_pain_21_an_absolute_path_is_resolved_inside_the_project_or_refused_by_name(scene: Scene):
    absolute = scene.config.read_text().replace("cases.jsonl", str(scene.root / "cases.jsonl"))
    scene.config.write_text(absolute)
    _, evaluated, _ = scene.whole()
    assert evaluated.code == 0, evaluated.err
    assert str(scene.root) not in json.dumps(scene.report()["results"])
    outside = scene.root.parent / "outside.jsonl"
    scene.config.write_text(absolute.replace("datasets: [", f"datasets: [{{file: {outside}}}, "))
    _, evaluated, _ = scene.whole()
    assert evaluated.code == 2
    assert f"{outside}: it lies outside the project" in evaluated.err


def test_pain_24_what_was_passed_over_is_logged_with_the_reason(scene: Scene):
    scene.main_was_green(sha="d" * 40)
    fork = shapes.repository("mallory/evals", 66)
    run = scene.fake.add_run(200, head_sha=HEAD, branch="main", head=fork)
    scene.fake.add_artifact("evalci-state", {"evals/baseline.json": b"{}"}, run)
    step = scene.restore()
    assert "of run 200: it comes from a fork (repository 66)" in step.err
    assert "run 100 on main" in step.out


def test_pain_26_a_baseline_that_could_not_be_downloaded_is_named_nowhere(scene: Scene):
    scene.main_was_green()
    scene.fake.break_call("blob", 500, times=99)
    restored, evaluated, published = scene.whole()
    told = restored.out + evaluated.said + published.said + scene.comments[0] + scene.summary.read_text()
    assert BASE[:12] not in told
    assert "No baseline: `could not download the artifact" in scene.comments[0]


def test_pain_27_a_cache_that_misses_falls_through_to_the_artifact(scene: Scene):
    scene.main_was_green()
    scene.restore("--cache-dir", str(scene.root / "never-restored"))
    scene.evaluate()
    assert scene.report()["baseline"]["source"].startswith("run 100 on main")


def test_pain_30_a_shard_that_crashed_is_told_and_nothing_is_green(scene: Scene):
    cases = [{"id": f"c{number}", "input": "good"} for number in range(9)]
    scene.suite(cases=cases)
    for shard in ("1/3", "2/3", "3/3"):
        scene.restore()
        if shard == "2/3":
            scene.suite("kill -9 $PPID", cases)
            command = ["ci", "evaluate", str(scene.config), "--dir", str(scene.folder), "--shard", shard]
            killed = subprocess.run(
                [sys.executable, "-P", "-m", "evalci", *command], env=without_hidden(scene.environ), check=False
            )
            assert killed.returncode != 0
            scene.suite(cases=cases)
        else:
            scene.evaluate("--shard", shard)
        scene.publish("--parts", "3")
        assert scene.outputs["verdict"] == ("failed" if shard == "2/3" else "passed")
        assert scene.outputs["save-state"] == "false"
    assert len(scene.comments) == 1
    heads = [line[4] for line in scene.comments[0].splitlines() if line.startswith("### ")]
    assert heads == ["✅", "❌", "✅"]
    assert "did not finish" in scene.comments[0]
    # When it is run again, its section is made good and none is left over.
    scene.arrives("pull_request", attempt=2)
    scene.restore()
    scene.evaluate("--shard", "2/3")
    scene.publish("--parts", "3")
    assert "❌" not in scene.comments[0]


def test_pain_31_a_merge_group_makes_no_comment_call_and_its_gate_works(scene: Scene):
    scene.main_was_green()
    scene.arrives("merge_group")
    scene.suite(DROP)
    asked = len(scene.fake.asked)
    _, evaluated, published = scene.whole()
    assert evaluated.code == 1
    assert "a merge_group event belongs to no single pull request" in published.err
    made = {call.operation for call in scene.fake.asked[asked:]}
    assert not [name for name in made if "comment" in name or name.startswith(("users/", "pulls/"))]
    assert scene.summary.read_text().startswith("### ❌")


@pytest.mark.parametrize(
    ("mode", "cache"), [(None, "true"), ("write", "true"), ("write-only", "true"), ("read", "false"), ("none", "false")]
)
def test_pain_35_a_cache_that_takes_nothing_is_known_before_and_told_in_one_line(
    scene: Scene, mode: str | None, cache: str
):
    scene.arrives("push")
    if mode is not None:
        scene.environ["ACTIONS_CACHE_MODE"] = mode
    _, evaluated, published = scene.whole()
    assert (evaluated.code, published.code) == (0, 0)
    assert scene.outputs["save-state"] == "true"
    assert scene.outputs["save-cache"] == cache
    told = [line for line in published.err.splitlines() if "cache" in line]
    assert len(told) == (0 if cache == "true" else 1)


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_pain_36_the_jobs_environment_and_git_are_untouched_and_reports_come_before_the_gate(scene: Scene):
    (scene.root / ".git").rmdir()
    git = ["git", "-C", str(scene.root), "-c", "user.name=a", "-c", "user.email=a@example.com"]
    (scene.root / ".gitignore").write_text("evalci-report/\nrunner-*\n")
    for words in (["init", "-q"], ["add", "evals.yaml", "cases.jsonl", ".gitignore"], ["commit", "-qm", "x"]):
        subprocess.run([*git, *words], check=True, capture_output=True)
    scene.main_was_green()
    job = {name: scene.root / f"runner-{name}" for name in ("GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE")}
    for name, path in job.items():
        path.write_text("")
        scene.environ[name] = str(path)
    scene.suite(cases=[{"id": "apple", "input": "bad"}])
    subprocess.run([*git, "commit", "-qam", "y"], check=True, capture_output=True)
    before = files_below(scene.root / ".git")
    _, evaluated, _ = scene.whole()
    assert evaluated.code == 1
    assert scene.comments[0]
    assert scene.summary.read_text().startswith("### ❌")
    assert all(path.read_text() == "" for path in job.values())
    assert files_below(scene.root / ".git") == before
    status = subprocess.run([*git, "status", "--porcelain"], check=True, capture_output=True, text=True)
    assert status.stdout == ""


def files_below(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
