"""A workspace with a suite, an event, a runner's files and a GitHub: the three steps as they run."""

import io
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalci.ci.connect import Reach
from evalci.ci.retry import Patience
from evalci.cli import ci_command, comment_command
from evalci.cli.console import Console
from evalci.cli.main import main
from evalci.errors import EvalciError

from . import github_shapes as shapes
from .clients import JumpingClock
from .fake_github import JOB_TOKEN, FakeGitHub
from .runner_oracle import outputs_of

HEAD, MERGE, BASE = "a" * 40, "e" * 40, "b" * 40
PULL = 7
PATH = ".github/workflows/evals.yml"
SUITE = """\
targets:
  echo: {type: shell, cmd: "COMMAND"}
datasets: [{file: cases.jsonl}]
scorers: [{type: contains, value: good}]
"""
CASES = [{"id": name, "input": f"good {name}"} for name in ("apple", "pear", "plum")]
# One answer of the three gets worse.
DROP = "sed s/good.plum/bad/"


@dataclass(frozen=True)
class Step:
    """What a step came to."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        return self.out + self.err


@dataclass
class Scene:
    """One job of one run. `environ` is what its steps see."""

    fake: FakeGitHub
    root: Path
    environ: dict[str, str] = field(default_factory=dict)
    clock: JumpingClock = field(default_factory=JumpingClock)
    patience: Patience = field(default_factory=lambda: Patience(attempts=2))

    def __post_init__(self) -> None:
        (self.root / ".git").mkdir(exist_ok=True)
        self.suite()
        self.arrives("pull_request")

    @property
    def config(self) -> Path:
        return self.root / "evals.yaml"

    @property
    def folder(self) -> Path:
        return self.root / "evalci-report"

    def suite(self, command: str = "cat", cases: list[dict[str, Any]] | None = None, more: str = "") -> None:
        self.config.write_text(SUITE.replace("COMMAND", command) + more)
        lines = (json.dumps(case) + "\n" for case in (CASES if cases is None else cases))
        (self.root / "cases.jsonl").write_text("".join(lines))

    def arrives(self, event: str, *, run: int = 900, attempt: int = 1, sha: str = HEAD, **facts: Any) -> None:
        """An event of the repository, with its payload made of the published one."""
        runner = self.root / f"runner-{event}-{run}-{attempt}"
        runner.mkdir(exist_ok=True)
        self.environ = {
            "PATH": os.environ["PATH"],
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(runner / "event.json"),
            "GITHUB_REPOSITORY": shapes.REPOSITORY,
            "GITHUB_REPOSITORY_ID": str(shapes.REPOSITORY_ID),
            "GITHUB_WORKFLOW_REF": f"{shapes.REPOSITORY}/{PATH}@refs/heads/main",
            "GITHUB_SHA": MERGE if event == "pull_request" else sha,
            "GITHUB_REF": "refs/pull/7/merge" if event == "pull_request" else "refs/heads/main",
            "GITHUB_RUN_ID": str(run),
            "GITHUB_RUN_ATTEMPT": str(attempt),
            "GITHUB_API_URL": self.fake.api_url,
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_OUTPUT": str(runner / "output"),
            "GITHUB_STEP_SUMMARY": str(runner / "summary"),
            "GITHUB_TOKEN": JOB_TOKEN,
        }
        self.summary, self.output = runner / "summary", runner / "output"
        payload = payload_of(event, sha, **facts)
        (runner / "event.json").write_text(json.dumps(payload))
        if event == "pull_request" and PULL not in self.fake.pulls:
            self.fake.add_pull(PULL, head_sha=sha, base_sha=BASE)
        if event == "pull_request":
            self.fake.pulls[PULL]["head"]["sha"] = sha

    # --- steps ------------------------------------------------------------------------------------------------------

    def restore(self, *words: str, configs: tuple[Path, ...] = ()) -> Step:
        return self._step("restore", *map(str, configs or (self.config,)), "--dir", str(self.folder), *words)

    def evaluate(self, *words: str, configs: tuple[Path, ...] = ()) -> Step:
        """Without tokens, as the Action starts it."""
        safe = ci_command.without_hidden(self.environ)
        words = (*map(str, configs or (self.config,)), "--dir", str(self.folder), *words)
        return self._step("evaluate", *words, environ=safe)

    def publish(self, *words: str) -> Step:
        return self._step("publish", "--dir", str(self.folder), *words)

    def comment(self, *words: str) -> Step:
        return self._as_main(comment_command.main, words, self.environ)

    def whole(self, *evaluate: str) -> tuple[Step, Step, Step]:
        return self.restore(), self.evaluate(*evaluate), self.publish("--parts", "1")

    def _step(self, *words: str, environ: Mapping[str, str] | None = None) -> Step:
        return self._as_main(ci_command.main, words, self.environ if environ is None else environ)

    def _as_main(self, command: Any, words: tuple[str, ...], environ: Mapping[str, str]) -> Step:
        """Streams handed in, a clock that jumps; what is raised is told as `evalci` tells it."""
        out, err = io.StringIO(), io.StringIO()
        console = Console(stdin=io.StringIO(), stdout=out, stderr=err, environ=environ)
        try:
            code = command(list(words), console, Reach(effects=self.clock.effects(), patience=self.patience))
        except EvalciError as exc:
            code = exc.exit_code
            err.write("\n".join(exc.lines()) + "\n")
        return Step(code, out.getvalue(), err.getvalue())

    # --- what there is afterwards -----------------------------------------------------------------------------------

    @property
    def comments(self) -> list[str]:
        return self.fake.bodies(PULL)

    @property
    def outputs(self) -> dict[str, str]:
        return outputs_of(self.output.read_text())

    def report(self, slug: str = "evals") -> dict[str, Any]:
        return json.loads((self.folder / slug / "report.json").read_text())

    def state(self) -> dict[str, bytes]:
        """What an upload of the state folder would hold."""
        top = self.folder / "state"
        return {path.relative_to(top).as_posix(): path.read_bytes() for path in top.rglob("*") if path.is_file()}

    def main_was_green(self, run: int = 100, *, sha: str = BASE, **facts: Any) -> dict[str, bytes]:
        """A green run of the default branch that left its state as an artifact."""
        before = self.environ
        self.arrives("push", run=run, sha=sha)
        self.restore()
        assert self.evaluate().code == 0
        state = self.state()
        self.fake.add_artifact("evalci-state", state, self.fake.add_run(run, head_sha=sha, **facts))
        self.environ = before
        self.summary, self.output = Path(before["GITHUB_STEP_SUMMARY"]), Path(before["GITHUB_OUTPUT"])
        return state


def payload_of(event: str, sha: str, **facts: Any) -> dict[str, Any]:
    """The payload of an event in our repository."""
    repository = {**shapes.repository(), "default_branch": "main"}
    if event == "pull_request":
        found = shapes.event("pull_request")
        found |= {"number": PULL, "pull_request": shapes.pull_request(PULL, head_sha=sha, base_sha=BASE, **facts)}
    elif event == "merge_group":
        found = shapes.event("merge_group")
        found["merge_group"] |= {"head_sha": sha, "base_sha": BASE, "base_ref": "refs/heads/main"}
        found["merge_group"] |= {"head_ref": f"refs/heads/gh-readonly-queue/main/pr-{PULL}-{BASE}"}
    elif event == "push":
        found = {**shapes.event("push"), "ref": "refs/heads/main", "before": BASE, "after": sha}
    elif event == "workflow_run":
        found = {**shapes.event("workflow_run"), "workflow_run": facts["of"]}
    else:
        found = {"schedule": "0 3 * * *"} if event == "schedule" else {"inputs": {}, "ref": "refs/heads/main"}
    return {**found, "repository": repository}


def run_main(*words: str, environ: Mapping[str, str]) -> Step:
    """The whole command line, with its own patience."""
    out, err = io.StringIO(), io.StringIO()
    code = main(list(words), stdin=io.StringIO(), stdout=out, stderr=err, environ=environ)
    return Step(code, out.getvalue(), err.getvalue())
