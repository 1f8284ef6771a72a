"""How good is the output, in the opinion of a model that is given a rubric? Not validated against human labels."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from evalci.calls import Call, Caller, CallError, Endpoint, Reply
from evalci.calls.cost import CostRates, check_rates
from evalci.calls.endpoint import chat_endpoint
from evalci.config.settings import Fault, setting
from evalci.model import Case, Output, Score
from evalci.scorers import factual
from evalci.scorers.calibrated import Calibrated, Calibration
from evalci.scorers.choice_prompt import NoChoice, check_choices, choice_prompt, chosen
from evalci.scorers.judge_prompt import judge_prompt
from evalci.scorers.judge_reply import NoVerdict, read_verdict
from evalci.tools import Tools
from evalci.wording import plain_number, snippet


class Unstated(float):
    """A number that the suite did not write down."""


DEFAULT_THRESHOLD: Final = Unstated(0.5)


@dataclass(frozen=True, kw_only=True, slots=True)
class Judge:
    """Asks a chat model for a score from 0 to 1, or for one of the labelled choices. Its replies are recorded."""

    url: str = setting(about="base URL of an OpenAI-compatible API, such as https://api.openai.com/v1")
    model: str = setting(about="the judging model's name")
    rubric: str = setting(about="what makes an answer good")
    choices: Mapping[str, float] | None = setting(None, about="labels to choose from, and what each is worth, 0 to 1")
    include_expected: bool = setting(True, about="false keeps the case's expected from the judge")
    api_key_env: str | None = setting(None, about="the environment variable that holds the key")
    threshold: float | None = setting(
        DEFAULT_THRESHOLD, about="the lowest value that passes; 0.5, or with choices no verdict"
    )
    cost: CostRates | None = setting(None, about="what the judge's tokens cost")
    calibrated: Calibrated | None = setting(None, about="human labels, and the agreement that it must keep")

    def check(self, who: str) -> Iterator[Fault]:
        if self.threshold is not None and not 0.0 <= self.threshold <= 1.0:
            yield Fault("threshold", f"judge threshold {plain_number(self.threshold)} outside 0.0..=1.0")
        problem = "" if self.choices is None else check_choices(self.choices)
        if problem:
            yield Fault("choices", f"{who}: {problem}")
        if self.calibrated is not None and self.passing is None:
            hint = "say with `threshold` from which value on an answer passes"
            yield Fault("calibrated", f"{who}: without a threshold there is no verdict to compare with labels", hint)
        yield from check_rates(self.cost, who)

    @property
    def passing(self) -> float | None:
        """The value that passes, None when there is no verdict."""
        return None if self.choices is not None and isinstance(self.threshold, Unstated) else self.threshold

    def build(self, tools: Tools) -> "JudgeScorer":
        calibration = None
        if self.calibrated is not None and self.passing is not None:
            calibration = self.calibrated.load(tools, self.passing)
        endpoint = chat_endpoint(self.url, self.model)
        return JudgeScorer(self, endpoint, tools.caller(lambda: self._live(tools)), calibration)

    def _live(self, tools: Tools) -> Caller:
        from evalci.calls.chat import ChatCaller

        return ChatCaller(
            tools.transport, api_key=tools.secret(self.api_key_env), scrub=tools.scrub, sleep=tools.clock.sleep
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Factuality:
    """A judge of whether the answer contradicts `expected`; saying less, or more, is no contradiction."""

    url: str = setting(about="base URL of an OpenAI-compatible API, such as https://api.openai.com/v1")
    model: str = setting(about="the judging model's name")
    api_key_env: str | None = setting(None, about="the environment variable that holds the key")
    threshold: float | None = setting(None, about="the lowest score that passes; no verdict without")
    cost: CostRates | None = setting(None, about="what the judge's tokens cost")
    calibrated: Calibrated | None = setting(None, about="human labels, and the agreement that it must keep")

    def check(self, who: str) -> Iterator[Fault]:
        yield from self._judge.check(who)

    def build(self, tools: Tools) -> "JudgeScorer":
        return self._judge.build(tools)

    @property
    def _judge(self) -> Judge:
        return Judge(
            url=self.url,
            model=self.model,
            rubric=factual.RUBRIC,
            choices=factual.CHOICES,
            api_key_env=self.api_key_env,
            threshold=self.threshold,
            cost=self.cost,
            calibrated=self.calibrated,
        )


class JudgeScorer:
    """Asks, reads the one verdict there is, and says of every score that nobody has measured how good the judge is."""

    def __init__(
        self, settings: Judge, endpoint: Endpoint, caller: Caller, calibration: Calibration | None = None
    ) -> None:
        self.calibration = calibration
        self.passing = settings.passing
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
        about["judge_reply"] = snippet(reply.text)
        spent: dict[str, Any] = {
            "tokens": reply.tokens,
            "cost_usd": None if settings.cost is None else settings.cost.of(reply.tokens),
        }
        try:
            if settings.choices is not None:
                return self._chosen(reply, output, settings.choices, about, spent)
            verdict = read_verdict(reply.text, output.text)
        except (NoVerdict, NoChoice) as exc:
            return Score.broken("; ".join((str(exc), *reply.notes)), metadata=about, **spent)
        return Score.graded(verdict.score, verdict.reason, threshold=settings.passing, metadata=about, **spent)

    def _chosen(
        self,
        reply: Reply,
        output: Output,
        choices: Mapping[str, float],
        about: Mapping[str, Any],
        spent: Mapping[str, Any],
    ) -> Score:
        """The worth of the choice that the reply names. Raises `NoChoice`."""
        choice, threshold = chosen(reply.text, choices, output.text), self._settings.passing
        worth = float(choices[choice])
        short = threshold is not None and worth < threshold
        reason = f"the judge chose {choice}, worth {plain_number(worth)}" if short else ""
        return Score.graded(worth, reason, threshold=threshold, metadata={**about, "choice": choice}, **spent)

    def _call(self, case: Case, output: Output) -> Call:
        settings = self._settings
        shown: dict[str, Any] = {
            "rubric": settings.rubric,
            "asked": case.input,
            "expected": case.expected if settings.include_expected else None,
            "context": case.context,
            "output": output.text,
        }
        choices = settings.choices
        prompt = judge_prompt(**shown) if choices is None else choice_prompt(choices=choices, **shown)
        label = f"judge:{case.id}"
        return Call(endpoint=self._endpoint, input=prompt, label=label, case_id=case.id, trial=output.trial)
