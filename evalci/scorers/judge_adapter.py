"""What a judge adapter says of the output: the protocol of evidence runs in an ordinary suite. Never recorded."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from evalci.adapters.call import call_adapter
from evalci.adapters.envelopes import JudgeAnswer, Refused, judge_request, read_judge_answer
from evalci.adapters.settings import Adapter, check_there
from evalci.config.settings import Fault, setting
from evalci.model import Case, Output, Score
from evalci.scorers.calibrated import Calibrated, Calibration
from evalci.tools import Tools


@dataclass(frozen=True, kw_only=True, slots=True)
class AdapterJudge:
    """Starts the judge once per output and asks it for one binary verdict; the scorer's name is the assertion's id."""

    adapter: Adapter = setting(about="the judge to start: command, timeout_seconds, pass_env")
    rubric: str = setting(about="what must hold, as the judge is told it")
    severity: str = setting("blocker", about="told to the judge; it lifts nothing")
    calibrated: Calibrated | None = setting(None, about="human labels, and the agreement that it must keep")

    def check(self, who: str) -> Iterator[Fault]:
        for name in ("rubric", "severity"):
            if not getattr(self, name).strip():
                yield Fault(name, f"{who}: {name} must not be blank")

    @property
    def pass_env(self) -> tuple[str, ...]:
        """Variables whose values must be seen nowhere."""
        return self.adapter.pass_env

    def build(self, tools: Tools) -> "AdapterJudgeScorer":
        check_there(self.adapter.command, "adapter.command")
        calibration = None if self.calibrated is None else self.calibrated.load(tools, AdapterJudgeScorer.passing)
        return AdapterJudgeScorer(self, tools, calibration)


class AdapterJudgeScorer:
    """Asks, checks the envelope, and notes the request id of every accepted answer by case and trial."""

    passing = 1.0
    never_recorded = "adapter calls are never recorded"

    def __init__(self, settings: AdapterJudge, tools: Tools, calibration: Calibration | None) -> None:
        self.calibration = calibration
        self.request_ids: dict[tuple[str, int], str] = {}
        self._settings = settings
        self._tools = tools

    async def score(self, case: Case, output: Output) -> Score:
        about: dict[str, Any] = {"unvalidated": True}
        try:
            answer = await self._answer(case, output)
        except Refused as exc:
            return Score.broken(f"the judge's answer was refused: {exc}", metadata=about)
        scrub, provenance = self._tools.scrub, answer.provenance
        self.request_ids[case.id, output.trial] = provenance.request_id
        about |= {"provider": scrub(provenance.provider), "request_id": scrub(provenance.request_id)}
        value = 1.0 if answer.status == "passed" else 0.0
        return Score.graded(
            value, scrub(answer.reason), threshold=self.passing, metadata=about, tokens=provenance.tokens
        )

    async def _answer(self, case: Case, output: Output) -> JudgeAnswer:
        """The judge's verdict. Raises `Refused`."""
        settings = self._settings
        assertion = {
            "id": self._tools.name,
            "description": settings.rubric,
            "oracle": "llm_judge",
            "severity": settings.severity,
        }
        request = judge_request(case_id=case.id, prompt=str(case.input), output=output.text, assertion=assertion)
        called = await call_adapter(settings.adapter, request, self._tools.environ)
        if called.trouble is not None:
            raise Refused(called.trouble)
        return read_judge_answer(called.stdout)
