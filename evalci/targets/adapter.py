"""An executor adapter as a target: the protocol of evidence runs in an ordinary suite. Its calls are never recorded."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from evalci.adapters.archive import Archive, ArchiveError, read_archive
from evalci.adapters.call import ArchiveCopy, Called, call_adapter
from evalci.adapters.envelopes import ExecutorAnswer, Refused, conditions_of, executor_request, read_executor_answer
from evalci.adapters.settings import Adapter, check_command, check_names, check_there
from evalci.config.settings import Fault, setting
from evalci.model import Case, Output, TargetError
from evalci.tools import Tools


@dataclass(frozen=True, kw_only=True, slots=True)
class AdapterTarget:
    """Starts the executor once per case, with the case's input as the prompt and nothing else of the case."""

    command: tuple[str, ...] = setting(about="a list of words: an absolute executable, then its arguments")
    archive: str | None = setting(None, about="the tar.gz that the treatment loads, relative to the config")
    archive_sha256: str | None = setting(None, about="its digest, when no <archive>.sha256 lies beside it")
    condition: Literal["treatment", "control"] = setting("treatment", about="is the archive loaded?")
    mode: Literal["behavior", "trigger"] = setting("behavior", about="is the output a text, or the skill selected?")
    timeout_seconds: float = setting(120.0, about="time for one call", low=0.01, high=86_400)
    pass_env: tuple[str, ...] = setting((), about="names of variables that the adapter may see, keys among them")

    def check(self, who: str) -> Iterator[Fault]:
        yield from check_command(self.command, who)
        yield from check_names(self.pass_env, who)
        if self.condition == "treatment" and self.archive is None:
            yield Fault("", f"{who}: a treatment needs an archive", "add `archive:`, or set `condition: control`")
        if self.condition not in conditions_of(self.mode):
            yield Fault("condition", f"{who}: mode {self.mode} runs the treatment only", "set `condition: treatment`")

    def build(self, tools: Tools) -> "AdapterExecutor":
        check_there(self.command, "command")
        archive = None
        if self.archive is not None and self.condition == "treatment":
            try:
                archive = read_archive(tools.folder / self.archive, self.archive_sha256)
            except ArchiveError as exc:
                raise Fault("archive", exc.message, exc.hint) from exc
        return AdapterExecutor(self, tools, archive)


class AdapterExecutor:
    """Asks, checks the envelope, and notes the request id of every accepted answer by case and trial."""

    never_recorded = "adapter calls are never recorded"

    def __init__(self, settings: AdapterTarget, tools: Tools, archive: Archive | None) -> None:
        self._settings = settings
        self._tools = tools
        self._archive = archive
        self.request_ids: dict[tuple[str, int], str] = {}

    async def ask(self, case: Case, trial: int) -> Output:
        called = await self._call(str(case.input))
        try:
            answer = self._accepted(called)
        except Refused as exc:
            raise TargetError(f"the executor's answer was refused: {exc}") from exc
        self.request_ids[case.id, trial] = answer.provenance.request_id
        text = answer.output if self._settings.mode == "behavior" else answer.selected_skill
        return Output(
            text=self._tools.scrub(text or ""),
            latency_ms=int(called.seconds * 1000),
            tokens=answer.provenance.tokens,
            trial=trial,
        )

    async def _call(self, prompt: str) -> Called:
        settings = self._settings
        adapter = Adapter(
            command=settings.command, timeout_seconds=settings.timeout_seconds, pass_env=settings.pass_env
        )
        if self._archive is None:
            request = executor_request(
                condition=settings.condition, mode=settings.mode, prompt=prompt, plugin_archive=None
            )
            return await call_adapter(adapter, request, self._tools.environ)
        with ArchiveCopy(self._archive) as path:
            request = executor_request(
                condition=settings.condition, mode=settings.mode, prompt=prompt, plugin_archive=path
            )
            return await call_adapter(adapter, request, self._tools.environ)

    def _accepted(self, called: Called) -> ExecutorAnswer:
        if called.trouble is not None:
            raise Refused(called.trouble)
        return read_executor_answer(
            called.stdout,
            condition=self._settings.condition,
            mode=self._settings.mode,
            archive_sha256=None if self._archive is None else self._archive.sha256,
        )
