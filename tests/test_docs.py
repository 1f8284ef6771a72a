"""What the documents show is run: suites validate, rows are cases, code works, commands end as the text says."""

import asyncio
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

import pytest

from evalci.cli.main import COMMANDS
from evalci.config.yaml_nodes import plain, read_yaml
from evalci.gates import GATES
from evalci.model import Output
from evalci.program import DiffType, IProgram
from evalci.scorers import SCORERS
from evalci.targets import TARGETS
from tests.documents import ROOT, Block, anchors, blocks, blocks_of, inline_commands, links, pages, read
from tests.factories import case
from tests.unit.cli.test_main import Run

# What pages speak of and nobody has built yet, each with what it waits for. Empty when everything is built.
LINKS_WAITING: Final[dict[str, str]] = {}
COMMANDS_WAITING: Final[dict[str, str]] = {}

SUITE_KEYS: Final = {"targets", "datasets", "scorers", "run"}
SUITE: Final[Mapping[str, Any]] = {
    "targets": {"bot": {"type": "shell", "cmd": "cat"}},
    "datasets": [{"file": "cases.jsonl"}],
    "scorers": [{"type": "contains", "value": "30 days"}],
}
ROW: Final = '{"id": "refund-1", "input": "How long do refunds take?", "expected": "30 days", "trace": "t.json"}\n'
# The example that a page outside of examples/ speaks of, where it is not the support bot.
PLACES: Final = {"docs/calibration.md": "examples/calibrate"}
# Commands that are started as they are shown; what follows any other in its block is left out with it.
STARTED: Final = {"cd", "evalci", "scripts/demo"}
NOT_STARTED: Final = {"scripts/test", "scripts/record-examples", "docker", "git", "npm", "uv", "gh", "pip", "python"}


# --- YAML and JSON --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", blocks("yaml"), ids=str)
def test_a_yaml_example_is_a_sound_suite_or_workflow(
    block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, problems = read_yaml(block.text.encode(), name="evals.yaml")
    assert root is not None
    assert not problems
    shown = plain(root)
    if _is_workflow(shown):
        return
    if block.page == "docs/gitlab.md":
        assert all("script" in job or name in ("stages", ".evals") for name, job in shown.items())
        return
    if "suites" in shown:
        return  # evidence.yaml, whose models and digests are placeholders
    text = block.text if "targets" in shown else json.dumps(_as_suite(shown))
    text = text.replace("/opt/", f"{tmp_path}/")
    (tmp_path / "evals.yaml").write_text(text, "utf-8")
    _lay_out(block, plain(read_yaml(text.encode(), name="evals.yaml")[0]), tmp_path)
    monkeypatch.chdir(tmp_path)
    run = Run("validate")
    assert run.code == 0, run.err


def _is_workflow(shown: Any) -> bool:
    """A whole workflow or the steps of one; what is wrong with it fails here."""
    jobs = shown.get("jobs") if isinstance(shown, dict) else None
    steps = shown.get("steps") if isinstance(shown, dict) else shown
    if jobs is not None:
        assert set(shown) <= {"name", "on", "permissions", "concurrency", "env", "jobs", "defaults"}
        assert "permissions" in shown, "a workflow that is copied should ask for no more rights than it needs"
        steps = [step for job in jobs.values() for step in job.get("steps", [{"uses": job.get("uses", "")}])]
    if not (isinstance(steps, list) and steps and all({"uses", "run"} & set(step) for step in steps)):
        return False
    for step in steps:
        used = step.get("uses", "")
        pinned = re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", used) or used.startswith(("org/evalci", "./"))
        assert "run" in step or pinned, f"{used} is not pinned to a commit"
    return True


def _as_suite(fragment: Any) -> dict[str, Any]:
    """A part of a suite with a small suite around it."""
    if isinstance(fragment, dict) and set(fragment) <= SUITE_KEYS:
        return {**SUITE, **fragment}
    items = fragment if isinstance(fragment, list) else [fragment]
    if all(item.get("type") in SCORERS for item in items):
        return {**SUITE, "scorers": items}
    if all(item.get("type") in TARGETS for item in items):
        return {**SUITE, "targets": {f"t{number}": item for number, item in enumerate(items)}}
    if all(item.get("type") in GATES for item in items):
        return {**SUITE, "run": {"gates": items}}
    return {**SUITE, "run": fragment}


def _lay_out(block: Block, suite: Any, folder: Path) -> None:
    """The files that the suite names: the page's own where it shows them."""
    for dataset in suite["datasets"]:
        (folder / dataset["file"]).write_text(ROW, "utf-8")
    for scorer in suite["scorers"]:
        if "schema" in scorer:
            (folder / scorer["schema"]).write_text("{}", "utf-8")
        if "calibrated" in scorer:
            (folder / scorer["calibrated"]["labels"]).write_text('{"case_id": "refund-1", "passed": true}\n', "utf-8")
        if scorer["type"] == "python":
            shown = [other.text for other in blocks_of(block.page) if other.language == "python"]
            name, _, function = scorer["function"].partition(":")
            (folder / name).write_text(next(text for text in shown if f"def {function}(" in text), "utf-8")
    for part in (*suite["targets"].values(), *(scorer.get("adapter", {}) for scorer in suite["scorers"])):
        for name in (part.get("path"), part.get("archive"), *part.get("command", ())[1:]):
            if name is not None:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                _write_program_or_archive(folder / name)


def _write_program_or_archive(path: Path) -> None:
    if path.suffix != ".gz":
        path.write_text("#!/bin/sh\ncat\n", "utf-8")
        path.chmod(0o755)
        return
    with tarfile.open(path, "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("skill.md"))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    path.with_name(f"{path.name}.sha256").write_text(f"{digest}  {path.name}\n", "utf-8")


@pytest.mark.parametrize("block", blocks("json", "jsonl"), ids=str)
def test_a_json_example_is_strict_json_and_a_row_is_a_case(
    block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        values = [json.loads(block.text)]
    except ValueError:
        values = [json.loads(line) for line in block.text.splitlines()]
    if not all(isinstance(value, dict) and "id" in value and {"input", "trace"} & set(value) for value in values):
        return
    (tmp_path / "cases.jsonl").write_text(block.text, "utf-8")
    (tmp_path / "evals.yaml").write_text(json.dumps(SUITE), "utf-8")
    monkeypatch.chdir(tmp_path)
    run = Run("validate")
    assert run.code == 0, run.err


# --- code -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", blocks("python"), ids=str)
def test_a_python_example_compiles_and_imports_what_there_is(block: Block) -> None:
    compile(block.text, str(block), "exec")
    for module, names in re.findall(r"^from (evalci[\w.]*) import (.+)$", block.text, re.MULTILINE):
        for name in names.strip("()").split(","):
            assert hasattr(import_module(module), name.split(" as ")[0].strip()), f"{module} has no {name}"


def test_the_scorer_that_contributing_shows_scores() -> None:
    (shown,) = [block for block in blocks_of("CONTRIBUTING.md") if block.language == "python"]
    names: dict[str, Any] = {"__name__": "shout"}
    exec(compile(shown.text, str(shown), "exec"), names)
    scorer = names["Shout"]()
    loud = asyncio.run(scorer.score(case("c"), Output(text="ALL 30 DAYS")))
    small = asyncio.run(scorer.score(case("c"), Output(text="thirty days")))
    assert (loud.passed, small.passed, small.reason) == (True, False, 'wanted capitals, saw "thirty days"')


def test_contributing_names_only_what_there_is() -> None:
    text = read("CONTRIBUTING.md")
    for path in re.findall(r"`((?:evalci|tests|docs|scripts)/[\w./-]+\w)`", text):
        assert "shout" in path or (ROOT / path).exists(), path


def test_the_verdict_command_of_the_scorers_page_answers_the_case_it_shows() -> None:
    shown = {block.language: block.text for block in blocks_of("docs/scorers.md") if block.section == "subprocess"}
    done = subprocess.run(
        [sys.executable, "-c", shown["python"]], input=shown["json"].strip(), capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == {"score": 1.0, "passed": True, "reason": "2 of 2 words"}


def test_the_python_evaluator_of_the_targets_page_scores_a_program(tmp_path: Path) -> None:
    (shown,) = [block for block in blocks_of("docs/targets.md") if block.language == "python"]
    program_file = tmp_path / "upper.py"
    program_file.write_text("print(input().upper(), end='')\n", "utf-8")
    names: dict[str, Any] = {"program": _Program(program_file)}
    exec(compile(shown.text, str(shown), "exec"), names)
    assert names["score"] == 1.0, names["metadata"]


class _Program(IProgram):
    """A program that is a file and nothing else."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def get_path(self) -> str:
        return str(self._path)

    def diff(self, other: IProgram) -> DiffType:
        return {}

    def apply_diff(self, diff: DiffType) -> IProgram:
        return self

    def validate(self) -> bool:
        return True

    def clone(self) -> IProgram:
        return self


# --- commands -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", blocks("sh", "bash", "shell"), ids=str)
@pytest.mark.slow
def test_shown_commands_run_offline_and_end_as_the_text_says(block: Block, tmp_path: Path) -> None:
    if not re.search(r"^\W*(?:evalci|scripts/|cd )", block.text, re.MULTILINE):
        subprocess.run(["/bin/sh", "-n"], input=block.text, text=True, check=True)
        return
    lines = list(takewhile(lambda line: _first_word(line) in STARTED, _commands(block.text)))
    others = {_first_word(line) for line in _commands(block.text)} - STARTED - NOT_STARTED
    assert all("=" in word for word in others), f"{block} shows commands that no test knows"
    if not lines:
        return
    if "node" in block.text and shutil.which("node") is None:
        pytest.skip("needs node")
    copy = _copy_of_the_project(tmp_path)
    done = subprocess.run(
        ["/bin/sh", "-e", "-c", "\n".join(lines)],
        cwd=copy / _folder(block),
        env={"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    said = re.search(r"exit code (?:is |of )?(\d+)", block.after)
    assert done.returncode == (int(said[1]) if said else 0), done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def _commands(text: str) -> list[str]:
    lines = text.replace("\\\n", " ").splitlines()
    return [line for line in lines if line.strip() and not line.strip().startswith("#")]


def _first_word(line: str) -> str:
    return shlex.split(line.strip().lstrip("("), comments=True)[0]


def _folder(block: Block) -> str:
    """Where a reader stands: at the root when the block says where to go, else in the folder the page speaks of."""
    if re.search(r"\bexamples/|^scripts/", block.text):
        return "."
    if block.page.startswith("examples/"):
        return str(Path(block.page).parent)
    return PLACES.get(block.page, "examples/support-bot")


def _copy_of_the_project(folder: Path) -> Path:
    """Scripts and examples, with an environment that is already made and has this evalci in it."""
    copy = folder / "project"
    shutil.copytree(ROOT / "examples", copy / "examples", ignore=shutil.ignore_patterns("history.db*"))
    shutil.copytree(ROOT / "scripts", copy / "scripts")
    for name in ("requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, copy)
    (copy / ".git").mkdir()
    for place in (folder / "bin", copy / ".cache" / "venv-run" / "bin"):
        place.mkdir(parents=True)
        command = place / "evalci"
        command.write_text(
            f'#!/bin/sh\nPYTHONPATH={shlex.quote(str(ROOT))} exec {shlex.quote(sys.executable)} -m evalci "$@"\n'
        )
        command.chmod(0o755)
    made_from = (
        'printf "%s %s\\n" "$(cat requirements.lock pyproject.toml | cksum)" "$(pwd)" > .cache/venv-run/.made-from'
    )
    subprocess.run(["/bin/sh", "-c", made_from], cwd=copy, check=True)
    return copy


@pytest.mark.parametrize("page", pages())
def test_a_command_in_the_text_is_one_that_there_is(page: str) -> None:
    helps: dict[tuple[str, ...], str] = {}
    for command in inline_commands(page):
        words = [word for word in command.split()[1:] if word != "…"]
        if words[0] in COMMANDS_WAITING or words[0].startswith("-"):
            continue
        assert words[0] in COMMANDS, f"{page}: `{command}`"
        for known in ((words[0],), tuple(words[:2])):
            if known not in helps and (len(known) == 1 or known[0] in ("cassette", "baseline", "ci")):
                helps[known] = Run(*known, "--help").out
        told = " ".join(text for known, text in helps.items() if known[0] == words[0])
        for flag in re.findall(r"--[a-z-]+", command):
            assert flag in told, f"{page}: `{command}`: no {flag}"


# --- links and words ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", pages())
def test_relative_links_lead_somewhere(page: str) -> None:
    for link in links(page):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        there = os.path.relpath((ROOT / page).parent / path, ROOT) if path else page
        if there in LINKS_WAITING and not (ROOT / there).exists():
            continue
        assert (ROOT / there).exists(), f"{page} links to {link}"
        if anchor:
            assert anchor in anchors(there), f"{page} links to {link}"


def test_what_waits_is_still_missing() -> None:
    assert [link for link in LINKS_WAITING if (ROOT / link).exists()] == [], "take these out of LINKS_WAITING"
    assert set(COMMANDS_WAITING) & _with_a_module() == set(), "take these out of COMMANDS_WAITING"


def _with_a_module() -> set[str]:
    folder = ROOT / "evalci" / "cli"
    return {name for name in COMMANDS_WAITING if name in COMMANDS and (folder / f"{name}_command.py").exists()}


FORBIDDEN: Final = {
    "the name on the package index belongs to another project": r"pip3? install (?:-\S+ )*evalci\b(?!-)",
    "a path of somebody's machine": r"(?<![\w.])(?<!--tmpfs )/(?:home|root|Users|tmp|mnt|srv|work/\w)[\w/.-]*",
    "a host of somebody's network": r"--(?:extra-)?index-url|//(?:[\w-]+\.)*(?:pypi|registry|artifactory|nexus)\b",
}


@pytest.mark.parametrize("why", FORBIDDEN)
def test_no_page_or_script_holds(why: str) -> None:
    scripts = [path for path in (ROOT / "scripts").iterdir() if path.is_file()]
    locks = [*ROOT.glob("*.lock"), ROOT / "pyproject.toml", ROOT / ".ci" / "run"]
    for path in [*(ROOT / page for page in pages()), *scripts, *locks]:
        found = re.search(FORBIDDEN[why], path.read_text("utf-8"))
        assert found is None, f"{path.name}: {found[0]}"
