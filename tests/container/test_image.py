"""The real image in a real container: scripts/test-container builds it and calls this."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

IMAGE = os.environ.get("EVALCI_IMAGE", "")
TURNS = 5
BASE = os.environ.get("EVALCI_BASE", "")
EXAMPLES = Path(__file__).parents[2] / "examples"
SEALED = ["--network", "none", "--read-only", "--tmpfs", "/tmp"]
SEALED += ["--cap-drop", "ALL", "--security-opt", "no-new-privileges"]

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not IMAGE, reason="only scripts/test-container has an image")]

SUITE = """
targets: {echo: {type: shell, cmd: cat}}
datasets: [{file: cases.jsonl}]
scorers: [{type: contains, value: good}]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A project in a place that every user can reach."""
    place = Path("/tmp") / f"evalci-container-{os.getpid()}-{time.monotonic_ns()}"
    shutil.copytree(EXAMPLES / "support-bot", place)
    (place / "failing").mkdir()
    (place / "failing" / "evals.yaml").write_text(SUITE)
    (place / "failing" / "cases.jsonl").write_text('{"id": "a", "input": "good"}\n{"id": "b", "input": "bad"}\n')
    (place / "wrong.yaml").write_text("targetz: {}\n")
    yield place
    shutil.rmtree(place)


def owned_by(folder: Path, uid: int) -> None:
    for path in (folder, *folder.rglob("*")):
        os.chown(path, uid, uid)


def run_image(folder: Path, *words: str, options: tuple[str, ...] = (), mode: str = "") -> tuple[int, str]:
    command = ["podman", "run", "--rm", *SEALED, *options, "--volume", f"{folder}:/work{mode}", IMAGE, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("uid", [0, 1000, 65532])
def test_a_suite_is_replayed_as_any_user_and_what_it_leaves_belongs_to_them(folder: Path, uid: int) -> None:
    owned_by(folder, uid)
    words = ("run", "evals.yaml", "--baseline", "main", "--json", "evalci-report/report.json")
    code, said = run_image(folder, *words, options=("--user", f"{uid}:{uid}"))
    assert code == 0, said
    assert "16 replayed" in said
    report = folder / "evalci-report" / "report.json"
    assert (report.stat().st_uid, report.parent.stat().st_uid) == (uid, uid)
    assert {path.stat().st_uid for path in folder.rglob("*")} == {uid}


@pytest.mark.parametrize(("config", "expected"), [("failing/evals.yaml", 1), ("wrong.yaml", 2)])
def test_the_exit_code_passes_through(folder: Path, config: str, expected: int) -> None:
    code, said = run_image(folder, "run", config, "--no-history", options=("--user", "1000:1000"), mode=":ro")
    assert code == expected, said


def test_without_a_user_it_says_which_option_to_add(folder: Path) -> None:
    owned_by(folder, 1000)
    code, said = run_image(folder, "run", "evals.yaml", "--json", "report.json")
    assert code == 2
    assert '--user "$(id -u):$(id -g)"' in said


def test_where_nothing_can_be_written_it_says_what_to_mount(folder: Path) -> None:
    code, said = run_image(folder, "run", "evals.yaml", "--json", "report.json", mode=":ro")
    assert code == 2
    assert "--volume" in said


def test_the_image_is_small_on_top_of_its_base() -> None:
    sizes = [
        int(subprocess.check_output(["podman", "image", "inspect", "--format", "{{.Size}}", name], text=True))
        for name in (IMAGE, BASE)
    ]
    added = (sizes[0] - sizes[1]) / 1e6
    print(f"\nimage: {added:.1f} MB on top of its base")
    assert added < 120


def test_the_first_result_is_there_within_a_second_of_an_empty_container(folder: Path) -> None:
    replay = "/opt/evalci/bin/evalci run evals.yaml --baseline main --no-history"
    timed = f"began=$(date +%s%N); {replay} > /dev/null && echo $(( $(date +%s%N) - began ))"
    inside, added = [], []
    for _ in range(TURNS):
        began = time.monotonic()
        inside.append(int(start(folder, "sh", "-c", timed)) / 1e9)
        full = time.monotonic()
        start(folder, "true")
        added.append((full - began) - (time.monotonic() - full))
    print(f"\nstart to result: median {median(inside):.2f} s in the container, {spread(inside)};")
    print(f"on top of an empty container: median {median(added):.2f} s, {spread(added)}")
    # The difference of two starts is as noisy as the starts are; all that a run adds to one happens inside.
    assert median(inside) < 1
    assert min(added) < 1


def start(folder: Path, *words: str) -> str:
    entry = ["--entrypoint", words[0], IMAGE, *words[1:]]
    command = ["podman", "run", "--rm", *SEALED, "--volume", f"{folder}:/work:ro", *entry]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


def spread(seconds: list[float]) -> str:
    return f"{min(seconds):.2f} to {max(seconds):.2f}"
