"""The choice form of judging: a model picks one labelled choice, and what each is worth was settled beforehand."""

from collections.abc import Mapping, Sequence
from typing import Any

from evalci.scorers.judge_prompt import judge_prompt
from evalci.scorers.judge_reply import without_own_thoughts
from evalci.scorers.measures.choices import read_choice
from evalci.wording import plain_number, quoted, seen


class NoChoice(Exception):
    """The reply names no known choice, or several; the text says so."""


def check_choices(choices: Mapping[str, float]) -> str:
    """What is wrong with a table of choices, "" for nothing."""
    if not choices:
        return "a judge needs at least one choice"
    for label, worth in choices.items():
        if not isinstance(label, str) or not label.strip():
            return "a choice needs a label"
        if isinstance(worth, bool) or not isinstance(worth, (int, float)) or not 0 <= worth <= 1:
            shown = plain_number(worth) if isinstance(worth, (int, float)) else repr(worth)
            return f"choice {quoted(label)} is worth {shown}, outside the score range 0.0..=1.0"
    folded = [label.casefold() for label in choices]
    if len(set(folded)) < len(folded):
        return "two choices differ only in case, and a reply could not tell them apart"
    return ""


def choice_prompt(
    *,
    rubric: str,
    choices: Mapping[str, float],
    asked: Any,
    output: str,
    expected: Any = None,
    context: Sequence[str] | None = None,
) -> str:
    """The judge's prompt, which ends by asking for one label."""
    labels = ", ".join(choices)
    ask = f"Which choice fits the answer best? Reply with exactly one of these and nothing else: {labels}\n\nChoice:"
    return judge_prompt(rubric=rubric, asked=asked, output=output, expected=expected, context=context, ask=ask)


def chosen(reply: str, choices: Mapping[str, float], answer: str) -> str:
    """The label that a reply names. Raises `NoChoice` unless it is exactly one."""
    choice = read_choice(without_own_thoughts(reply, answer), choices)
    if choice is None:
        raise NoChoice(f"judge named no single one of the choices {', '.join(choices)}: {seen(reply)}")
    return choice
