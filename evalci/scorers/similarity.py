"""How close is the output to the expected answer in meaning? Cosine of two embeddings, both recorded."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Final

from evalci.calls import Call, Caller, CallError, Endpoint, Reply, canonical
from evalci.calls.cost import CostRates, check_rates
from evalci.calls.endpoint import embeddings_endpoint
from evalci.config.settings import Fault, setting
from evalci.model import Case, Output, Score, Tokens
from evalci.scorers import ScorerError
from evalci.tools import Tools
from evalci.wording import plain_number, quoted

TOLERANCE: Final = 1e-9


@dataclass(frozen=True, kw_only=True, slots=True)
class Similarity:
    """Embeds `expected` and the output, and passes when their cosine similarity is at least `threshold`."""

    url: str = setting(about="base URL of an OpenAI-compatible API, such as https://api.openai.com/v1")
    model: str = setting(about="the embedding model's name")
    api_key_env: str | None = setting(None, about="the environment variable that holds the key")
    threshold: float = setting(0.8, about="the lowest cosine similarity that passes", low=-1, high=1)
    cost: CostRates | None = setting(None, about="what tokens cost; embeddings have input tokens only")

    def check(self, who: str) -> Iterator[Fault]:
        if not self.url:
            yield Fault("url", f"{who}: url must be non-empty")
        yield from check_rates(self.cost, who)

    def build(self, tools: Tools) -> "SimilarityScorer":
        endpoint = embeddings_endpoint(self.url, self.model)
        return SimilarityScorer(self, endpoint, tools.caller(lambda: self._live(tools)))

    def _live(self, tools: Tools) -> Caller:
        from evalci.calls.embeddings import EmbeddingsCaller

        return EmbeddingsCaller(
            tools.transport, api_key=tools.secret(self.api_key_env), scrub=tools.scrub, sleep=tools.clock.sleep
        )


class SimilarityScorer:
    """Compares vectors, live or recorded; the expected text is embedded before the output."""

    def __init__(self, settings: Similarity, endpoint: Endpoint, caller: Caller) -> None:
        self._settings = settings
        self._endpoint = endpoint
        self._caller = caller

    async def score(self, case: Case, output: Output) -> Score:
        if case.expected is None:
            return Score.missed(f"case {quoted(case.id)} has no `expected` to compare the output with")
        wanted = case.expected if isinstance(case.expected, str) else canonical(case.expected).decode("utf-8")
        expected = await self._embed(wanted, f"embed-expected:{case.id}", case, output)
        seen = await self._embed(output.text, f"embed-output:{case.id}", case, output)
        tokens = _sum(expected.tokens, seen.tokens)
        rates = self._settings.cost
        return judged(
            expected.vector or (),
            seen.vector or (),
            threshold=self._settings.threshold,
            tokens=tokens,
            cost_usd=None if rates is None else rates.of(tokens),
        )

    async def _embed(self, text: str, label: str, case: Case, output: Output) -> Reply:
        call = Call(endpoint=self._endpoint, input=text, label=label, case_id=case.id, trial=output.trial)
        try:
            return await self._caller(call)
        except CallError as exc:
            raise ScorerError(f"embedding call failed: {exc}") from exc


def judged(
    expected: Sequence[float],
    output: Sequence[float],
    *,
    threshold: float,
    tokens: Tokens | None = None,
    cost_usd: float | None = None,
) -> Score:
    """The verdict on two vectors: their raw cosine, or a failing score that says why there is none."""
    if len(expected) != len(output):
        reason = f"embedding dimensions differ ({len(expected)} vs {len(output)})"
        return Score.missed(reason, tokens=tokens, cost_usd=cost_usd)
    value = cosine(expected, output)
    if value is None:
        reason = "an embedding is all zeros or not finite, so there is no cosine similarity"
        return Score.missed(reason, tokens=tokens, cost_usd=cost_usd)
    passed = value >= threshold - TOLERANCE
    reason = "" if passed else f"cosine similarity {value:.4f} is below threshold {plain_number(threshold)}"
    return Score(value=value, passed=passed, reason=reason, tokens=tokens, cost_usd=cost_usd)


def cosine(a: Sequence[float], b: Sequence[float]) -> float | None:
    """The cosine of the angle between two vectors of one length, -1 to 1; None when it has no direction to measure.

    Equal vectors give exactly 1.0: the sums are exact, and the square root of a square is.
    """
    try:
        dot, square_a, square_b = (math.fsum(map(mul, x, y)) for x, y in ((a, b), (a, a), (b, b)))
    except (ValueError, OverflowError):
        return None
    length = math.sqrt(square_a * square_b)
    if not length or not math.isfinite(dot) or not math.isfinite(length):
        return None
    # What rounding adds past 1 is no similarity.
    return max(-1.0, min(1.0, dot / length))


def _sum(first: Tokens | None, second: Tokens | None) -> Tokens | None:
    """Tokens of both calls; unknown when either is."""
    return None if first is None or second is None else first.plus(second)
