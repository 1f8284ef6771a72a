"""The example scorers that speak protocol ndjson, as they stand in the docs and in examples/fast-scorers."""

import asyncio
import io
import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from evalci.cli import main
from evalci.model import Output, Score
from evalci.scorers.subprocess import Subprocess
from evalci.scorers.subprocess_ndjson import NdjsonScorer
from tests.doubles import tools_in
from tests.factories import case

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "examples" / "fast-scorers"
PROTOCOL = (ROOT / "docs" / "scorer-protocol.md").read_text("utf-8")
COMMANDS = {"words.py": sys.executable, "brief.mjs": "node", "helpful.sh": "sh"}
NASTY = (
    'quotes " and \\" and \\\\, a line\nend, \r, \t, \u2028, \u2029, \x85, é, '
    '😀, {"id":9,"output":"x"}, $(id), `id`, %s'
)

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
SCORERS = [pytest.param(name, marks=needs_node if name == "brief.mjs" else ()) for name in COMMANDS]


def judged(name: str, outputs: list[str], **about: object) -> list[Score]:
    tools = tools_in(EXAMPLE, environ={"PATH": os.environ["PATH"]})
    scorer = Subprocess(cmd=f"exec {COMMANDS[name]} {EXAMPLE / name}", protocol="ndjson").build(tools)
    assert isinstance(scorer, NdjsonScorer)

    async def run() -> list[Score]:
        try:
            fields = {"input": NASTY, "expected": "a line", **about}
            return await asyncio.gather(*(scorer.score(case("c1", **fields), Output(text=text)) for text in outputs))
        finally:
            await scorer.close()

    return asyncio.run(run())


@pytest.mark.parametrize("name", SCORERS)
def test_an_example_reads_any_text(name: str) -> None:
    good = judged(name, [NASTY, "a line", NASTY * 20])
    assert good[1].passed
    assert all(score.error is None for score in good)


def test_the_examples_judge_as_they_say() -> None:
    words = judged("words.py", ["A line.", "a", "nothing"])
    assert [score.value for score in words] == [1.0, 1 / 2, 0.0]
    helpful = judged("helpful.sh", ["Yes.", "Sorry, no."], context=('"id":5,', "Sorry"), expected={"id": 7, "input": 1})
    assert [score.passed for score in helpful] == [True, False]


@needs_node
def test_the_example_in_node_counts_sentences() -> None:
    assert [score.passed for score in judged("brief.mjs", ["One. Two.", "One. Two! Three?"])] == [True, False]


@pytest.mark.parametrize("name", COMMANDS)
def test_an_example_in_the_docs_is_the_file(name: str) -> None:
    language = {"py": "python", "mjs": "js", "sh": "sh"}[name.rpartition(".")[2]]
    blocks = re.findall(rf"```{language}\n(.*?)```", PROTOCOL, re.DOTALL)
    code = (EXAMPLE / name).read_text("utf-8")
    body = re.sub(r'\A(""".*?"""\n|#!.*\n|#.*\n|//.*\n)*\n*', "", code)
    assert body == blocks[-1]
    assert len(body.splitlines()) <= 10


@needs_node
def test_the_suite_runs_as_its_readme_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "it")
    monkeypatch.chdir(tmp_path / "it")
    out = io.StringIO()
    words = ["run", "--baseline", "main", "--reporter", "json", "--no-history"]
    code = main(words, stdin=io.StringIO(), stdout=out, stderr=io.StringIO(), environ={"PATH": os.environ["PATH"]})
    report = json.loads(out.getvalue())
    assert (code, report["summary"]["passed"], report["summary"]["total"]) == (0, 5, 7)
    assert [score["scorer"] for score in report["results"][0]["scores"]] == ["program", "words", "brief", "helpful"]
