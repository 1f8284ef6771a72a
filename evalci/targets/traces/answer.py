"""The final answer of a run: what its last root span says that came out."""

from collections.abc import Iterator
from typing import Final

from evalci.targets.traces.messages import answer_in, last_text, numbered, numbered_messages, spoken_in
from evalci.targets.traces.spans import Event, Span, Timeline

# Kept as they are, whatever they hold.
_RAW: Final = ("output.value", "gen_ai.completion")
_MESSAGES: Final = "gen_ai.output.messages"
_NUMBERED: Final = ("gen_ai.completion", "llm.output_messages")


def final_answer(timeline: Timeline) -> str | None:
    """The answer of the root span that started last among those with one; of several that did, the last.

    Neither a span inside another nor a later root without an answer takes its place. A span without a start counts as
    the earliest.
    """
    best: str | None = None
    best_start = 0
    for span in timeline.roots:
        answer = answer_of(span)
        start = span.start or 0
        if answer is not None and (best is None or start >= best_start):
            best, best_start = answer, start
    return best


def answer_of(span: Span) -> str | None:
    """What the span itself says that came out, None when it says nothing."""
    return next(_answers(span), None)


def _answers(span: Span) -> Iterator[str]:
    """Every answer that can be read, the one to trust first."""
    attributes = span.attributes
    for key in _RAW:
        if isinstance(attributes.get(key), str):
            yield attributes[key]
    found = [answer_in(attributes.get(_MESSAGES))]
    found += [last_text(numbered_messages(attributes, prefix)) for prefix in _NUMBERED]
    found.append(last_text({"content": item.get("completion.text")} for item in numbered(attributes, "llm.choices")))
    found += [_event_answer(event) for event in reversed(span.events)]
    yield from (answer for answer in found if answer)


def _event_answer(event: Event) -> str | None:
    """An answer noted as an event: by the present name, by the first one, and by the one in between."""
    attributes = event.attributes
    for key in (_MESSAGES, "gen_ai.completion"):
        if key in attributes:
            return answer_in(attributes[key])
    if event.name != "gen_ai.choice":
        return None
    body = attributes.get("gen_ai.event.content")
    return spoken_in(attributes if body is None else body)
