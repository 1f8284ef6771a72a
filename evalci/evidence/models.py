"""Which models are measured, in which environment, through which adapters: JSON as the protocol has it, or YAML."""

import dataclasses
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

from evalci.adapters.settings import Adapter, missing_files
from evalci.adapters.strict import NotOneObject, one_object
from evalci.calls import digest
from evalci.cassette import Redactor
from evalci.config.decode import Decoder
from evalci.config.settings import Fault, setting
from evalci.config.yaml_nodes import Node, read_yaml
from evalci.errors import EXIT_INCOMPLETE, ConfigError, Problem, UsageError
from evalci.wording import quoted

CONFIG_VARIABLE: Final = "ST_EVAL_MODEL_CONFIG"
ARCHIVE_VARIABLE: Final = "ST_EVAL_PLUGIN_ARCHIVE"
_FLOATING: Final = frozenset({"latest", "newest", "current", "stable", "nightly", "main", "master", "head"})


class MissingAdapter(ConfigError):
    """An adapter is not there; the run would be incomplete, so it is, and nothing was called."""

    exit_code: ClassVar[int] = EXIT_INCOMPLETE


@dataclass(frozen=True, kw_only=True, slots=True)
class Models:
    """The resolved configuration. What is secret is not in it: keys are named in `pass_env`."""

    environment_id: str = setting(about="an immutable name of the environment, such as region/image@sha256:…")
    executor_model: str = setting(about="an immutable name of the model under test")
    judge_model: str = setting(about="an immutable name of the judging model")
    executor_parameters: Mapping[str, Any] = setting(about="the resolved generation parameters of the executor")
    judge_parameters: Mapping[str, Any] = setting(about="the resolved generation parameters of the judge")
    executor: Adapter = setting(about="the adapter that executes cases")
    judge: Adapter = setting(about="the adapter that judges semantic assertions")

    def check(self, who: str) -> Iterator[Fault]:
        for name in ("environment_id", "executor_model", "judge_model"):
            if not getattr(self, name).strip():
                yield Fault(name, f"{name} must not be blank", "name it so that nobody can mistake it for another")
        redactor = Redactor()
        for name in ("environment_id", "executor_model", "judge_model", "executor_parameters", "judge_parameters"):
            value = getattr(self, name)
            if redactor.scrub_value(value) != value:
                hint = "hand it to the adapter in a variable that pass_env names"
                yield Fault(name, f"{name} holds what looks like a secret", hint)

    @property
    def digest(self) -> str:
        """SHA-256 of the resolved configuration as compact JSON with sorted keys in UTF-8."""
        return digest(self.plain())

    def plain(self) -> dict[str, Any]:
        """All of it as data, defaults filled in."""
        return dataclasses.asdict(self)

    def warnings(self) -> Iterator[str]:
        """Names that may stand for something else tomorrow."""
        for name in ("environment_id", "executor_model", "judge_model"):
            value = getattr(self, name)
            if floating := _FLOATING & set(re.split(r"[^a-z0-9]+", value.lower())):
                word = quoted(min(floating))
                yield f"{name} {quoted(value)} floats: what {word} stands for changes; name an immutable version"


def models_at(path: str | None, exists: Callable[[str], bool] = os.path.isfile) -> Models:
    """The configuration that ST_EVAL_MODEL_CONFIG names. Raises `UsageError` or `ConfigError`."""
    path = absolute(path, CONFIG_VARIABLE, "a JSON file with the models and their adapters")
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as exc:
        raise UsageError(f"cannot read {CONFIG_VARIABLE}: {getattr(exc, 'strerror', exc)}") from exc
    return models_from_json(data, Path(path).name, exists)


def models_from_json(data: bytes, name: str, exists: Callable[[str], bool] = os.path.isfile) -> Models:
    """The configuration in a JSON text. Raises `ConfigError` with every mistake in it."""
    try:
        one_object(data)
    except NotOneObject as exc:
        raise ConfigError([Problem(file=name, message=f"the model config must be one JSON object: {exc}")]) from exc
    # JSON is YAML but for tabs between its tokens, and read as YAML it has lines and columns.
    node, problems = read_yaml(data.replace(b"\t", b" "), name=name)
    if node is None:
        raise ConfigError([Problem(file=name, line=p.line, column=p.column, message=p.message) for p in problems])
    decoder = Decoder(name)
    models = decode_models(node, decoder, "the model config")
    if models is None:
        raise config_error(decoder)
    check_files(models, name, exists)
    return models


def decode_models(node: Node, decoder: Decoder, path: str) -> Models | None:
    """The configuration of a node, None with its problems noted."""
    return decoder.block(node, Models, path, "")


def check_files(models: Models, name: str, exists: Callable[[str], bool] = os.path.isfile) -> None:
    """Raises `MissingAdapter` when the executable or a script of an adapter is not there."""
    problems = [
        Problem(file=name, message=f"missing adapter: the {who} command names {quoted(file)}, which is no file")
        for who, adapter in (("executor", models.executor), ("judge", models.judge))
        for file in missing_files(adapter.command, exists)
    ]
    if problems:
        raise MissingAdapter(problems)


def config_error(decoder: Decoder) -> ConfigError:
    """The error for what a decoder met; a config that only lacks an adapter is an incomplete run."""
    lacking = [re.search(r'lacks the key "(executor|judge)"', problem.message) for problem in decoder.problems]
    return (MissingAdapter if all(lacking) else ConfigError)(decoder.problems)


def absolute(path: str | None, variable: str, about: str) -> str:
    """A path from the environment. Raises `UsageError` when it is not set or not absolute."""
    if not path:
        raise UsageError(f"{variable} is not set", hint=f"set it to the absolute path of {about}")
    if not Path(path).is_absolute():
        hint = f"set it to the absolute path of {about}"
        raise UsageError(f"{variable} must be an absolute path, got {quoted(path)}", hint=hint)
    return path
