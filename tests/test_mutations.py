"""Deliberate breakages: each is put into a copy of the package, and the tests that are named beside it must notice."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
LINKED: Final = ("docs", "examples", "scripts", "README.md", "CONTRIBUTING.md")
UNIT: Final = "tests/unit"


@dataclass(frozen=True, slots=True)
class Breakage:
    """What goes wrong, the text in one file that makes it so, and the test file that must fail."""

    what: str
    file: str
    before: str
    after: str
    noticed_by: str

    def __str__(self) -> str:
        return self.what.replace(" ", "-")


BREAKAGES: Final = (
    Breakage(
        "a floor that is met exactly fails",
        "gates/bounds.py",
        "seen >= floor - TOLERANCE",
        "seen > floor",
        f"{UNIT}/gates/test_gate_bounds.py",
    ),
    Breakage(
        "a number that is none meets a floor",
        "gates/bounds.py",
        "passed = seen is not None and seen >= floor - TOLERANCE",
        "passed = seen is None or seen >= floor - TOLERANCE",
        f"{UNIT}/gates/test_gate_bounds.py",
    ),
    Breakage(
        "a run without cases passes",
        "gates/verdict.py",
        "    if not results:\n        yield",
        "    if False:\n        yield",
        f"{UNIT}/gates/test_gate_verdict.py",
    ),
    Breakage(
        "a failed gate does not count",
        "gates/verdict.py",
        "for gate in gates if not gate.passed",
        "for gate in gates if False",
        f"{UNIT}/gates/test_gate_verdict.py",
    ),
    Breakage(
        "a verdict that failed exits 0",
        "errors.py",
        "EXIT_FAILED: Final = 1",
        "EXIT_FAILED: Final = 0",
        f"{UNIT}/cli/test_main.py",
    ),
    Breakage(
        "the trial is no part of a key",
        "calls/endpoint.py",
        """b',"trial":%d}' % trial if trial else b"}\"""",
        '''b"}"''',
        f"{UNIT}/calls/test_call_keys.py",
    ),
    Breakage(
        "keys are hashed unsorted",
        "calls/endpoint.py",
        "return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)",
        "return orjson.dumps(value)",
        f"{UNIT}/calls/test_call_keys.py",
    ),
    Breakage(
        "an answer is not in the journal when it counts",
        "cassette/cassette.py",
        "        self._journal.append(line)\n",
        "",
        f"{UNIT}/cassette/test_cassette_journal.py",
    ),
    Breakage(
        "half a line stays in the journal",
        "cassette/journal.py",
        "            os.ftruncate(self._file, self._size)\n            raise",
        "            raise",
        f"{UNIT}/cassette/test_cassette_journal.py",
    ),
    Breakage(
        "recordings are written unsorted",
        "cassette/store.py",
        "keys = sorted(recordings)",
        "keys = list(recordings)",
        f"{UNIT}/cassette/test_cassette_store.py",
    ),
    Breakage(
        "a damaged line in the middle is skipped",
        "cassette/store.py",
        "if not exc.torn or any(map(bytes.strip, lines[number:])):",
        "if False:",
        f"{UNIT}/cassette/test_cassette_store.py",
    ),
    Breakage(
        "two answers to one key are settled silently",
        "cassette/store.py",
        "                raise _two_answers(item.key, paths)",
        "                recordings[item.key] = item",
        f"{UNIT}/cassette/test_cassette_store.py",
    ),
    Breakage(
        "a secret reaches the cassette",
        "cassette/cassette.py",
        "text = self._redactor.scrub(reply.text)",
        "text = reply.text",
        f"{UNIT}/cassette/test_cassette_modes.py",
    ),
    Breakage(
        "an encoded secret is not recognised",
        "cassette/redact.py",
        "    yield from _in_base64(secret.encode",
        "    yield from () and _in_base64(secret.encode",
        f"{UNIT}/cassette/test_redaction.py",
    ),
    Breakage(
        "a miss in a replay calls the model",
        "cassette/cassette.py",
        'if self.mode == "replay":\n            return self._replay',
        'if self.mode == "never":\n            return self._replay',
        f"{UNIT}/cassette/test_cassette_modes.py",
    ),
    Breakage(
        "a judge that missed its calibration lets a run pass",
        "evidence/calibration.py",
        "if calibrated is None or calibrated.met:",
        "if True:",
        f"{UNIT}/evidence/test_judge_calibration.py",
    ),
    Breakage(
        "an answer the judge gave no verdict on does not count",
        "evidence/calibration.py",
        "return not self.unmeasured and at_least",
        "return at_least",
        f"{UNIT}/evidence/test_judge_calibration.py",
    ),
    Breakage(
        "a manifest may list files that no record rests on",
        "evidence/verify.py",
        "in sorted(listed - known)",
        "in sorted(listed - listed)",
        f"{UNIT}/evidence/test_verify.py",
    ),
    Breakage(
        "a page need not be the one that comes of the records",
        "evidence/verify.py",
        "if (place / REPORT).read_bytes() != page.encode():",
        "if False:",
        f"{UNIT}/evidence/test_verify.py",
    ),
    Breakage(
        "an edited case keeps its accepted failure",
        "baseline/diff.py",
        "return before.content != content_digest(after.case)",
        "return False",
        f"{UNIT}/baseline/test_baseline_diff.py",
    ),
    Breakage(
        "a pass that lost its verdict is no regression",
        "baseline/diff.py",
        'return () if after == "passed" else ("regressed",)',
        'return ("regressed",) if is_failing(after) else ()',
        f"{UNIT}/baseline/test_baseline_diff.py",
    ),
    Breakage(
        "half a surrogate pair is kept",
        "unicode.py",
        'return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")',
        "return text",
        f"{UNIT}/datasets/test_datasets.py",
    ),
    Breakage(
        "data outside the project is read",
        "files.py",
        "if not self.allow_outside and not _inside(found, self.root):",
        "if False:",
        f"{UNIT}/test_files.py",
    ),
    Breakage(
        "a process that left its session outlives the job",
        "process/leftovers.py",
        "os.kill(pid, signal.SIGKILL)",
        "os.kill(pid, 0)",
        f"{UNIT}/process/test_process_hostile.py",
    ),
    Breakage(
        "yes and no are bools",
        "config/yaml_scalars.py",
        '_BOOLS: Final = {"true": True,',
        '_BOOLS: Final = {"yes": True, "no": False, "true": True,',
        f"{UNIT}/config/test_yaml_nodes.py",
    ),
    Breakage(
        "control characters reach the terminal",
        "reporters/sanitise.py",
        "return _UNSAFE.sub(_spelled, text)",
        "return text",
        f"{UNIT}/reporters/test_sanitise.py",
    ),
    Breakage(
        "text in a comment can mention people",
        "reporters/inert.py",
        "[&<>\\\"'`@#|",
        "[&<>\\\"'`#|",
        f"{UNIT}/reporters/test_inert.py",
    ),
    Breakage(
        "a judge may be quoted the verdict it gives",
        "scorers/judge_reply.py",
        "    if in_sight <= _scores(answer):\n",
        "    if False:\n",
        f"{UNIT}/scorers/test_judge_reply.py",
    ),
    Breakage(
        "a broken score has a value",
        "model/score.py",
        "if (self.value is None) == (self.error is None):",
        "if False:",
        f"{UNIT}/model/test_score.py",
    ),
    Breakage(
        "the budget is spent one case late",
        "summary/budget.py",
        "self._spent >= self._cap",
        "self._spent > self._cap",
        f"{UNIT}/summary/test_summary_budget.py",
    ),
    Breakage(
        "a request id may come again",
        "summary/proof.py",
        "if request_id not in self._given:",
        "if True:",
        f"{UNIT}/summary/test_summary_proof.py",
    ),
    Breakage(
        "each trial may give the same request id",
        "summary/proof.py",
        "enumerate(run.attempts)",
        "((0, attempt) for attempt in run.attempts[:1])",
        f"{UNIT}/summary/test_summary_proof.py",
    ),
    Breakage(
        "a judge that proved nothing leaves a run complete",
        "summary/proof.py",
        "if score.error is not None:",
        "if False:",
        f"{UNIT}/summary/test_summary_proof.py",
    ),
    Breakage(
        "an executor that proved nothing leaves a run complete",
        "summary/proof.py",
        "if executor and attempt.error is not None:",
        "if False:",
        f"{UNIT}/summary/test_summary_proof.py",
    ),
    Breakage(
        "a case is in two shards or none",
        "selection.py",
        '"big") % count + 1',
        '"big") % (count + 1) + 1',
        f"{UNIT}/test_selection.py",
    ),
    Breakage(
        "a percent sign hides a line end from the runner",
        "ci/commands.py",
        """text.replace("%", "%25").replace("\\r", "%0D").replace("\\n", "%0A")""",
        """text.replace("\\r", "%0D").replace("\\n", "%0A").replace("%", "%25")""",
        "tests/ci/test_commands.py",
    ),
    Breakage(
        "blank lines of a scorer hold the time limit off",
        "scorers/subprocess_ndjson.py",
        "            return True\n        answer = read_answer(line)",
        "            self._process and self._process.expect(self._take)\n            return True\n"
        "        answer = read_answer(line)",
        f"{UNIT}/scorers/test_ndjson_scorer.py",
    ),
    Breakage(
        "a program whose answer is late only stopped",
        "process/lines.py",
        "            self.was_late = True\n",
        "",
        f"{UNIT}/process/test_process_lines.py",
    ),
    Breakage(
        "equal calls are planned to be made twice",
        "planning.py",
        "each.key if each.whole else place",
        "place",
        f"{UNIT}/cli/test_plan.py",
    ),
    Breakage(
        "a price that is not known counts as nothing",
        "planning.py",
        '"at least" if part.cost_usd is None else part.certainty',
        "part.certainty",
        f"{UNIT}/cli/test_plan.py",
    ),
    Breakage(
        "what a pull request recorded anew is not told",
        "ci/evaluate.py",
        "if cassette_files(earlier):",
        "if False:",
        "tests/ci/test_ci_recordings.py",
    ),
)

_seconds = count(1_600_000_000)


@pytest.fixture(scope="session")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package and its tests, to be broken; the rest of the project is linked."""
    tree = tmp_path_factory.mktemp("mutations")
    ignored = shutil.ignore_patterns("__pycache__", "node_modules")
    shutil.copytree(ROOT / "evalci", tree / "evalci", ignore=ignored)
    shutil.copytree(ROOT / "tests", tree / "tests", ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tree)
    for name in LINKED:
        (tree / name).symlink_to(ROOT / name)
    return tree


def run_tests(tree: Path, *files: str) -> subprocess.CompletedProcess[str]:
    words = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:xdist"]
    words += ["-m", "not slow and not browser", "--hypothesis-profile=fast"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *words, *files],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        timeout=300,
    )


def write(path: Path, text: str) -> None:
    """Write a module so that no compiled form of another text is taken for it."""
    path.write_text(text, "utf-8")
    second = next(_seconds)
    os.utime(path, (second, second))


@pytest.mark.parametrize("breakage", BREAKAGES, ids=str)
def test_a_breakage_is_noticed(breakage: Breakage, copy: Path) -> None:
    path = copy / "evalci" / breakage.file
    sound = path.read_text("utf-8")
    assert sound.count(breakage.before) == 1, f"{breakage.file} holds {breakage.before!r} no more, or more than once"
    write(path, sound.replace(breakage.before, breakage.after))
    try:
        done = run_tests(copy, breakage.noticed_by)
    finally:
        write(path, sound)
    assert done.returncode == 1, done.stdout[-3000:] + done.stderr[-3000:]
    assert "failed" in done.stdout


@pytest.mark.parametrize("file", sorted({breakage.noticed_by for breakage in BREAKAGES}))
def test_without_a_breakage_the_same_tests_pass(file: str, copy: Path) -> None:
    done = run_tests(copy, file)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
