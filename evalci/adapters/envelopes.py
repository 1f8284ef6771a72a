"""The envelopes of the protocol: what is said to an adapter, and its answer checked field by field."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from evalci.adapters.strict import NotOneObject, one_object
from evalci.model import Tokens
from evalci.wording import seen

Mode = Literal["behavior", "trigger"]
Condition = Literal["control", "treatment"]
Status = Literal["passed", "failed"]
MODES: Final[tuple[Mode, ...]] = ("behavior", "trigger")
MISSING_USAGE: Final = {"status": "missing"}


class Refused(ValueError):
    """An adapter's answer proves nothing; the message says which field, and why."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Provenance:
    """Where an answer came from. `tokens` is None when the adapter did not say."""

    request_id: str
    provider: str
    tokens: Tokens | None = None

    def usage(self) -> dict[str, Any]:
        """The token usage as records keep it: missing is said, and never a zero."""
        if self.tokens is None:
            return dict(MISSING_USAGE)
        return {"input_tokens": self.tokens.input, "output_tokens": self.tokens.output}


@dataclass(frozen=True, kw_only=True, slots=True)
class ExecutorAnswer:
    """An executor's accepted answer: `output` in mode behavior, `selected_skill` (or None) in mode trigger."""

    output: str | None = None
    selected_skill: str | None = None
    provenance: Provenance
    loaded_plugin_sha256: str | None
    clean_control: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeAnswer:
    """A judge's accepted answer on one assertion."""

    status: Status
    reason: str
    provenance: Provenance


def conditions_of(mode: Mode) -> tuple[Condition, ...]:
    """A trigger suite runs the treatment only; a behavior suite runs both."""
    return ("treatment",) if mode == "trigger" else ("control", "treatment")


def executor_request(*, condition: Condition, mode: Mode, prompt: str, plugin_archive: str | None) -> dict[str, Any]:
    """All that an executor is told. Case ids, expected values and routes have no way in here."""
    archive = None if condition == "control" else plugin_archive
    return {"condition": condition, "mode": mode, "prompt": prompt, "plugin_archive": archive}


def judge_request(*, case_id: str, prompt: str, output: str, assertion: Mapping[str, str]) -> dict[str, Any]:
    """All that a judge is told: one assertion, and neither condition nor archive."""
    about = {key: assertion[key] for key in ("id", "description", "oracle", "severity")}
    return {"case_id": case_id, "prompt": prompt, "output": output, "assertion": about}


def read_executor_answer(
    stdout: bytes, *, condition: Condition, mode: Mode, archive_sha256: str | None
) -> ExecutorAnswer:
    """The answer, if it proves where it came from. Raises `Refused`."""
    answer = _object(stdout)
    output = _text(answer, "output") if mode == "behavior" else None
    selected = _selected(answer) if mode == "trigger" else None
    loaded, clean = _loaded(answer), _flag(answer, "clean_control")
    if condition == "treatment":
        _check_treatment(loaded, clean, archive_sha256)
    else:
        _check_control(loaded, clean)
    return ExecutorAnswer(
        output=output,
        selected_skill=selected,
        provenance=_provenance(answer),
        loaded_plugin_sha256=loaded,
        clean_control=clean,
    )


def read_judge_answer(stdout: bytes) -> JudgeAnswer:
    """The binary verdict with its evidence. Raises `Refused`."""
    answer = _object(stdout)
    status = answer.get("status")
    if status not in ("passed", "failed"):
        shown = _shown(answer, "status")
        raise Refused(f'status must be "passed" or "failed", exactly so; got {shown}')
    reason = _text(answer, "reason")
    if not reason.strip():
        raise Refused("reason must say what in the output decides; it is blank")
    return JudgeAnswer(status=status, reason=reason, provenance=_provenance(answer))


def _object(stdout: bytes) -> dict[str, Any]:
    try:
        return one_object(stdout)
    except NotOneObject as exc:
        raise Refused(f"stdout must hold exactly one JSON object: {exc}") from exc


def _check_treatment(loaded: str | None, clean: bool, archive_sha256: str | None) -> None:
    if loaded is None:
        raise Refused("loaded_plugin_sha256 is null: a treatment that loaded nothing is no treatment")
    if loaded != archive_sha256:
        raise Refused(f"loaded_plugin_sha256 is {seen(loaded)}, but the evaluated archive is {archive_sha256}")
    if clean:
        raise Refused("clean_control is true: a treatment is no clean control")


def _check_control(loaded: str | None, clean: bool) -> None:
    if loaded is not None:
        raise Refused(f"loaded_plugin_sha256 must be null for a control; got {seen(loaded)}")
    if not clean:
        raise Refused("clean_control must be true for a control: project and global skills were not shown to be off")


def _provenance(answer: Mapping[str, Any]) -> Provenance:
    request_id, provider = _text(answer, "request_id"), _text(answer, "provider")
    for name, value in (("request_id", request_id), ("provider", provider)):
        if not value.strip():
            raise Refused(f"{name} must not be blank")
    if _flag(answer, "cache_hit"):
        raise Refused("cache_hit is true: a cached answer is no new measurement")
    return Provenance(request_id=request_id, provider=provider, tokens=_tokens(answer))


def _tokens(answer: Mapping[str, Any]) -> Tokens | None:
    usage = answer.get("token_usage")
    if usage is None:
        return None
    if not isinstance(usage, dict):
        raise Refused(f"token_usage must be an object with input_tokens and output_tokens; got {_kind(usage)}")
    counts = []
    for name in ("input_tokens", "output_tokens"):
        count = usage.get(name)
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise Refused(f"token_usage.{name} must be a whole number, 0 or more; got {_shown(usage, name)}")
        counts.append(count)
    return Tokens(*counts)


def _loaded(answer: Mapping[str, Any]) -> str | None:
    if "loaded_plugin_sha256" not in answer:
        raise Refused("loaded_plugin_sha256 is missing; a control says null")
    loaded = answer["loaded_plugin_sha256"]
    if loaded is not None and not isinstance(loaded, str):
        raise Refused(f"loaded_plugin_sha256 must be text or null; got {_kind(loaded)}")
    return loaded


def _selected(answer: Mapping[str, Any]) -> str | None:
    if "selected_skill" not in answer:
        raise Refused("selected_skill is missing; write null when none was selected")
    selected = answer["selected_skill"]
    if selected is not None and not isinstance(selected, str):
        raise Refused(f"selected_skill must be text or null; got {_kind(selected)}")
    return selected


def _text(answer: Mapping[str, Any], name: str) -> str:
    value = answer.get(name)
    if not isinstance(value, str):
        raise Refused(f"{name} must be text; got {_shown(answer, name)}")
    return value


def _flag(answer: Mapping[str, Any], name: str) -> bool:
    value = answer.get(name)
    if not isinstance(value, bool):
        raise Refused(f"{name} must be true or false; got {_shown(answer, name)}")
    return value


def _shown(answer: Mapping[str, Any], name: str) -> str:
    if name not in answer:
        return "nothing: the field is missing"
    value = answer[name]
    return seen(value) if isinstance(value, str) else _kind(value)


def _kind(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, float)):
        return f"the number {str(value)[:40]}"
    return "a list" if isinstance(value, list) else "an object"
