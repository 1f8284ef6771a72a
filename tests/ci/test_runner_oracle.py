"""The oracle against the rules it was written from."""

import pytest

from .runner_oracle import FileCommandError, Issue, Step, outputs_of, summary_is_shown


def test_a_command_starts_its_line_and_the_old_form_stands_anywhere():
    step = Step().prints("say ::error::no\n \t::error::yes\nsay ##[warning]old\n::unknown::x\n")
    assert step.issues == [Issue("error", "yes", {}), Issue("warning", "old", {})]
    assert step.log == ["say ::error::no", "::unknown::x", ""]


def test_names_are_case_insensitive_and_properties_are_unescaped_once():
    step = Step().prints("::ERROR file=a%3Ab,line=3,empty=,title=x%252C::50%25%0Aleft")
    assert step.issues == [Issue("error", "50%\nleft", {"file": "a:b", "line": "3", "title": "x%2C"})]


@pytest.mark.parametrize("line", ["::set-env name=a::b", "##[add-path]/x", "::echo::loud", "::stop-commands::error"])
def test_some_commands_fail_the_step(line: str):
    assert Step().prints(line).failed


def test_a_pause_holds_for_both_streams_until_its_token_comes_in_either_form():
    step = Step().prints("::stop-commands::LongToken\n::error::a")
    assert step.paused
    step.prints("##[error]b\n::stop-commands::x\n::longtoken::\n::error::c")
    assert [issue.message for issue in step.issues] == ["c"]
    assert step.masks == {"LongToken"}
    assert not Step().prints("::stop-commands::abcdef\nx ##[abcdef]").paused


def test_a_lone_carriage_return_ends_a_line():
    assert Step().prints("progress\r::error::x").issues == [Issue("error", "x", {})]


def test_the_eleventh_annotation_of_a_level_is_dropped():
    step = Step().prints("".join(f"::error::{number}\n" for number in range(11)) + "::notice::n")
    assert len(step.annotations("error")) == 10
    assert len(step.annotations("notice")) == 1


def test_messages_are_cut_in_utf_16():
    assert Step().prints("::error::" + "🙂" * 3_000).issues[0].message == "🙂" * 2_048


def test_outputs_follow_the_earlier_of_equals_and_heredoc():
    text = "a=1<<2\nb<<E=\nx\ny\nE=\na=3\n\nc<<D\nD\n"
    assert outputs_of(text) == {"a": "3", "b": "x\ny", "c": ""}


@pytest.mark.parametrize("text", ["a<<E\nx\n", "a<<\n", "<<E\nE\n", "words\n"])
def test_a_broken_output_file_fails_the_step(text: str):
    with pytest.raises(FileCommandError):
        outputs_of(text)


def test_a_summary_over_the_limit_is_dropped_whole():
    assert summary_is_shown(b"x" * 1_048_576)
    assert not summary_is_shown(b"x" * 1_048_577)
