"""What we ship for GitHub, and show in our docs, passes the checkers that people run on their own."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.ci.node_packages import need_packages

from .conftest import ROOT

HERE = Path(__file__).parent
ACTIONS = [ROOT / "action.yml", ROOT / "comment" / "action.yml"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
SCRIPTS = [
    ROOT / "action/step",
    *(ROOT / "scripts" / name for name in ("test-container", "test-arm64", "test-python", "build-pyz", "pin-image")),
]

pytestmark = pytest.mark.slow


def passes(*command: str | Path) -> None:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def shown_workflows(folder: Path) -> list[Path]:
    """The workflows of the docs, as files."""
    found = [folder / "scaffold.yml"]
    found[0].write_bytes((ROOT / "evalci/scaffold/workflow.yml").read_bytes())
    for page in sorted((ROOT / "docs").glob("*.md")):
        for number, text in enumerate(
            re.findall(r"^```yaml\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
        ):
            if re.search(r"^on:", text, re.MULTILINE) and re.search(r"^jobs:", text, re.MULTILINE):
                found.append(folder / f"{page.stem}-{number}.yml")
                found[-1].write_text(text)
    return found


def test_no_security_finding_in_actions_and_workflows(tools: Path) -> None:
    passes(tools / "zizmor", "--offline", "--config", ROOT / ".github/zizmor.yml", *ACTIONS, *WORKFLOWS)


def test_the_workflows_are_right(tools: Path) -> None:
    passes(tools / "actionlint", "-shellcheck", tools / "shellcheck", *WORKFLOWS)


def test_the_workflows_of_the_docs_are_right_and_safe(tools: Path, tmp_path: Path) -> None:
    workflows = shown_workflows(tmp_path)
    assert len(workflows) >= 4
    passes(tools / "actionlint", "-shellcheck", tools / "shellcheck", *workflows)
    passes(tools / "zizmor", "--offline", "--config", HERE / "zizmor-docs.yml", *workflows)


def test_the_actions_fit_their_schema() -> None:
    need_packages(HERE)
    for action in ACTIONS:
        passes(HERE / "node_modules/.bin/action-validator", action)


def test_the_shell_scripts_are_right(tools: Path) -> None:
    passes(tools / "shellcheck", "-x", "--exclude", "SC2153", *SCRIPTS)


@pytest.mark.parametrize("path", [*ACTIONS, *WORKFLOWS], ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_foreign_action_is_a_full_commit_and_no_script_is_pasted_into(path: Path) -> None:
    text = path.read_text("utf-8")
    for uses in re.findall(r"uses: +(\S+)", text):
        assert uses.startswith("./") or re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", uses), uses
    for step in steps_of(yaml.safe_load(text)):
        assert "${{" not in str(step.get("run", "")), step


def test_the_docs_tell_of_every_input_and_output() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    page = (ROOT / "docs/github.md").read_text("utf-8")
    rows = re.findall(r"^\| (`[^|]+`) \|", page, re.MULTILINE)
    told = {name for row in rows for name in re.findall(r"`([\w-]+)`", row)}
    assert {*action["inputs"], *action["outputs"]} <= told


def steps_of(data: dict) -> list[dict]:
    if "runs" in data:
        return data["runs"]["steps"]
    return [step for job in data["jobs"].values() for step in job.get("steps", [])]


def test_both_actions_name_the_same_released_image() -> None:
    images = [re.findall(r"RELEASED_IMAGE: (.*)", path.read_text("utf-8")) for path in ACTIONS]
    assert images[0] == images[1]
    assert len(images[0]) == 1
