"""`evalci comment`: the second workflow of the fork pattern posts what the first one found, and trusts none of it."""

import json
from pathlib import Path

import pytest

from evalci.ci.folder import REPORT_FILE

from . import github_shapes as shapes
from .runner_oracle import Step as RunnerStep
from .scene import DROP, HEAD, PULL, Scene, run_main

FORK = shapes.repository("stranger/evals", 99)


@pytest.fixture
def second(scene: Scene) -> Scene:
    """A fork's pull request was evaluated and got worse; now its run triggers the second workflow."""
    scene.main_was_green()
    scene.suite(DROP)
    scene.fake.pulls.clear()
    scene.fake.add_pull(PULL, head_sha=HEAD, head_ref="change", head=FORK)
    scene.arrives("pull_request", run=500, head=FORK)
    assert scene.whole()[1].code == 1
    assert scene.comments == []
    hand_over(scene, files_of(scene))
    return scene


def files_of(scene: Scene) -> dict[str, bytes]:
    """What an upload of the report folder holds."""
    return {
        path.relative_to(scene.folder).as_posix(): path.read_bytes()
        for path in scene.folder.rglob("*")
        if path.is_file()
    }


def hand_over(scene: Scene, *artifacts: dict[str, bytes], names: tuple[str, ...] = ("evalci-report",), **facts) -> None:
    """The first run ends, its artifacts are there, and the second workflow's event arrives."""
    asked = {"branch": "change", "event_name": "pull_request", "conclusion": "failure", "head": FORK} | facts
    run = scene.fake.add_run(500, head_sha=HEAD, **asked) | {"pull_requests": []}
    for name, files in zip(names, artifacts, strict=True):
        scene.fake.add_artifact(name, files, run)
    scene.arrives("workflow_run", run=600, sha="f" * 40, of=run)


def test_the_report_of_a_fork_is_posted_on_its_pull_request(second: Scene):
    step = second.comment("--parts", "1")
    assert step.code == 0
    assert "evals: comment created" in step.err
    assert "### ❌ Evals failed: 1 regressed" in second.comments[0]
    assert f"sha={HEAD} run=500.1" in second.comments[0]
    assert "/actions/runs/500>" in second.comments[0]


def test_the_whole_command_line_does_the_same(second: Scene):
    step = run_main("comment", "--parts", "1", environ=second.environ)
    assert step.code == 0
    assert len(second.comments) == 1


def test_saved_reports_in_a_folder_are_posted_too(second: Scene):
    second.fake.artifacts.clear()
    second.comment("--parts", "1", str(second.folder))
    assert len(second.comments) == 1


def test_in_a_pull_requests_own_event_its_pull_request_is_the_one(second: Scene):
    second.arrives("pull_request")
    second.comment("--parts", "1", str(second.folder))
    assert len(second.comments) == 1


def test_nothing_but_reports_is_taken_out_and_markdown_is_made_anew(second: Scene):
    files = files_of(second) | {"evals/report.md": b"# @everyone fixes #1", "evals/x.py": b"boom"}
    second.fake.artifacts.clear()
    hand_over(second, files)
    second.comment("--parts", "1")
    assert "@everyone" not in second.comments[0]


def test_a_report_that_breaks_the_schema_is_told_and_not_shown(second: Scene):
    report = json.loads(files_of(second)["evals/report.json"])
    report["verdict"]["passed"] = "@everyone"
    second.fake.artifacts.clear()
    hand_over(second, {"evals/report.json": json.dumps(report).encode(), "b/error.json": b"[]"})
    second.comment("--parts", "1")
    assert len(second.comments) == 2
    assert all("Evals did not run" in body for body in second.comments)


def test_each_leg_keeps_its_section_and_the_newer_attempt_counts(second: Scene):
    files = files_of(second)
    second.fake.artifacts.clear()
    old = {name: b"{}" if name.endswith(REPORT_FILE) else data for name, data in files.items()}
    hand_over(second, old, files, files, names=("evalci-report-a", "evalci-report-a", "evalci-report-b"))
    second.comment("--parts", "2")
    assert len(second.comments) == 1
    assert second.comments[0].count("### ❌ Evals failed: 1 regressed") == 2


def test_hostile_names_neither_flood_the_pull_request_nor_the_log(second: Scene):
    report = files_of(second)["evals/report.json"]
    names = [f"s{n:02} ##[add-mask]e" for n in range(30)]
    second.fake.artifacts.clear()
    hand_over(second, {f"{name}/report.json": report for name in names})
    step = second.comment("--parts", "1")
    assert len(second.comments) == 20
    assert "10 more suites are left out" in step.err
    assert RunnerStep().prints(step.err).commands == []


def test_a_member_that_leads_elsewhere_posts_nothing(second: Scene, tmp_path: Path):
    second.fake.artifacts.clear()
    hand_over(second, {"../evals/report.json": files_of(second)["evals/report.json"]})
    step = second.comment()
    assert step.code == 0
    assert "leads out of the archive" in step.err
    assert second.comments == []


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"event_name": "push"}, "started by push"),
        ({"branch": "other"}, "no open pull request is at aaaaaaaaaaaa"),
        ({"conclusion": "success"}, "comment created"),
    ],
)
def test_the_pull_request_is_found_by_branch_and_commit_alone(second: Scene, facts: dict, words: str):
    hand_over(second, files_of(second), **facts)
    assert words in second.comment("--parts", "1").err


def test_a_pull_request_that_moved_on_or_a_fork_that_is_gone_gets_no_comment(second: Scene):
    second.fake.pulls[PULL]["head"]["sha"] = "c" * 40
    assert "no open pull request" in second.comment().err
    payload = json.loads(Path(second.environ["GITHUB_EVENT_PATH"]).read_text())
    payload["workflow_run"]["head_repository"] = None
    Path(second.environ["GITHUB_EVENT_PATH"]).write_text(json.dumps(payload))
    assert "is gone" in second.comment().err


def test_a_run_that_left_no_report_is_told(second: Scene):
    second.fake.artifacts.clear()
    step = second.comment()
    assert (step.code, second.comments) == (0, [])
    assert "the run left no report" in step.err


def test_another_event_or_no_token_is_a_usage_error(second: Scene):
    del second.environ["GITHUB_TOKEN"]
    step = second.comment()
    assert step.code == 2
    assert "no token" in step.err
    second.arrives("push")
    step = second.comment()
    assert step.code == 2
    assert "on: workflow_run" in step.err
    assert second.comment("--help").code == 0


def sharded(scene: Scene) -> list[dict[str, bytes]]:
    """The artifacts of a run in two shards: those of the shards, and that of the job that merged them."""
    scene.arrives("pull_request", run=500, head=FORK)
    parts = []
    for number in (1, 2):
        scene.restore()
        scene.evaluate("--shard", f"{number}/2")
        parts.append({name: data for name, data in files_of(scene).items() if name.startswith("evals/")})
        for name, data in parts[-1].items():
            place = scene.root / "shards" / str(number) / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
    scene.restore()
    assert scene.evaluate("--merge", str(scene.root / "shards")).code == 1
    whole = {name: data for name, data in files_of(scene).items() if name.startswith("evals/")}
    return [*parts, whole]


def test_of_a_sharded_run_the_whole_is_told_and_no_part(second: Scene):
    names = ("evalci-report-1-of-2", "evalci-report-2-of-2", "evalci-report")
    second.fake.artifacts.clear()
    hand_over(second, *sharded(second), names=names)
    step = second.comment()
    assert step.code == 0, step.err
    (body,) = second.comments
    assert body.count("Evals failed") == 1
    assert "shard" not in body


def test_of_a_sharded_run_that_was_not_merged_nothing_is_told(second: Scene):
    names = ("evalci-report-1-of-2", "evalci-report-2-of-2")
    second.fake.artifacts.clear()
    hand_over(second, *sharded(second)[:2], names=names)
    step = second.comment()
    assert step.code == 0
    assert second.comments == []
    assert "no comment: the run left shards and no report of the whole" in step.err
