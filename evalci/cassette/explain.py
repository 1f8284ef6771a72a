"""Why a replay found nothing: the nearest recording, and what differs."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from evalci.calls import Call, canonical
from evalci.cassette.codec import Recording
from evalci.wording import quoted, snippet

# Of recordings with the very same input, so many are compared; a dataset may ask one question a thousand times.
_MOST_COMPARED: Final = 50


class Explainer:
    """Finds the recording nearest to a call. Its index is made by the first miss, so a run without one pays nothing."""

    def __init__(self, recordings: Iterable[Recording]) -> None:
        self._by_input: dict[tuple[str, str], list[Recording]] = {}
        for recording in sorted(recordings, key=lambda r: r.key):
            row = recording.row
            text = row["request"].get("input")
            if isinstance(text, str):
                self._by_input.setdefault((row["kind"], text), []).append(recording)
        self._forwards = sorted(self._by_input)
        self._backwards = sorted((kind, text[::-1]) for kind, text in self._by_input)

    def explain(self, call: Call) -> str:
        """What the nearest recording has that the call has not; empty when nothing is recorded of its kind."""
        kind, text = call.endpoint.kind, call.input
        asked = call.endpoint.request(text, call.trial)
        same_input = self._by_input.get((kind, text), [])[:_MOST_COMPARED]
        if same_input:
            compared = [(list(_differences(r.row["request"], asked)), r.key) for r in same_input]
            found, key = min(compared, key=lambda one: len(one[0]))
            return f"{_name(key)} has the same input, but {'; '.join(found[:3])}" if found else ""
        near = self._neighbour(kind, text)
        if near is None:
            return ""
        return f"{_name(self._by_input[kind, near][0].key)} has another input: {_first_difference(near, text)}"

    def _neighbour(self, kind: str, text: str) -> str | None:
        """The recorded input that shares most of its beginning and end."""
        near = {found for of, found in _around(self._forwards, (kind, text)) if of == kind}
        near |= {found[::-1] for of, found in _around(self._backwards, (kind, text[::-1])) if of == kind}
        return max(sorted(near), key=lambda found: _shared(found, text), default=None)


def _name(key: str) -> str:
    return f"the nearest recording ({key[:12]}…)"


def _around(known: list[tuple[str, str]], wanted: tuple[str, str]) -> list[tuple[str, str]]:
    """The entries just before and after the place of a text; one of them shares its longest beginning."""
    place = bisect_left(known, wanted)
    return known[max(0, place - 1) : place + 1]


def _differences(recorded: Any, asked: Any, path: str = "") -> Iterator[str]:
    if isinstance(recorded, Mapping) and isinstance(asked, Mapping):
        for key in sorted(recorded.keys() | asked.keys()):
            below = f"{path}.{key}" if path and path != "identity" else key
            yield from _differences(recorded.get(key), asked.get(key), below)
    elif canonical(recorded) != canonical(asked):
        # A header's value may be a secret.
        is_header = path.startswith("http.headers")
        yield f"{path} differs" if is_header else f"{path} was {_shown(recorded)} and is now {_shown(asked)}"


def _shown(value: Any) -> str:
    if value is None:
        return "not set"
    return quoted(snippet(value, 60)) if isinstance(value, str) else snippet(canonical(value).decode(), 60)


def _first_difference(recorded: str, asked: str) -> str:
    at = _common(recorded, asked)
    start = max(0, at - 20)
    was, now = (quoted(snippet(text[start:], 60)) for text in (recorded, asked))
    return f"from character {at + 1} on it was {was} and is now {now}"


def _shared(a: str, b: str) -> int:
    """How many characters two texts share at their beginning and end."""
    start = _common(a, b)
    shortest = min(len(a), len(b)) - start
    return start + _common(a[len(a) - shortest :][::-1], b[len(b) - shortest :][::-1])


def _common(a: str, b: str) -> int:
    """The length of the longest common beginning, found by halving: inputs may be long."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
