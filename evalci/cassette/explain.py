"""Why a replay found nothing: the nearest recording, and what differs."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import Any

from evalci.calls import Call
from evalci.cassette.codec import Recording
from evalci.wording import quoted, snippet


class Explainer:
    """Finds the recording nearest to a call. Its index is made by the first miss, so a run without one pays nothing."""

    def __init__(self, recordings: Iterable[Recording]) -> None:
        self._by_input: dict[str, list[Recording]] = {}
        self._inputs: dict[str, list[str]] = {}
        for recording in recordings:
            request = recording.row["request"]
            text = request.get("input")
            if isinstance(text, str):
                self._by_input.setdefault(text, []).append(recording)
                self._inputs.setdefault(recording.row["kind"], []).append(text)
        for inputs in self._inputs.values():
            inputs.sort()

    def explain(self, call: Call) -> str:
        """What the nearest recording has that the call has not; empty when nothing is recorded of its kind."""
        asked = call.endpoint.request(call.input, call.trial)
        same_input = [r for r in self._by_input.get(call.input, ()) if r.row["kind"] == call.endpoint.kind]
        if same_input:
            nearest = min(same_input, key=lambda r: (len(list(_differences(r.row["request"], asked))), r.key))
            found = "; ".join(list(_differences(nearest.row["request"], asked))[:3])
            return f"the nearest recording has the same input, but {found}" if found else ""
        text = self._neighbour(call)
        if text is None:
            return ""
        return f"the nearest recording has another input: {_first_difference(text, call.input)}"

    def _neighbour(self, call: Call) -> str | None:
        """The recorded input that shares the longest beginning."""
        inputs = self._inputs.get(call.endpoint.kind, [])
        place = bisect_left(inputs, call.input)
        near = inputs[max(0, place - 1) : place + 1]
        return max(near, key=lambda text: _common(text, call.input), default=None)


def _differences(recorded: Any, asked: Any, path: str = "") -> Iterable[str]:
    if isinstance(recorded, Mapping) and isinstance(asked, Mapping):
        for key in sorted(recorded.keys() | asked.keys()):
            below = f"{path}.{key}" if path and path != "identity" else key
            yield from _differences(recorded.get(key), asked.get(key), below)
    elif recorded != asked or type(recorded) is not type(asked):
        yield f"{path} was {_shown(recorded)} and is now {_shown(asked)}"


def _shown(value: Any) -> str:
    if value is None:
        return "not set"
    return quoted(snippet(value, 60)) if isinstance(value, str) else snippet(str(value), 60)


def _first_difference(recorded: str, asked: str) -> str:
    at = _common(recorded, asked)
    start = max(0, at - 20)
    was, now = (quoted(snippet(text[start:], 60)) for text in (recorded, asked))
    return f"from character {at + 1} on it was {was} and is now {now}"


def _common(a: str, b: str) -> int:
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
