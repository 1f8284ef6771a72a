"""Ten thousand failing cases full of hostile Markdown: everything within its limit, and nothing live anywhere.

Read by remark with GitHub's own extensions, which know mentions, issue links and commit links.
"""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from evalci.model import GateOutcome
from evalci.reporters import Style, render
from tests.factories import HOSTILE, case, change, diff, failed, missed, report_of, suite

from .node_packages import need_packages
from .runner_oracle import MESSAGE_UNITS, summary_is_shown
from .runner_oracle import Step as RunnerStep
from .scene import Scene

REMARK = Path(__file__).parent / "remark"
# Stands in every hostile text: where it is found, other people's text is.
MARK = "qX7"
LIVE = [
    "@octocat @octo-org/evals #12 GH-12 octo-org/evals#12 octocat@a5c3785ed8d6a35868bc169f07e40e889087fd2e",
    "a5c3785ed8d6a35868bc169f07e40e889087fd2e fixes #1, closes octo-org/evals#2, resolves GH-3",
    "https://github.com/octo-org/evals/issues/12 www.example.com me@example.com <https://example.com>",
    "[link](https://example.com) ![image](https://example.com/x.png) [ref][1]\n\n[1]: https://example.com\n",
    "[^1]\n\n[^1]: note\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [ ] task\n",
    "a|b|c\\|d ` `` ``` ```` ````` ~~~ ~~~~",
    "```\n@octocat\n```\n\n`````\n#12\n",
    "--> <!-- evalci:1 key=000000000000 sha=aa run=1.1 rev=1.00000000 --> <!-- evalci:end -->",
    "</pre></code></summary></details><script>alert(1)</script><img src=x onerror=alert(1)>",
    "<a href='https://example.com'>x</a> <details open><summary>@octocat</summary></details>",
    "# heading\n\n> quote\n\n***\n\n1. one\n\n/close\n/assign @octocat\n",
    "::error::x\n##[add-mask]x\n\u202e\u2066@octocat\u200b#12\x1b[31m\x00",
    "\\`@octocat\\` \\@octocat &#64;octocat &commat;octocat &#x23;12",
]
TAG = re.compile(r'<details open>|</?(?:details|summary|b|i|code|pre|table|tbody|tr|th|td)>|<pre lang="diff">')
COUNT = 10_000


def hostile(number: int) -> str:
    texts = [*LIVE, *HOSTILE]
    return f"{MARK} {texts[number % len(texts)]} {MARK} {texts[(number * 7 + 3) % len(texts)]}"


def hostile_report(count: int) -> Any:
    """Every field that a suite, a model or a server fills says something hostile."""
    results = []
    for number in range(count):
        text = hostile(number)
        name = f"{text} {number}"
        place = case(name, line=number + 1)
        results.append(failed(text=text * 5, scores=(missed(text, reason=text),), case=place))
    moved = [
        change(result.id, before_text=hostile(number + 1) * 5, after_text=hostile(number) * 5)
        for number, result in enumerate(results)
    ]
    half = count // 2
    return report_of(
        *results,
        suite=suite(cases=count, config=f"{hostile(0)}.yaml", target=hostile(1)),
        baseline=diff(
            regressed=tuple(moved[:half]), new_failing=tuple(moved[half:]), label=hostile(2), source=hostile(3)
        ),
        gates=tuple(
            GateOutcome(gate=hostile(n), type="pass_rate", passed=False, actual=0.1, min=0.9, reason=hostile(n))
            for n in range(30)
        ),
        notes=tuple(hostile(n) for n in range(30)),
    )


def published(scene: Scene, report: Any, *words: str) -> RunnerStep:
    scene.restore()
    scene.folder.joinpath("evals/error.json").unlink()
    scene.folder.joinpath("evals/report.json").write_text(render("json", report, Style()), "utf-8")
    step = scene.publish("--parts", "1", *words)
    assert step.code == 0
    return RunnerStep().prints(step.out).prints(step.err)


def looked_at(texts: list[str]) -> list[dict[str, Any]]:
    """What remark sees; the packages are installed from the lock file into a folder that git ignores."""
    need_packages(REMARK)
    command = ["node", str(REMARK / "look.mjs")]
    done = subprocess.run(command, input=json.dumps(texts), capture_output=True, text=True, check=True, timeout=120)
    return json.loads(done.stdout)


def check_nothing_is_live(seen: dict[str, Any]) -> None:
    """No link but ours, no node that others' text made, and others' text in code alone."""
    assert [link for link in seen["links"] if not link.startswith("https://github.com/octo-org/evals/actions/")] == []
    ours = {"root", "heading", "paragraph", "text", "inlineCode", "code", "html", "list", "listItem", "strong", "link"}
    assert set(seen["types"]) <= ours
    assert not any(MARK in text for text in seen["text"])
    for html in seen["html"]:
        if html.startswith("<!-- evalci:"):
            assert MARK not in html
            continue
        assert re.sub(TAG, "", html).count("<") == 0, html
        outside = re.sub(r"<code>.*?</code>|<pre(?: lang=\"diff\")?>.*?</pre>", "", html, flags=re.DOTALL)
        assert MARK not in outside


def the_oracle_notices(texts: list[str]) -> list[bool]:
    def is_caught(seen: dict[str, Any]) -> bool:
        try:
            check_nothing_is_live(seen)
        except AssertionError:
            return True
        return False

    return [is_caught(seen) for seen in looked_at(texts)]


@pytest.mark.slow
@pytest.mark.parametrize("texts", ["shown", "hidden"])
def test_ten_thousand_hostile_cases_stay_within_every_limit_and_nothing_is_live(scene: Scene, texts: str):
    runner = published(scene, hostile_report(COUNT), "--texts", texts)
    [comment] = scene.comments
    summary = scene.summary.read_bytes()
    assert len(comment.encode()) <= 65_000
    assert len(summary) <= 1_000_000
    assert summary_is_shown(summary)
    assert comment.count("<!-- evalci:") == 3
    assert [len(runner.annotations(level)) for level in ("error", "warning", "notice")] == [10, 0, 0]
    assert len(runner.issues) == 10
    assert all(len(issue.message) < MESSAGE_UNITS for issue in runner.issues)
    assert not runner.failed
    assert {command.name for command in runner.commands} == {"error"}
    for seen in looked_at([comment, summary.decode()]):
        check_nothing_is_live(seen)
        assert seen["types"]["inlineCode"] > 50


@pytest.mark.slow
def test_a_comment_with_few_hostile_cases_shows_them_whole_and_nothing_is_live(scene: Scene):
    texts = []
    for run, count in enumerate(range(1, len(LIVE) + len(HOSTILE), 3)):
        scene.arrives("pull_request", run=900 + run)
        published(scene, hostile_report(count))
        texts.append(scene.comments[0])
    assert len(texts) > 5
    for seen in looked_at(texts):
        check_nothing_is_live(seen)


@pytest.mark.slow
def test_a_hostile_mistake_in_a_config_is_not_live_either(scene: Scene):
    scene.restore()
    lines = [hostile(number) for number in range(100)]
    (scene.folder / "evals/error.json").write_text(json.dumps({"exit_code": 2, "lines": lines, "shard": ""}))
    scene.publish("--parts", "1")
    [seen] = looked_at(scene.comments)
    check_nothing_is_live(seen)


@pytest.mark.slow
def test_the_check_would_notice():
    texts = [f"{MARK} {text}" for text in LIVE]
    assert the_oracle_notices(texts) == [True] * len(texts)
    live = [
        "@octocat",
        "#12",
        "a5c3785ed8d6a35868bc169f07e40e889087fd2e",
        "octo-org/evals#1",
        "www.example.com",
        "<b x>",
    ]
    assert the_oracle_notices(live) == [True] * len(live)
    assert the_oracle_notices(["### Fine\n\n- `@octocat #12`\n", f"<pre>\n{MARK}\n</pre>"]) == [False, False]


@pytest.mark.parametrize("folder", ["remark", "prism"])
def test_a_lock_file_names_no_registry(folder: str):
    packages = json.loads((REMARK.parent / folder / "package-lock.json").read_text())["packages"]
    assert not [name for name, facts in packages.items() if "resolved" in facts]
    assert all("integrity" in facts for name, facts in packages.items() if name)
