"""The scorers of suites in Python. They share names with YAML types, but each has a meaning of its own."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from evalci import llm
from evalci.calls import CallError
from evalci.model import Score as Result
from evalci.scorers import factual
from evalci.scorers.choice_prompt import NoChoice, check_choices, choice_prompt, chosen
from evalci.scorers.close_number import judge_numbers
from evalci.scorers.field_match import judge_fields
from evalci.scorers.measures import distance
from evalci.scorers.measures.normalise import normalise
from evalci.scorers.python_score import Score
from evalci.scorers.signature import TAKES, arguments_of
from evalci.wording import plain_number, seen, snippet

F = TypeVar("F", bound=Callable[..., Any])
JUDGE_MODEL: Final = "gpt-4o-mini"
INLINE: Final = "__evalci_inline__"


def scorer(function: F) -> F:
    """The function as it is. One that could never be called as a scorer raises `TypeError` here, before a run."""
    arguments_of(function)
    return function


def exact(output: Any, expected: Any) -> Score:
    """Passes when both are equal, as Python compares them; `1` is not `"1"`."""
    if output == expected:
        return _verdict("exact", True)
    return _verdict("exact", False, reason=f"expected {_shown(expected)}, got {_shown(output)}")


def normalised_exact(output: Any, expected: Any) -> Score:
    """Passes when both are equal after folding case, white space and presentation punctuation."""
    given, wanted = normalise(output), normalise(expected)
    if given == wanted:
        return _verdict("normalised_exact", True, normalised_output=given)
    reason = f"expected {seen(wanted)}, got {seen(given)} (both normalised)"
    return _verdict("normalised_exact", False, reason=reason, normalised_output=given)


def contains(output: Any, expected: Any) -> Score:
    """Passes when the expected text is somewhere in the output, both normalised; an empty one is never found."""
    wanted = normalise(expected)
    if not wanted:
        reason = "the expected text is empty once normalised: every output would hold it (vacuous)"
        return _verdict("contains", False, reason=reason)
    if wanted in normalise(output):
        return _verdict("contains", True)
    return _verdict("contains", False, reason=f"expected output to contain {seen(wanted)}, got {_shown(output)}")


def regex_match(pattern: str, *, full: bool = False) -> Callable[[Any], Score]:
    """A scorer that passes when the pattern, in Python's syntax, matches somewhere, or the whole output."""
    compiled = re.compile(pattern)
    about = {"pattern": pattern, "full": full}

    def regex_match(output: Any) -> Score:
        text = str(output)
        if compiled.fullmatch(text) if full else compiled.search(text):
            return _verdict("regex_match", True, **about)
        wanted = "the whole output" if full else "output"
        return _verdict(
            "regex_match", False, reason=f"expected {wanted} to match /{pattern}/, got {seen(text)}", **about
        )

    return regex_match


def levenshtein(output: Any, expected: Any) -> Score:
    """One minus edits over the longer length, both normalised. No verdict."""
    value, edits = distance.levenshtein(output, expected)
    return Score(scorer_name="levenshtein", value=value, metadata={"distance": edits})


def ratio(output: Any, expected: Any) -> Score:
    """Twice the longest common subsequence over both lengths together, both normalised. No verdict."""
    return Score(scorer_name="ratio", value=distance.ratio(output, expected))


def close_to(*, rel_tol: float = 0.0, abs_tol: float = 0.0) -> Callable[[Any, Any], Score]:
    """A scorer that passes when the one number in the output is within the wider of two tolerances."""
    for name, tolerance in (("rel_tol", rel_tol), ("abs_tol", abs_tol)):
        if not 0 <= tolerance < float("inf"):
            raise ValueError(f"close_to: {name} cannot be negative or endless, got {plain_number(tolerance)}")

    def close_to(output: Any, expected: Any) -> Score:
        return _public("close_to", judge_numbers(output, expected, rel_tol=rel_tol, abs_tol=abs_tol))

    return _built_in(close_to)


def json_fields(*, require_all: bool = False) -> Callable[[Any, Any], Score]:
    """A scorer that gives the part of the expected fields that match; a verdict only with `require_all`."""

    def json_fields(output: Any, expected: Any) -> Score:
        return _public("json_fields", judge_fields(output, expected, require_all=require_all))

    return _built_in(json_fields)


def judge(
    rubric: str,
    choices: Mapping[str, float],
    *,
    include_expected: bool = True,
    model: str = JUDGE_MODEL,
    name: str = "judge",
) -> Callable[..., Any]:
    """A scorer that lets a model pick one of the labelled choices. Its worth is the value; there is no verdict.

    Nobody has measured how far the model agrees with people: every score says `unvalidated: true`.
    """
    problem = check_choices(choices)
    if problem:
        raise ValueError(f"{name}: {problem}")
    worth = dict(choices)

    async def judged(output: Any, expected: Any = None, case: Any = None) -> Score:
        about: dict[str, Any] = {"unvalidated": True, "judge_model": model}
        text = output if isinstance(output, str) else str(output)
        prompt = choice_prompt(
            rubric=rubric,
            choices=worth,
            asked="" if case is None else case.input,
            expected=expected if include_expected else None,
            context=None if case is None else case.context,
            output=text,
        )
        try:
            reply = await llm.acall(model, [{"role": "user", "content": prompt}])
        except CallError as exc:
            return Score(scorer_name=name, error=f"judge call failed: {exc}", metadata=about)
        about["judge_reply"] = snippet(reply.text)
        try:
            choice = chosen(reply.text, worth, text)
        except NoChoice as exc:
            return Score(scorer_name=name, error=str(exc), metadata=about)
        return Score(scorer_name=name, value=worth[choice], metadata={**about, "choice": choice})

    judged.__name__ = judged.__qualname__ = name
    setattr(judged, TAKES, ("output", "expected", "case"))
    return judged


def factuality(*, model: str = JUDGE_MODEL, name: str = "factuality") -> Callable[..., Any]:
    """A judge of whether the answer contradicts the reference; saying less, or more, is no contradiction."""
    return judge(factual.RUBRIC, factual.CHOICES, model=model, name=name)


def _verdict(name: str, passed: bool, **about: Any) -> Score:
    return Score(scorer_name=name, value=float(passed), passed=passed, metadata=about or None)


def _public(name: str, score: Result) -> Score:
    """A score of a shared measure, as Python code sees it."""
    about = dict(score.metadata or {})
    if score.error is not None:
        return Score(scorer_name=name, error=score.error, metadata=about or None)
    if score.reason:
        about["reason"] = score.reason
    return Score(scorer_name=name, value=score.value, passed=score.passed, metadata=about or None)


def _shown(value: Any) -> str:
    return seen(value) if isinstance(value, str) else snippet(repr(value))


def _built_in(function: F) -> F:
    """Marks a quick function of ours, which needs no thread of its own."""
    setattr(function, INLINE, True)
    return function


for _function in (exact, normalised_exact, contains, levenshtein, ratio):
    _built_in(_function)
