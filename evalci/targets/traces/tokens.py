"""What the model calls of a run used up, each call counted once.

A span may carry the names of both conventions, an agent's span may carry the sum of the calls inside it, and two
libraries may each record the same call, one inside the other. Adding everything up would count all of these twice.
"""

from typing import Any, Final

from evalci.model import Tokens
from evalci.targets.traces.kinds import is_model_call, is_wrapper
from evalci.targets.traces.spans import Span, Timeline
from evalci.targets.traces.values import whole_number

_INPUT: Final = (
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.prompt_tokens",
    "llm.token_count.prompt",
    "llm.usage.prompt_tokens",
)
_OUTPUT: Final = (
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
    "llm.token_count.completion",
    "llm.usage.completion_tokens",
)
# A larger number is no count of tokens.
_MOST_TOKENS: Final = 2**53


def tokens_of(timeline: Timeline) -> Tokens | None:
    """The tokens of all calls, None when no span carries any."""
    counted = [(span, tokens) for span in timeline.spans if (tokens := usage(span)) is not None]
    covered = _Covered(timeline)
    for span, tokens in counted:
        if tokens.total:
            covered.climb_from(span)
    total: Tokens | None = None
    for span, tokens in counted:
        if not covered.repeats(span):
            total = tokens.plus(total)
    return total


def usage(span: Span) -> Tokens | None:
    """The span's own counts, under whichever names it has them; a half that is missing is 0."""
    asked, answered = _count(span, _INPUT), _count(span, _OUTPUT)
    return None if asked is None and answered is None else Tokens(asked or 0, answered or 0)


def _count(span: Span, keys: tuple[str, ...]) -> int | None:
    return next((count for key in keys if (count := _as_count(span.attributes.get(key))) is not None), None)


def _as_count(value: Any) -> int | None:
    number = whole_number(value)
    return number if number is not None and 0 <= number < _MOST_TOKENS else None


class _Covered:
    """Which spans have counts somewhere inside, and which have them with no agent or tool in between."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._inside: set[int] = set()
        self._directly: set[int] = set()

    def climb_from(self, span: Span) -> None:
        """Mark every span around one that has counts. What is marked already has been climbed from."""
        directly = not is_wrapper(span)
        around = self._timeline.parent(span)
        while around is not None:
            marked = self._directly if directly else self._inside
            if id(around) in marked:
                return
            self._inside.add(id(around))
            marked.add(id(around))
            directly = directly and not is_wrapper(around)
            around = self._timeline.parent(around)

    def repeats(self, span: Span) -> bool:
        """Are its counts those of spans inside it?

        A model call repeats what is directly inside: the same call, seen by another library. It has nothing to do
        with calls made by a tool or an agent inside. Any other span repeats whatever is inside.
        """
        return id(span) in (self._directly if is_model_call(span) else self._inside)
