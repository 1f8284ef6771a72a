"""`evalci ci restore`, `evaluate`, `publish` against the fake GitHub: each event, each source, each way to end."""

import json
import shutil

import pytest

from evalci.baseline.codec import decode

from . import github_shapes as shapes
from .fake_github import APP_TOKEN
from .fake_gitlab import TOKEN, FakeGitLab
from .runner_oracle import Step as RunnerStep
from .scene import BASE, DROP, HEAD, PULL, SUITE, Scene


def provenance(scene: Scene, slug: str = "evals") -> dict:
    return json.loads((scene.folder / "restored" / slug / "provenance.json").read_text())


# --- restore --------------------------------------------------------------------------------------------------------


def test_the_artifact_of_the_default_branch_is_what_a_pull_request_is_compared_with(scene: Scene):
    scene.main_was_green()
    restored, evaluated, published = scene.whole()
    assert (restored.code, evaluated.code, published.code) == (0, 0, 0)
    source = f"run 100 on main at {BASE[:12]}"
    assert provenance(scene)["baseline"] == ["artifact", source]
    assert source in restored.out
    assert scene.report()["baseline"]["source"] == source
    assert source in scene.comments[0]
    assert source in scene.summary.read_text()


def test_a_committed_baseline_goes_before_the_artifact(scene: Scene):
    state = scene.main_was_green()
    committed = scene.root / ".evalci/baselines/evals/main.json"
    committed.parent.mkdir(parents=True)
    committed.write_bytes(state["evals/baseline.json"])
    scene.whole()
    assert scene.report()["baseline"]["source"] == ".evalci/baselines/evals/main.json"
    assert "--baseline main" in scene.comments[0]


def test_a_cache_is_taken_for_recordings_first_and_for_a_baseline_last(scene: Scene):
    state = scene.main_was_green()
    cache = scene.root / "cache"
    (cache / "evals").mkdir(parents=True)
    (cache / "evals/baseline.json").write_bytes(state["evals/baseline.json"])
    (cache / "evals/cassette.jsonl").write_bytes(b"")
    scene.restore("--cache-dir", str(cache))
    assert provenance(scene)["cassette"][0] == "cache"
    assert provenance(scene)["baseline"][0] == "artifact"
    scene.fake.artifacts.clear()
    scene.restore("--cache-dir", str(cache))
    assert provenance(scene)["baseline"] == ["cache", "the Actions cache of the default branch"]


def test_without_any_state_report_comment_and_log_say_why(scene: Scene):
    restored, evaluated, _ = scene.whole()
    reason = "there is no artifact named 'evalci-state'"
    assert evaluated.code == 0
    assert reason in restored.out
    assert scene.report()["no_baseline"] == reason
    assert reason in scene.comments[0]


def test_without_a_token_the_reason_is_that(scene: Scene):
    del scene.environ["GITHUB_TOKEN"]
    scene.restore()
    scene.evaluate()
    assert scene.report()["no_baseline"] == "no token was given, so no artifact was looked for"
    assert "GITHUB_TOKEN: ${{ github.token }}" in scene.publish().err


def test_a_required_baseline_that_is_missing_does_not_pass(scene: Scene):
    _, evaluated, _ = scene.whole("--require-baseline")
    assert evaluated.code == 1
    assert "a baseline is required and there is none: there is no artifact" in evaluated.out
    assert scene.outputs["verdict"] == "failed"


def test_a_baseline_in_an_artifact_that_cannot_be_read_is_none_and_the_next_green_run_replaces_it(scene: Scene):
    run = scene.fake.add_run(100, head_sha=BASE)
    scene.fake.add_artifact("evalci-state", {"evals/baseline.json": b"{}", "evals/cassette.jsonl": b"{]\n{]\n"}, run)
    scene.arrives("push")
    _, evaluated, _ = scene.whole()
    assert evaluated.code == 0
    assert "cannot be used" in scene.report()["no_baseline"]
    assert "cannot be used" in provenance(scene)["cassette"][1]
    assert decode(scene.state()["evals/baseline.json"], name="state").total == 3


def test_a_committed_baseline_that_cannot_be_read_is_an_error_and_not_a_pass(scene: Scene):
    committed = scene.root / ".evalci/baselines/evals/main.json"
    committed.parent.mkdir(parents=True)
    committed.write_text("{")
    _, evaluated, _ = scene.whole()
    assert evaluated.code == 2
    assert scene.outputs["verdict"] == "error"
    assert "Evals did not run" in scene.comments[0]


def test_a_restore_that_was_left_out_is_told(scene: Scene):
    scene.evaluate()
    assert scene.report()["no_baseline"] == "`evalci ci restore` did not run"


def test_what_an_earlier_run_restored_is_gone_when_nothing_is_found_now(scene: Scene):
    scene.main_was_green()
    scene.restore()
    assert (scene.folder / "restored/evals/baseline.json").is_file()
    scene.fake.artifacts.clear()
    scene.restore()
    assert not (scene.folder / "restored/evals/baseline.json").exists()


def test_a_cassette_in_its_split_form_is_restored_too(scene: Scene):
    run = scene.fake.add_run(100, head_sha=BASE)
    scene.fake.add_artifact("evalci-state", {"evals/cassette/a.jsonl": b""}, run)
    scene.restore()
    assert provenance(scene)["cassette"][0] == "artifact"
    assert (scene.folder / "restored/evals/cassette/a.jsonl").is_file()


@pytest.mark.parametrize("link", ["evalci-report", "evalci-report/restored", "evalci-report/restored/evals"])
def test_nothing_is_written_through_a_link_that_a_pull_request_put_there(scene: Scene, link: str):
    elsewhere = scene.root / "elsewhere"
    elsewhere.mkdir()
    (scene.root / link).parent.mkdir(parents=True, exist_ok=True)
    (scene.root / link).symlink_to(elsewhere)
    step = scene.restore()
    assert step.code == 2
    assert "is a link" in step.err
    assert list(elsewhere.iterdir()) == []


def test_a_linked_file_is_replaced_and_not_followed(scene: Scene):
    scene.main_was_green()
    victim = scene.root / "victim"
    victim.write_text("mine")
    place = scene.folder / "restored/evals"
    shutil.rmtree(place)
    place.mkdir(parents=True)
    for name in ("baseline.json", "provenance.json", "cassette.jsonl"):
        (place / name).symlink_to(victim)
    scene.restore()
    assert victim.read_text() == "mine"
    assert not (place / "baseline.json").is_symlink()


def test_two_suites_that_differ_in_their_ending_only_are_refused(scene: Scene):
    other = scene.config.with_suffix(".yml")
    other.write_text(SUITE)
    step = scene.restore(configs=(scene.config, other))
    assert step.code == 2
    assert "differ in their ending only" in step.err
    assert "named twice" in scene.restore(configs=(scene.config, scene.config)).err


# --- the second push ------------------------------------------------------------------------------------------------


def test_a_drop_is_red_and_its_second_push_is_red_too(scene: Scene):
    scene.main_was_green(sha="d" * 40)
    scene.suite(DROP)
    codes = []
    for run, sha in ((901, HEAD), (902, "c" * 40)):
        scene.arrives("pull_request", run=run, sha=sha)
        cache = scene.root / "cache"
        step = scene.restore("--cache-dir", str(cache))
        codes.append(scene.evaluate().code)
        scene.publish("--parts", "1")
        # Whatever this pull request's run left, kept by a cache of its own and as an artifact of its own.
        left = scene.state()
        for name, data in left.items():
            (cache / name).parent.mkdir(parents=True, exist_ok=True)
            (cache / name).write_bytes(data)
        own = scene.fake.add_run(run, head_sha=sha, branch="change", event_name="pull_request", conclusion="failure")
        scene.fake.add_artifact("evalci-state", left, own)
    assert codes == [1, 1]
    assert "comes from the branch 'change'" in step.err
    assert len(scene.comments) == 1
    assert "1 regressed" in scene.comments[0]


def test_a_green_pull_request_keeps_no_state_that_a_later_push_could_be_compared_with(scene: Scene):
    scene.main_was_green()
    scene.fake.pulls[PULL]["labels"] = [shapes.label("evalci: accept")]
    scene.suite(DROP)
    _, evaluated, _ = scene.whole()
    assert evaluated.code == 0
    assert scene.state() == {}
    assert scene.outputs["save-state"] == "false"
    scene.fake.pulls[PULL]["labels"] = []
    scene.arrives("pull_request", run=902)
    assert scene.whole()[1].code == 1


# --- accepting ------------------------------------------------------------------------------------------------------


def test_the_live_label_accepts_a_drop_and_is_named_everywhere(scene: Scene):
    scene.main_was_green()
    scene.suite(DROP)
    assert scene.whole()[1].code == 1
    scene.fake.pulls[PULL]["labels"] = [shapes.label("evalci: accept")]
    scene.arrives("pull_request", run=901)  # the payload still lacks the label
    restored, evaluated, _ = scene.whole()
    assert evaluated.code == 0
    who = 'the label "evalci: accept" on #7'
    assert who in restored.out
    assert any(who in note for note in scene.report()["notes"])
    assert len(scene.comments) == 1
    assert f"The drop against the baseline was accepted by `{who}`" in scene.comments[0]


def test_when_the_labels_cannot_be_read_those_of_the_event_count(scene: Scene):
    scene.main_was_green()
    scene.suite(DROP)
    scene.arrives("pull_request", labels=("evalci: accept",))
    scene.fake.break_call("issues/list-labels-on-issue", 403, times=9)
    step = scene.restore()
    assert "pull-requests: read" in step.err
    assert scene.evaluate().code == 0


def test_the_label_on_the_merged_pull_request_accepts_for_the_default_branch(scene: Scene):
    scene.main_was_green()
    scene.suite(DROP)
    scene.fake.add_pull(8, head_sha=HEAD, state="closed", labels=("evalci: accept",))
    scene.arrives("push")
    _, evaluated, _ = scene.whole()
    assert evaluated.code == 0
    assert scene.outputs["save-state"] == "true"
    assert decode(scene.state()["evals/baseline.json"], name="state").passed == 2


def test_an_open_pull_request_that_holds_the_commit_accepts_nothing(scene: Scene):
    scene.main_was_green()
    scene.suite(DROP)
    scene.fake.add_pull(8, head_sha=HEAD, labels=("evalci: accept",))
    scene.arrives("push")
    assert scene.whole()[1].code == 1


def test_in_a_merge_queue_the_label_of_the_queued_pull_request_counts(scene: Scene):
    scene.main_was_green()
    scene.suite(DROP)
    scene.fake.pulls[PULL]["labels"] = [shapes.label("evalci: accept")]
    scene.arrives("merge_group")
    assert scene.whole()[1].code == 0


def test_the_label_accepts_no_gate(scene: Scene):
    scene.main_was_green()
    scene.suite(DROP, more="run: {gates: [{type: pass_rate, min: 0.9}]}\n")
    scene.fake.pulls[PULL]["labels"] = [shapes.label("evalci: accept")]
    assert scene.whole()[1].code == 1


# --- events ---------------------------------------------------------------------------------------------------------


def head_of_a_fork() -> dict:
    return shapes.repository("stranger/evals", 99)


def test_a_pull_request_from_a_fork_is_evaluated_and_not_commented(scene: Scene):
    scene.main_was_green()
    scene.arrives("pull_request", head=head_of_a_fork())
    _, evaluated, published = scene.whole()
    assert (evaluated.code, published.code) == (0, 0)
    assert scene.comments == []
    assert "the report is kept for `evalci comment`" in published.err
    assert scene.summary.read_text().startswith("### ✅ Evals passed")
    assert scene.outputs["verdict"] == "passed"


def test_dependabot_is_treated_like_a_fork(scene: Scene):
    scene.environ["GITHUB_ACTOR"] = "dependabot[bot]"
    published = scene.whole()[2]
    assert scene.comments == []
    assert "cannot write" in published.err


@pytest.mark.parametrize("event", ["push", "schedule", "workflow_dispatch"])
def test_the_default_branch_keeps_its_state_when_it_is_green(scene: Scene, event: str):
    scene.arrives(event)
    published = scene.whole()[2]
    assert scene.outputs["save-state"] == "true"
    assert set(scene.state()) == {"evals/baseline.json"}
    assert f"a {event} event belongs to no single pull request" in published.err
    assert scene.fake.calls("issues/create-comment") == []


@pytest.mark.parametrize("event", ["push", "schedule", "workflow_dispatch"])
def test_a_red_default_branch_leaves_the_last_green_one_in_force(scene: Scene, event: str):
    scene.main_was_green()
    scene.suite(DROP)
    scene.arrives(event)
    _, evaluated, _ = scene.whole()
    assert evaluated.code == 1
    assert scene.outputs["save-state"] == "false"
    assert scene.state() == {}


@pytest.mark.parametrize("event", ["push", "workflow_dispatch"])
def test_another_branch_is_compared_with_the_default_one_and_keeps_nothing(scene: Scene, event: str):
    scene.main_was_green()
    scene.arrives(event)
    scene.environ["GITHUB_REF"] = "refs/heads/feature"
    scene.whole()
    assert scene.report()["baseline"]["source"].startswith("run 100 on main")
    assert scene.outputs["save-state"] == "false"
    assert scene.state() == {}


def test_a_merge_group_keeps_nothing(scene: Scene):
    scene.arrives("merge_group")
    scene.whole()
    assert scene.outputs["save-state"] == "false"
    assert scene.state() == {}


def test_a_shard_keeps_no_state_and_has_a_section_of_its_own(scene: Scene):
    for shard in ("1/2", "2/2"):
        scene.restore()
        scene.evaluate("--shard", shard)
        scene.publish("--parts", "2")
    assert len(scene.comments) == 1
    assert "key=shard%201%2F2" in scene.comments[0]
    assert "key=shard%202%2F2" in scene.comments[0]
    scene.arrives("push")
    scene.restore()
    scene.evaluate("--shard", "1/2")
    scene.publish()
    assert scene.state() == {}
    assert scene.outputs["save-state"] == "false"


# --- exit codes and errors ------------------------------------------------------------------------------------------


def test_of_several_suites_the_worst_decides_and_each_has_its_own_comment(scene: Scene):
    red, broken = scene.root / "red.yaml", scene.root / "broken.yaml"
    red.write_text(SUITE.replace("COMMAND", "echo bad"))
    broken.write_text("targetz: {}\n")
    configs = (scene.config, red)
    scene.restore(configs=configs)
    assert scene.evaluate(configs=configs).code == 1
    configs = (scene.config, red, broken)
    scene.restore(configs=configs)
    assert scene.evaluate(configs=configs).code == 2
    published = scene.publish("--parts", "1")
    assert published.code == 0
    heads = sorted(body.splitlines()[3] for body in scene.comments)
    assert [head.split()[1] for head in heads] == ["✅", "❌", "❌"]
    assert {name: value for name, value in scene.outputs.items() if not name.startswith("save")} == {
        "verdict": "error",
        "exit-code": "2",
        "total": "6",
        "passed": "3",
        "failed": "3",
    }


def test_a_broken_config_is_told_in_summary_comment_and_annotation(scene: Scene):
    scene.config.write_text("targets: {x: {type: shel, cmd: cat}}\n")
    _, evaluated, published = scene.whole()
    assert evaluated.code == 2
    assert 'unknown target type "shel"' in evaluated.err
    for text in (scene.comments[0], scene.summary.read_text()):
        assert "Evals did not run" in text
        assert "shel" in text
    issue = RunnerStep().prints(published.out).annotations("error")[0]
    assert "shel" in issue.message
    assert scene.outputs["verdict"] == "error"


def test_a_run_that_never_began_is_not_told_as_the_one_before_it(scene: Scene):
    scene.whole()
    assert "✅" in scene.comments[0]
    scene.arrives("pull_request", run=901)
    scene.restore()
    scene.publish("--parts", "1")  # the container could not be started, say
    assert "the suite was not run" in scene.comments[0]
    assert scene.outputs["verdict"] == "failed"
    assert scene.outputs["save-state"] == "false"


def test_an_error_file_that_claims_to_have_passed_is_not_believed(scene: Scene):
    scene.restore()
    (scene.folder / "evals/error.json").write_text('{"exit_code": 0, "lines": []}')
    scene.publish()
    assert scene.outputs["exit-code"] == "1"
    (scene.folder / "evals/error.json").write_text("[")
    scene.publish()
    assert scene.outputs["exit-code"] == "1"
    (scene.folder / "evals/error.json").unlink()
    (scene.folder / "evals/report.json").write_text("{}")
    scene.publish()
    assert scene.outputs["exit-code"] == "1"


def test_publishing_nothing_is_a_usage_error(scene: Scene):
    step = scene.publish()
    assert step.code == 2
    assert "there is no report" in step.err


def test_texts_can_be_kept_out_of_the_public(scene: Scene):
    scene.main_was_green()
    scene.suite("echo the-secret-recipe")
    scene.restore()
    scene.evaluate()
    published = scene.publish("--texts", "hidden")
    told = scene.comments[0] + scene.summary.read_text() + published.out
    assert "plum" in told
    assert "the-secret-recipe" not in told


def test_nothing_is_written_when_nothing_changed(scene: Scene):
    scene.whole()
    scene.publish("--parts", "1")
    assert len(scene.fake.calls("issues/create-comment")) == 1
    assert scene.fake.calls("issues/update-comment") == []


def test_an_apps_token_that_may_not_ask_who_it_is_still_has_one_comment(scene: Scene):
    scene.environ["GITHUB_TOKEN"] = APP_TOKEN
    for run, sha in ((901, HEAD), (902, "c" * 40)):
        scene.arrives("pull_request", run=run, sha=sha)
        scene.environ["GITHUB_TOKEN"] = APP_TOKEN
        scene.restore()
        scene.evaluate()
        step = scene.publish()
        assert "FAILED" not in step.err.upper(), step.err
    assert len(scene.comments) == 1
    assert "c" * 40 in scene.comments[0]


def test_the_log_of_a_suite_holds_no_command(scene: Scene):
    cases = [{"id": "::error::x ##[add-mask]e", "input": "::set-env name=A::b\n##[error]no\n::stop-commands::t"}]
    scene.suite("cat", cases)
    scene.restore()
    step = scene.evaluate()
    assert step.code == 1
    runner = RunnerStep().prints(step.out).prints(step.err)
    assert not runner.failed
    assert {command.name for command in runner.commands} <= {"stop-commands"}
    assert not runner.paused


def test_what_functions_of_a_suite_print_is_guarded_too(scene: Scene):
    (scene.root / "grade.py").write_text(
        "import sys\n"
        "def grade(output):\n"
        "    print('::set-env name=A::b')\n"
        "    print('::error::no', file=sys.stderr)\n"
        "    return True\n"
    )
    scene.suite(more="  - {type: python, function: 'grade.py:grade'}\n")
    text = scene.config.read_text().replace("scorers: [{type: contains, value: good}]", "scorers:")
    scene.config.write_text(text)
    scene.restore()
    step = scene.evaluate()
    assert step.code == 0, step.said
    runner = RunnerStep().prints(step.out).prints(step.err)
    assert "::set-env name=A::b" in runner.log
    assert not runner.failed
    assert runner.issues == []


def test_annotations_of_all_suites_share_the_runners_ten(scene: Scene):
    configs = []
    for name in ("one", "two"):
        configs.append(scene.root / f"{name}.yaml")
        configs[-1].write_text(SUITE.replace("COMMAND", "echo bad").replace("cases.jsonl", "many.jsonl"))
    (scene.root / "many.jsonl").write_text("".join(f'{{"id": "c{n}", "input": "x"}}\n' for n in range(8)))
    scene.restore(configs=tuple(configs))
    scene.evaluate(configs=tuple(configs))
    runner = RunnerStep().prints(scene.publish().out)
    assert len(runner.issues) == 10
    assert "7 more like these" in runner.issues[-1].message
    assert runner.issues[2].properties["file"] == "many.jsonl"
    assert runner.issues[2].properties["line"] == "3"


def test_slugs_are_the_path_in_the_project(scene: Scene):
    deep = scene.root / "a b" / "evals.yaml"
    deep.parent.mkdir()
    shutil.copy(scene.config, deep)
    shutil.copy(scene.root / "cases.jsonl", deep.parent)
    state = scene.root / "state.yaml"
    shutil.copy(scene.config, state)
    step = scene.restore(configs=(scene.config, deep, state))
    slugs = [line.partition(":")[0] for line in step.out.splitlines()]
    assert slugs[0] == "evals"
    assert slugs[1].startswith("a-b-evals-")
    assert slugs[2].startswith("state-")


def test_gitlab_gets_a_note_and_the_exit_code_is_the_suites(scene: Scene):
    with FakeGitLab() as gitlab:
        scene.environ = {
            "PATH": scene.environ["PATH"],
            "GITLAB_CI": "true",
            "CI_PIPELINE_SOURCE": "merge_request_event",
            "CI_API_V4_URL": gitlab.api_url,
            "CI_PROJECT_PATH": "group/evals",
            "CI_MERGE_REQUEST_IID": "7",
            "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": gitlab.head_sha,
            "CI_PIPELINE_ID": "5",
            "CI_JOB_ID": "6",
            "CI_NODE_INDEX": "1",
            "CI_NODE_TOTAL": "2",
        }
        scene.suite("echo bad")
        _, evaluated, published = scene.whole()
        assert (evaluated.code, published.code) == (1, 0)
        assert gitlab.bodies() == []
        assert "GITLAB_TOKEN is not set" in published.err
        scene.environ["GITLAB_TOKEN"] = TOKEN
        assert "comment created" in scene.publish("--parts", "1").err
        assert "❌ Evals failed" in gitlab.bodies()[0]
        assert published.out == ""
        scene.environ.pop("CI_MERGE_REQUEST_IID")
        assert "no merge request" in scene.publish().err
        assert gitlab.violations == []


def test_a_laptop_has_no_comment_and_no_files_to_fill(scene: Scene):
    scene.environ = {"PATH": scene.environ["PATH"]}
    restored, evaluated, published = scene.whole()
    assert (restored.code, evaluated.code, published.code) == (0, 0, 0)
    assert published.said == ""
    assert (scene.folder / "evals/report.html").is_file()
