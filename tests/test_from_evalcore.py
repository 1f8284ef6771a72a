"""The suites that were written from EvalCore's reference run as they are, and use nothing that EvalCI adds."""

import shutil
from pathlib import Path

import pytest

from evalci.config.yaml_nodes import plain, read_yaml
from tests.unit.cli.test_main import Run

HERE = Path(__file__).parent.parent / "examples" / "from-evalcore"
RUNS = [("answers", "model"), ("answers", "endpoint"), ("answers", "program"), ("agent", "agent")]
OURS = {"name", "limits", "protocol", "choices", "full", "engine", "scorer_errors", "isolate", "calibrated"}


@pytest.mark.parametrize(("folder", "target"), RUNS)
@pytest.mark.slow
def test_a_suite_replays_to_the_accepted_verdict(
    folder: str, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(HERE / folder, tmp_path / folder)
    monkeypatch.chdir(tmp_path / folder)
    label = "main" if folder == "agent" else target
    run = Run("run", "--target", target, "--baseline", label, "--no-history")
    assert run.code == 0, run.out + run.err


def test_the_suites_use_every_target_and_scorer_of_evalcore_and_no_key_of_ours() -> None:
    suites = []
    for path in sorted(HERE.glob("*/evals.yaml")):
        root, problems = read_yaml(path.read_bytes(), name=path.name)
        assert root is not None
        assert not problems
        suites.append(plain(root))
    targets = [target for suite in suites for target in suite["targets"].values()]
    scorers = [scorer for suite in suites for scorer in suite["scorers"]]
    assert {target["type"] for target in targets} == {"openai-compatible", "http", "shell", "trace"}
    kinds = {"contains", "exact", "regex", "json-schema", "subprocess", "similarity", "judge", "trajectory"}
    assert {scorer["type"] for scorer in scorers} == kinds
    assert not OURS & {key for block in (*targets, *scorers, *(suite["run"] for suite in suites)) for key in block}
