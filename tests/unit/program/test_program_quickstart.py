"""The quickstart of the evaluator that `evalci.program` stands in for, with only its imports changed."""

import subprocess
import sys
from pathlib import Path

QUICKSTART = Path(__file__).with_name("quickstart.py")


def test_the_quickstart_prints_what_it_promises() -> None:
    done = subprocess.run([sys.executable, str(QUICKSTART)], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["Score: 1.0", "Stdout: hello from subprocess", "Reason: success"]


def test_another_expectation_is_a_mismatch() -> None:
    namespace: dict[str, object] = {"__name__": "quickstart"}
    exec(compile(QUICKSTART.read_text("utf-8"), str(QUICKSTART), "exec"), namespace)
    score, metadata = namespace["run_example"](expected_output="goodbye")  # type: ignore[operator]
    assert (score, metadata["reason"], metadata["output_match"]) == (0.7, "output_mismatch", False)
