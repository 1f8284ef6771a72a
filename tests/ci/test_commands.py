"""What we print and write under Actions, judged by the runner's own rules."""

import itertools
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalci.ci.commands import Annotation, Level, annotate, guarded
from evalci.ci.file_commands import SUMMARY_BYTES, append_outputs, append_summary, output_text

from .runner_oracle import LEVELS, MESSAGE_UNITS, Step, outputs_of, summary_is_shown

HOSTILE = [
    "::set-env name=PATH::/evil",
    "  ::add-path::/evil",
    "x ##[add-mask]e",
    "##[SET-ENV name=x]y",
    "::stop-commands::pause-logging",
    "::stop-commands::",
    "a\r::error::boo",
    "a\r\n::save-state name=x::y",
    "\u2028::warning::w\u0085::notice::n",
    "::echo::maybe",
    "::" + "0" * 64 + "::",
    "##[" + "0" * 64 + "]",
    "::error file=a,line=1::%0A%25",
    "\x1b[0m::debug::d",
    "::add-matcher::/tmp/x.json",
]
texts = st.text(alphabet=st.sampled_from(list(":#[]% \n\r\tab,;=éx\u2028\u0085<E")), max_size=60) | st.sampled_from(
    HOSTILE
)


def tokens(*first: str):
    numbers = (f"{number:064x}" for number in itertools.count(1))
    return itertools.chain(first, numbers).__next__


@given(st.lists(texts, max_size=5))
@example(HOSTILE)
def test_pain_14_no_line_of_untrusted_text_is_a_command(parts: list[str]):
    """anothrNick/github-tag-action#357: only the guard's own pause is, and it ends."""
    step = Step().prints("".join(guarded(part, tokens()) for part in parts))
    assert {command.name for command in step.commands} <= {"stop-commands"}
    assert not step.failed
    assert not step.paused
    assert step.issues == []


@pytest.mark.parametrize("text", HOSTILE)
def test_pain_14_the_oracle_would_have_noticed(text: str):
    step = Step().prints(text)
    assert step.commands or "0" * 64 in text or text.startswith("\x1b") or "\u2028" in text


def test_pain_14_an_annotation_after_the_guard_still_counts():
    ours = annotate([Annotation(level=Level.ERROR, message="worse", file="cases.jsonl", line=3)])
    step = Step().prints(guarded("::stop-commands::x\nno newline at the end", tokens()) + ours)
    (issue,) = step.annotations("error")
    assert (issue.message, issue.properties) == ("worse", {"file": "cases.jsonl", "line": "3"})


def test_pain_15_each_block_has_a_token_of_its_own_that_its_text_does_not_hold():
    """actions/runner#807: the token is made after the text."""
    new_token = tokens()
    first, second = guarded("::a::", new_token), guarded("::a::", new_token)
    assert first != second
    knows = f"::{1:064x}::\n::set-env name=x::y"
    step = Step().prints(guarded(knows, tokens()))
    assert [command.name for command in step.commands] == ["stop-commands"]


@pytest.mark.parametrize("token", ["short", "error", "", "x" * 31, "-" * 40])
def test_pain_15_a_weak_token_is_refused(token: str):
    with pytest.raises(ValueError, match="32 letters"):
        guarded("::x::", lambda: token)


def test_text_without_anything_like_a_command_stays_as_it_is():
    assert guarded("plain: text\n", tokens()) == "plain: text\n"
    assert guarded("a ##[group]b", tokens()) == "a ## [group]b\n"
    assert guarded("", tokens()) == ""


@given(st.text(max_size=80) | texts, st.text(max_size=40) | texts, st.text(min_size=1, max_size=40) | texts)
def test_an_annotation_says_what_it_was_given(message: str, title: str, file: str):
    annotation = Annotation(level=Level.WARNING, message=message, title=title, file=file, line=7)
    step = Step().prints(annotate([annotation]))
    (issue,) = step.issues
    kept = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127))
    assert issue.message == (message.replace("\r\n", "\n").translate(kept) or "(no message)")
    assert issue.properties.get("line") == "7"
    assert not step.failed


@pytest.mark.parametrize("char", ["x", "🙂", "%", "\n", "é"])
def test_a_long_message_is_cut_within_what_the_runner_keeps(char: str):
    step = Step().prints(annotate([Annotation(level=Level.ERROR, message=char * 9_000)]))
    message = step.issues[0].message
    assert message.endswith("…")
    units = len(message.encode("utf-16-le")) // 2
    assert MESSAGE_UNITS - 2 <= units <= MESSAGE_UNITS


def test_of_ten_thousand_annotations_the_most_important_are_kept_and_the_rest_is_told():
    many = [Annotation(level=Level(level), message=f"{level} {n}") for n in range(10_000) for level in LEVELS]
    step = Step().prints(annotate(many))
    for level in LEVELS:
        kept = step.annotations(level)
        assert [issue.message for issue in kept[:9]] == [f"{level} {number}" for number in range(9)]
        assert kept[9].message == "9,991 more like these: see the step summary"
    assert len(step.issues) == 30
    assert step.issues[0].level == "error"


def test_ten_annotations_are_all_kept():
    step = Step().prints(annotate([Annotation(level=Level.NOTICE, message=str(n)) for n in range(10)]))
    assert [issue.message for issue in step.annotations("notice")] == [str(n) for n in range(10)]


@given(st.dictionaries(st.from_regex(r"[a-z][a-z_-]{0,8}", fullmatch=True), st.text(max_size=100) | texts, max_size=5))
def test_pain_16_outputs_come_back_as_they_went_in(values: dict[str, str]):
    """sreerevanth/repopilot#297: no value adds an output."""
    assert outputs_of(output_text(values, tokens())) == values


@pytest.mark.parametrize("value", ["EOF\nverdict=pass", "verdict=pass\n", "x\nevalci_0\nverdict=pass", "<<EOF"])
def test_pain_16_a_value_that_tries_cannot_turn_the_verdict(value: str):
    text = output_text({"verdict": "fail", "note": value}, tokens("0"))
    assert outputs_of(text) == {"verdict": "fail", "note": value}


def test_pain_17_an_output_is_a_short_fact():
    """actions/runner#1061: details belong into a file."""
    with pytest.raises(ValueError, match="1,001 characters"):
        output_text({"verdict": "x" * 1_001}, tokens())
    with pytest.raises(ValueError, match="cannot be named"):
        output_text({"a=b": "x"}, tokens())


def test_outputs_are_added_behind_a_line_that_was_left_open(tmp_path: Path):
    path = tmp_path / "output"
    path.write_bytes(b"earlier=1")
    append_outputs(path, {"verdict": "fail"}, tokens())
    append_outputs(path, {"score": "0.5"}, tokens())
    assert outputs_of(path.read_text()) == {"earlier": "1", "verdict": "fail", "score": "0.5"}


def test_pain_9_a_summary_stays_under_the_limit_whatever_was_written_before(tmp_path: Path):
    """actions/dependency-review-action#867: over the limit the runner drops all of it."""
    path = tmp_path / "summary"
    path.write_bytes(b"x" * 900_000)
    tiers = ["é" * 400_000, "é" * 60_000, "é" * 40_000, "short"]
    assert append_summary(path, tiers) == 2
    assert append_summary(path, tiers) == 3
    assert summary_is_shown(path.read_bytes())
    assert path.stat().st_size <= SUMMARY_BYTES


def test_pain_9_a_full_summary_is_left_alone(tmp_path: Path):
    path = tmp_path / "summary"
    path.write_bytes(b"x" * SUMMARY_BYTES)
    assert append_summary(path, ["a"]) is None
    assert path.stat().st_size == SUMMARY_BYTES


def test_a_summary_starts_on_a_line_of_its_own(tmp_path: Path):
    path = tmp_path / "summary"
    assert append_summary(path, ["# One"]) == 0
    path.write_bytes(path.read_bytes().rstrip())
    append_summary(path, ["# Two\n\n"])
    assert path.read_text() == "# One\n# Two\n"
