"""`pytest qa_eval.py`: runs what a Python suite registers, with the results of `evalci run qa_eval.py`.

Only files called `*_eval.py` or `eval_*.py` that import evalci are touched; any other test run never gets past the
check of a file's name.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from evalci.model import CaseResult, Report
    from evalci.pipeline import Plan, Surroundings


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--threshold` and `--evalci-cache`, unless another plug-in has an option of that name."""
    group = parser.getgroup("evalci", "suites written in Python")
    with suppress(ValueError):
        group.addoption(
            "--threshold", type=float, default=None, metavar="X", help="fail when an eval's mean score is below X"
        )
    with suppress(ValueError):
        group.addoption(
            "--evalci-cache",
            default="replay",
            choices=("auto", "replay", "live", "off"),
            help="where model calls are answered from (default: replay)",
        )


def pytest_pycollect_makemodule(module_path: Path, parent: Any) -> "EvalFile | None":
    """A suite's file in place of a module with tests; None for every other file."""
    stem = module_path.stem
    if not (stem.endswith("_eval") or stem.startswith("eval_")):
        return None
    try:
        text = module_path.read_bytes()
    except OSError:
        return None
    return EvalFile.from_parent(parent, path=module_path) if b"evalci" in text and b"evaluate(" in text else None


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The report of every suite that was run."""
    for report in terminalreporter.config.stash.get(_REPORTS, []):
        from evalci.reporters import Style, terminal

        terminalreporter.write_sep("-", f"evalci {report.suite.config}")
        terminalreporter.write(terminal.render(report, Style()) + terminal.verdict(report, Style()))


_REPORTS = pytest.StashKey[list["Report"]]()


class NotPassed(Exception):
    """A case, or an eval as a whole, did not pass; the text says why."""


class EvalFile(pytest.File):
    """One file: an item per case of each of its evals, and one for the verdict on each."""

    plan: "Plan"
    around: "Surroundings"

    def collect(self) -> Iterable[pytest.Item]:
        """Load the file; a mistake in it is a collection error."""
        import os

        from evalci.errors import EvalciError
        from evalci.pipeline import Request, Surroundings, prepare

        self.reports: dict[str, Report] | None = None
        self.around = Surroundings(environ=os.environ)
        try:
            self.plan = prepare(Request(config=self.path, cache=self.config.getoption("--evalci-cache")), self.around)
        except EvalciError as exc:
            raise self.CollectError("\n".join(exc.lines())) from exc
        return list(self._items())

    def _items(self) -> Iterator[pytest.Item]:
        for arm in self.plan.arms:
            for case in arm.cases:
                yield CaseItem.from_parent(self, name=f"{arm.name}[{case.id}]", eval_name=arm.name, case_id=case.id)
            yield VerdictItem.from_parent(self, name=f"{arm.name}: verdict", eval_name=arm.name)

    def report(self, eval_name: str) -> "Report":
        """One eval's report; the first question runs the whole file."""
        if self.reports is None:
            from evalci.assemble import Asked, run_suite
            from evalci.cli.loop import run_async

            asked = Asked(threshold=self.config.getoption("--threshold", None))
            whole = run_async(run_suite(self.plan, self.around, asked))
            self.config.stash.setdefault(_REPORTS, []).append(whole)
            self.reports = {arm.suite.target: arm for arm in whole.arms or (whole,)}
        return self.reports[eval_name]


class _EvalItem(pytest.Item):
    """What is common to cases and verdicts."""

    parent: EvalFile

    def __init__(self, *, eval_name: str, **more: Any) -> None:
        super().__init__(**more)
        self.eval_name = eval_name

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The reasons alone; a traceback through EvalCI tells its user nothing."""
        from evalci.errors import EvalciError

        if isinstance(excinfo.value, (NotPassed, EvalciError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, self.name


class CaseItem(_EvalItem):
    """One case: passed, failed with its reasons, or skipped where no scorer gave a verdict."""

    def __init__(self, *, case_id: str, **more: Any) -> None:
        super().__init__(**more)
        self.case_id = case_id

    def runtest(self) -> None:
        result: CaseResult = next(r for r in self.parent.report(self.eval_name).results if r.id == self.case_id)
        if result.status == "unjudged":
            pytest.skip("unjudged: no scorer gave a verdict")
        if result.status != "passed":
            raise NotPassed("\n".join((f"{result.status}", *result.failures())))


class VerdictItem(_EvalItem):
    """The verdict on an eval: its cases, its gates, and the threshold."""

    def runtest(self) -> None:
        verdict = self.parent.report(self.eval_name).verdict
        if not verdict.passed:
            raise NotPassed("\n".join(verdict.reasons))
