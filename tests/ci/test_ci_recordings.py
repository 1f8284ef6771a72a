"""Recordings in CI: what is replayed, what a nightly run records anew, and what people are told about it."""

import json
from collections.abc import Iterator

import pytest

from tests.doubles import chat_server

from .scene import BASE, CASES, Scene, run_main

CHAT = """\
targets:
  bot: {type: openai-compatible, url: "URL", model: small}
datasets: [{file: cases.jsonl}]
scorers: [{type: contains, value: good}]
"""


class Model:
    """Says again what it was asked, until it changes its mind."""

    def __init__(self) -> None:
        self.changes: dict[str, str] = {}

    def answer(self, text: str) -> str:
        return next((new for part, new in self.changes.items() if part in text), text)


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def recorded(scene: Scene, model: Model) -> Iterator[Scene]:
    """The default branch has recorded its answers, one of which nothing asks for any more, and was green."""
    with chat_server(model.answer) as (url, _):
        scene.config.write_text(CHAT.replace("URL", url))
        cases = [*CASES, {"id": "gone", "input": "good gone"}]
        (scene.root / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
        before = scene.environ
        scene.arrives("schedule", run=100, sha=BASE)
        scene.restore()
        assert scene.evaluate("--cache", "live").code == 0
        state = scene.state()
        (scene.root / ".evalci/cassette.jsonl").unlink()
        scene.fake.add_artifact("evalci-state", state, scene.fake.add_run(100, head_sha=BASE, event_name="schedule"))
        (scene.root / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in CASES))
        assert set(state) == {"evals/baseline.json", "evals/cassette.jsonl"}
        scene.arrives("pull_request")
        assert scene.environ["GITHUB_EVENT_NAME"] == before["GITHUB_EVENT_NAME"]
        yield scene


def test_restored_recordings_are_replayed(recorded: Scene):
    _, evaluated, _ = recorded.whole()
    assert evaluated.code == 0
    used = recorded.report()["recordings"]
    assert (used["hits"], used["misses"]) == (3, 0)


def test_committed_recordings_go_before_restored_ones(recorded: Scene):
    (recorded.root / ".evalci").mkdir(exist_ok=True)
    (recorded.root / ".evalci/cassette.jsonl").write_text("")
    recorded.restore()
    recorded.evaluate()
    assert recorded.report()["recordings"]["misses"] == 3


def test_a_pull_request_that_commits_new_recordings_shows_each_that_changed(recorded: Scene, model: Model):
    model.changes = {"apple": "good apples", "pear": "worse"}
    assert run_main("record", str(recorded.config), "--no-history", environ=recorded.environ).code == 1
    model.changes = {"apple": "never asked again"}
    _, evaluated, _ = recorded.whole()
    assert evaluated.code == 1
    assert "2 answers re-recorded, 1 now scores lower" in recorded.comments[0]
    before_and_after = recorded.comments[0].partition("Before and after")[2]
    assert "- good pear" in before_and_after
    assert "+ worse" in before_and_after
    changed = recorded.report()["changed_recordings"]
    assert sorted((one["case_id"], one["after"]) for one in changed) == [("apple", "good apples"), ("pear", "worse")]


def test_recordings_that_were_committed_as_they_are_have_not_changed(recorded: Scene):
    run_main("record", str(recorded.config), "--no-history", environ=recorded.environ)
    assert recorded.whole()[1].code == 0
    assert "changed_recordings" not in recorded.report()
    assert "re-recorded" not in recorded.comments[0]


@pytest.mark.parametrize("event", ["pull_request", "schedule"])
def test_a_live_run_tells_what_changed_in_the_recordings(recorded: Scene, model: Model, event: str):
    model.changes = {"apple": "good apples", "pear": "worse", "plum": "bad"}
    recorded.arrives(event, run=901)
    _, evaluated, _ = recorded.whole("--cache", "live")
    assert evaluated.code == 1
    told = recorded.comments[0] if event == "pull_request" else recorded.summary.read_text()
    assert "3 answers re-recorded, 2 now score lower, 1 unused, 0 secrets redacted" in told
    before_and_after = told.partition("Before and after")[2]
    assert "- good pear" in before_and_after
    assert "+ worse" in before_and_after
    assert recorded.outputs["save-state"] == "false"


def test_a_green_nightly_run_saves_its_fresh_recordings(recorded: Scene, model: Model):
    model.changes = {"apple": "very good apples"}
    recorded.arrives("schedule", run=901)
    _, evaluated, _ = recorded.whole("--cache", "live")
    assert evaluated.code == 0
    assert b"very good apples" in recorded.state()["evals/cassette.jsonl"]
    assert recorded.outputs["save-state"] == "true"
