"""`evidence.yaml`: the suites of cases, and models and archive where the environment does not name them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from evalci.adapters.archive import Archive, read_archive
from evalci.adapters.envelopes import Mode
from evalci.config.decode import Decoder
from evalci.config.settings import Fault, setting
from evalci.config.yaml_nodes import read_yaml
from evalci.datasets import read_datasets
from evalci.errors import ConfigError, DatasetError, Problem, UsageError
from evalci.evidence.answers import read_answers
from evalci.evidence.assertions import JUDGE, AssertionMistake, assertions_of, semantic
from evalci.evidence.attempts import Question
from evalci.evidence.calibration import Calibration
from evalci.evidence.models import (
    ARCHIVE_VARIABLE,
    CONFIG_VARIABLE,
    Models,
    absolute,
    check_files,
    config_error,
    models_at,
)
from evalci.files import FileRefused, ProjectFiles
from evalci.tools import Tools
from evalci.wording import choices_hint, quoted

DEFAULT_CONFIG: Final = "evidence.yaml"


@dataclass(frozen=True, kw_only=True, slots=True)
class EvidenceSuite:
    """One suite of cases."""

    cases: str = setting(about="a JSONL file of cases with assertions, relative to this file")
    mode: Literal["behavior", "trigger"] = setting("behavior", about="are texts judged, or which skill is selected?")


@dataclass(frozen=True, kw_only=True, slots=True)
class ArchiveSettings:
    """The archive under evaluation."""

    file: str = setting(about="a tar.gz, relative to this file or absolute")
    sha256: str | None = setting(None, about="its digest, when no <archive>.sha256 lies beside it")


@dataclass(frozen=True, kw_only=True, slots=True)
class CalibrationSettings:
    """When the judge's word may decide: how far it must agree with people."""

    answers: str = setting(about="a JSONL file of answers that people judged, relative to this file")
    min_kappa: float = setting(about="the least Cohen's kappa between judge and people", low=-1, high=1)


@dataclass(frozen=True, kw_only=True, slots=True)
class EvidenceFile:
    """All that an `evidence.yaml` says."""

    suites: Mapping[str, EvidenceSuite] = setting(about="suites of cases, by name")
    models: Models | None = setting(None, about=f"models and adapters, when {CONFIG_VARIABLE} is not set")
    archive: ArchiveSettings | None = setting(None, about=f"what is evaluated, when {ARCHIVE_VARIABLE} is not set")
    calibration: CalibrationSettings | None = setting(None, about="what the judge must reach for its word to decide")

    def check(self, who: str) -> Iterator[Fault]:
        if not self.suites:
            yield Fault("suites", "at least one suite is required", "add it under `suites:`")


@dataclass(frozen=True, kw_only=True, slots=True)
class EvidencePlan:
    """A checked evidence suite: everything that a run needs, read and validated before the first call."""

    name: str
    mode: Mode
    catalog: bytes
    questions: tuple[Question, ...]
    models: Models
    archive: Archive
    calibration: Calibration | None = None
    warnings: tuple[str, ...] = ()


def load_plan(config: Path, name: str, environ: Mapping[str, str]) -> EvidencePlan:
    """The suite of that name, its cases, models and archive. Raises before anything is called."""
    file = read_evidence_file(config)
    if name not in file.suites:
        raise UsageError(f"unknown suite {quoted(name)}", hint=choices_hint("suites", name, file.suites))
    suite, folder = file.suites[name], config.absolute().parent
    models = _models(file, str(config), environ)
    files = ProjectFiles.around(folder)
    catalog = _bytes("dataset", suite.cases, folder, files)
    questions = read_questions(suite.cases, folder, files, suite.mode)
    calibration = _calibration(file.calibration, folder, files)
    archive = _archive(file, folder, environ)
    judged = any(semantic(question.assertions) for question in questions)
    return EvidencePlan(
        name=name,
        mode=suite.mode,
        catalog=catalog,
        questions=questions,
        models=models,
        archive=archive,
        calibration=calibration if judged else None,
        warnings=(*models.warnings(), *([_idle(name)] if calibration and not judged else [])),
    )


def read_evidence_file(config: Path) -> EvidenceFile:
    """What the file says. Raises `ConfigError` with every mistake in it."""
    name = str(config)
    try:
        data = config.read_bytes()
    except OSError as exc:
        message = f"cannot read the evidence config: {exc.strerror or exc}"
        raise ConfigError([Problem(file=name, message=message, hint="name it with --config")]) from exc
    node, problems = read_yaml(data, name=name)
    if node is None or problems:
        raise ConfigError([Problem(file=name, line=p.line, column=p.column, message=p.message) for p in problems])
    decoder = Decoder(name)
    file = decoder.block(node, EvidenceFile, "the evidence config", "")
    if file is None or decoder.problems:
        raise config_error(decoder)
    return file


def read_questions(cases: str, folder: Path, files: ProjectFiles, mode: Mode) -> tuple[Question, ...]:
    """Every case with its assertions. Raises `DatasetError` with all mistakes of the file."""
    dataset = read_datasets([cases], _tools(folder, files))
    questions, problems = [], []
    for case in dataset.cases:
        line = None if case.source is None else case.source.line
        if case.trace is not None:
            problems.append(
                Problem(file=cases, line=line, message=f"case {quoted(case.id)}: an executor takes no trace")
            )
            continue
        try:
            questions.append(Question(case=case, assertions=assertions_of(case, mode)))
        except AssertionMistake as exc:
            problems.append(Problem(file=cases, line=line, message=str(exc), hint=exc.hint))
    if problems:
        raise DatasetError(problems)
    return tuple(questions)


def _models(file: EvidenceFile, name: str, environ: Mapping[str, str]) -> Models:
    """The environment's word comes before the file's."""
    if file.models is None or environ.get(CONFIG_VARIABLE):
        return models_at(environ.get(CONFIG_VARIABLE))
    check_files(file.models, name)
    return file.models


def _archive(file: EvidenceFile, folder: Path, environ: Mapping[str, str]) -> Archive:
    stated = environ.get(ARCHIVE_VARIABLE)
    if file.archive is not None and not stated:
        return read_archive(folder / file.archive.file, file.archive.sha256)
    return read_archive(archive_path(stated), None)


def archive_path(stated: str | None) -> Path:
    """The path in ST_EVAL_PLUGIN_ARCHIVE. Raises `UsageError` when it is not set or not absolute."""
    return Path(absolute(stated, ARCHIVE_VARIABLE, "the archive under evaluation, a tar.gz"))


def _calibration(settings: CalibrationSettings | None, folder: Path, files: ProjectFiles) -> Calibration | None:
    """The calibration that the file asks for. Raises `DatasetError` with all mistakes of its answers."""
    if settings is None:
        return None
    data = _bytes("judged answers", settings.answers, folder, files)
    return Calibration(answers=read_answers(data, settings.answers), data=data, min_kappa=settings.min_kappa)


def _idle(name: str) -> str:
    return (
        f"the judge is not calibrated: no assertion of suite {quoted(name)} has the oracle {JUDGE}, so nobody asks it"
    )


def _bytes(what: str, name: str, folder: Path, files: ProjectFiles) -> bytes:
    try:
        return files.read(name, folder)
    except FileRefused as exc:
        raise DatasetError([Problem(file=name, message=f"failed to read {what} {exc}")]) from exc


def _tools(folder: Path, files: ProjectFiles) -> Tools:
    """What reading cases needs: files, and nothing else."""
    from evalci.calls.transport import Transport

    same: Callable[[str], str] = str
    return Tools(
        folder=folder,
        files=files,
        environ={},
        record=lambda caller: caller,
        scrub=same,
        known_secrets=same,
        transport=Transport(same),
        live=False,
    )
