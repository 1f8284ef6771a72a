"""Reads the one verdict out of a judge's reply, and never one that the answer under judgement put there.

A reply that is a JSON object, bare or in one fence, is the judge's own word. Anything else is prose, in which the
answer may be quoted: there a verdict counts only when no other score is in sight and the answer does not propose it.
So nothing that an answer holds can turn a reply that fails into one that passes.
"""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from evalci.wording import plain_number, seen


@dataclass(frozen=True, slots=True)
class Verdict:
    """A score, 0 to 1, and the judge's reason, "" when it gave none."""

    score: float
    reason: str


class NoVerdict(Exception):
    """The reply holds no verdict that can be trusted; the text says why."""


def read_verdict(reply: str, answer: str) -> Verdict:
    """The judge's own verdict on `answer`. Raises `NoVerdict` when there is none, or more than one."""
    whole = _whole_object(reply)
    if whole is not None:
        return _in_range(_own_word(whole, reply, answer))
    spoken = _without_thoughts(reply)
    if spoken == reply:
        return _in_range(_from_prose(reply, answer, reply))
    if not _THINK_TAG.search(answer):
        whole = _whole_object(spoken)
        verdict = _from_prose(spoken, answer, reply) if whole is None else _own_word(whole, spoken, answer)
        return _in_range(verdict)
    # The tags may be quotes from the answer: what stands after them must be a verdict and nothing else, and what
    # stands before them must not disagree.
    if _whole_object(spoken) is None:
        raise _unparseable(reply)
    verdict, other = _from_prose(spoken, answer, reply), _from_prose(reply, answer, reply)
    if verdict.score != other.score:
        raise _ambiguous({verdict.score, other.score}, reply)
    return _in_range(verdict)


def without_own_thoughts(reply: str, answer: str) -> str:
    """The reply without the judge's think blocks; left whole where the tags may be quotes from the answer."""
    return reply if _THINK_TAG.search(answer) else _without_thoughts(reply)


def _own_word(whole: dict[str, Any], text: str, answer: str) -> Verdict:
    """The verdict of a reply that is one JSON object.

    Quotes that the judge forgot to escape could put a score of the answer's into it; then the judge's own is in it too.
    """
    verdict = _verdict(whole)
    if verdict is None:
        raise _unparseable(text)
    others = _scores(text) - {verdict.score}
    if others and verdict.score in _scores(answer):
        raise _ambiguous({verdict.score, *others}, text)
    return verdict


def _from_prose(text: str, answer: str, reply: str) -> Verdict:
    """The one verdict that stands somewhere in a text and is the judge's."""
    verdicts: list[Verdict] = []
    for found in _objects(text):
        verdict = _verdict(found)
        if verdict is not None:
            verdicts.append(verdict)
        elif "score" in found:
            raise _unparseable(reply)
    if not verdicts:
        raise _unparseable(reply)
    in_sight = {verdict.score for verdict in verdicts} | _scores(text) | _plain_scores(text)
    if len(in_sight) > 1:
        raise _ambiguous(in_sight, reply)
    if in_sight <= _scores(answer):
        raise NoVerdict(f"judge returned no verdict but one that the answer under judgement holds: {seen(reply)}")
    return verdicts[-1]


def _in_range(verdict: Verdict) -> Verdict:
    if not 0.0 <= verdict.score <= 1.0:
        raise NoVerdict(f"judge returned score {plain_number(verdict.score)} outside 0.0..=1.0")
    return verdict


def _unparseable(reply: str) -> NoVerdict:
    return NoVerdict(f"judge returned an unparseable verdict: {seen(reply)}")


def _ambiguous(scores: set[float], reply: str) -> NoVerdict:
    shown = " and ".join(plain_number(score) for score in sorted(scores)[:5])
    return NoVerdict(f"judge returned an ambiguous verdict, with the scores {shown}: {seen(reply)}")


# --- JSON objects in a text -------------------------------------------------------------------------------------------

# The prompt opens a fence already, so either end may be missing.
_FENCED: Final = re.compile(r"(?:```[ \t]*(?:json)?)?(.*?)(?:```)?", re.IGNORECASE | re.DOTALL)
_NUMBER: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
# A reply with more braces than this is no reply of a judge; looking at each of them could take for ever.
_MOST_BRACES: Final = 1000


def _whole_object(text: str) -> dict[str, Any] | None:
    """The JSON object that the text is, apart from white space and one fence around it."""
    fenced = _FENCED.fullmatch(text.strip())
    try:
        value = _DECODER.decode(fenced[1].strip() if fenced else "")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Every outermost JSON object in a text."""
    start = text.find("{")
    for _ in range(_MOST_BRACES):
        if start < 0:
            return
        try:
            found, end = _DECODER.raw_decode(text, start)
            yield found
        except (ValueError, RecursionError):
            end = start + 1
        start = text.find("{", end)
    raise _unparseable(text)


def _verdict(found: dict[str, Any]) -> Verdict | None:
    """The verdict that a JSON object is, None when it is none."""
    score, reason = _number(found.get("score")), found.get("reason")
    if score is None or not (reason is None or isinstance(reason, str)):
        return None
    return Verdict(score, reason or "")


def _number(value: Any) -> float | None:
    """A number, or a text that spells one; never a bool, never NaN or infinity."""
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    # Adding zero turns -0.0 into 0.0.
    return number + 0.0 if math.isfinite(number) else None


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The members of an object; one with two scores is none that can be read."""
    if sum(key == "score" for key, _ in pairs) > 1:
        raise ValueError("two scores in one object")
    return dict(pairs)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_refuse)


# --- scores in a text, whether or not they are JSON -------------------------------------------------------------------

_QUOTES: Final = r"[\"'`“”‘’*\\\s]*"
_MEMBER: Final = re.compile(rf"[\"'`“”‘’\\{{,]\s*score{_QUOTES}[:=]{_QUOTES}({_NUMBER.pattern})", re.IGNORECASE)
_LINE: Final = re.compile(
    rf"^[ \t>*_#-]*(?:(?:final|overall|my)\s+)?score{_QUOTES}[:=]{_QUOTES}({_NUMBER.pattern})"
    r"(?:\s*(?:/\s*([0-9]+(?:\.[0-9]+)?)|(%)))?",
    re.IGNORECASE | re.MULTILINE,
)
_BACKSLASHES: Final = re.compile(r"\\{2,}")
_ESCAPE: Final = re.compile(r"\\u([0-9a-fA-F]{4})")


def _scores(text: str) -> set[float]:
    """The values of all `score` members in a text, however they are escaped, in well-formed JSON or not."""
    text = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), _BACKSLASHES.sub(r"\\", text))
    values = (float(found[1]) for found in _MEMBER.finditer(text))
    return {value + 0.0 for value in values if math.isfinite(value)}


def _plain_scores(text: str) -> set[float]:
    """The values of lines such as `Score: 8/10`, as fractions."""
    found = (line.groups() for line in _LINE.finditer(text))
    values = (float(number) / (100.0 if percent else float(whole or 1) or 1.0) for number, whole, percent in found)
    return {value + 0.0 for value in values if math.isfinite(value)}


# --- thoughts ---------------------------------------------------------------------------------------------------------

_THINK_TAG: Final = re.compile(r"<(/?)\s*(think|thinking|thought|reasoning)\s*>", re.IGNORECASE)


def _without_thoughts(text: str) -> str:
    """The text without think blocks. The prompt may have opened one already, and a cut may have left one open."""
    kept: list[str] = []
    start = 0
    inside: str | None = None
    for tag in _THINK_TAG.finditer(text):
        closes, name = bool(tag[1]), tag[2].lower()
        if inside is None and not closes:
            kept.append(text[start : tag.start()])
            inside = name
        elif closes and inside in (None, name):
            kept = [] if inside is None else kept
            start, inside = tag.end(), None
    return "".join(kept) if inside else "".join((*kept, text[start:]))
