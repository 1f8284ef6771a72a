"""How good is the output, in the opinion of a model that is given a rubric? Not validated against human labels."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from evalci.calls import Call, Caller, CallError, Endpoint, no_live_call
from evalci.calls.cost import CostRates, check_rates
from evalci.calls.endpoint import chat_endpoint
from evalci.config.settings import Fault, setting
from evalci.model import Case, Output, Score
from evalci.scorers.judge_prompt import judge_prompt
from evalci.scorers.judge_reply import NoVerdict, read_verdict
from evalci.tools import Tools
from evalci.wording import plain_number, snippet


@dataclass(frozen=True, kw_only=True, slots=True)
class Judge:
    """Asks a chat model for a score from 0 to 1, and passes at `threshold`. Its replies are recorded and replayed."""

    url: str = setting(about="base URL of an OpenAI-compatible API, such as https://api.openai.com/v1")
    model: str = setting(about="the judging model's name")
    rubric: str = setting(about="what makes an answer good")
    api_key_env: str | None = setting(None, about="the environment variable that holds the key")
    threshold: float = setting(0.5, about="the lowest score that passes, 0 to 1")
    cost: CostRates | None = setting(None, about="what the judge's tokens cost")

    def check(self, who: str) -> Iterator[Fault]:
        if not 0.0 <= self.threshold <= 1.0:
            yield Fault("threshold", f"judge threshold {plain_number(self.threshold)} outside 0.0..=1.0")
        yield from check_rates(self.cost, who)

    def build(self, tools: Tools) -> "JudgeScorer":
        return JudgeScorer(self, chat_endpoint(self.url, self.model), tools.record(self._caller(tools)))

    def _caller(self, tools: Tools) -> Caller:
        """The live caller; a replay has no use for one and loads none of it."""
        if not tools.live:
            return no_live_call
        from evalci.calls.chat import ChatCaller

        return ChatCaller(
            tools.transport, api_key=tools.secret(self.api_key_env), scrub=tools.scrub, sleep=tools.clock.sleep
        )


class JudgeScorer:
    """Asks, reads the one verdict there is, and says of every score that nobody has measured how good the judge is."""

    def __init__(self, settings: Judge, endpoint: Endpoint, caller: Caller) -> None:
        self._settings = settings
        self._endpoint = endpoint
        self._caller = caller

    async def score(self, case: Case, output: Output) -> Score:
        settings = self._settings
        about: dict[str, Any] = {"unvalidated": True, "judge_model": settings.model}
        try:
            reply = await self._caller(self._call(case, output))
        except CallError as exc:
            return Score.broken(f"judge call failed: {exc}", metadata=about)
        rest = {
            "metadata": {**about, "judge_reply": snippet(reply.text)},
            "tokens": reply.tokens,
            "cost_usd": None if settings.cost is None else settings.cost.of(reply.tokens),
        }
        try:
            verdict = read_verdict(reply.text, output.text)
        except NoVerdict as exc:
            return Score.broken("; ".join((str(exc), *reply.notes)), **rest)
        return Score.graded(verdict.score, verdict.reason, threshold=settings.threshold, **rest)

    def _call(self, case: Case, output: Output) -> Call:
        prompt = judge_prompt(
            rubric=self._settings.rubric,
            asked=case.input,
            expected=case.expected,
            context=case.context,
            output=output.text,
        )
        label = f"judge:{case.id}"
        return Call(endpoint=self._endpoint, input=prompt, label=label, case_id=case.id, trial=output.trial)
