"""The regular expressions of schemas are ECMAScript's."""

import pytest

from evalci.scorers.patterns import PatternError
from evalci.scorers.schemas.patterns import TookTooLong, compile_ecma


@pytest.mark.parametrize(
    ("pattern", "matches", "misses"),
    [
        (r"^\d+$", ["42"], ["٣", "42\n", ""]),
        (r"^\w$", ["a", "_", "0"], ["é", "-"]),
        (r"^\W$", ["é", "-"], ["a"]),
        (r"^\s$", [" ", "\u00a0", "\ufeff", "\u2028", "\v"], ["a", "\u200b"]),
        (r"^\S$", ["a", "\u200b"], ["\u3000"]),
        (r"^[\s\d-]+$", ["1 -2\u00a0"], ["٣"]),
        (r"^[^\D]$", ["1"], ["a"]),
        (r"^[\W_]$", ["_", "é"], ["a"]),
        (r"^[a&&b]$", ["a", "&", "b"], ["c"]),
        (r"^[[a]$", ["[", "a"], ["]"]),
        (r"^[+--]$", ["+", ",", "-"], ["."]),
        (r"^[a-]$", ["a", "-"], ["b"]),
        (r"^[-a]$", ["a", "-"], ["b"]),
        (r"^[^-a]$", ["b"], ["a", "-"]),
        (r"^[|~]$", ["|", "~"], ["a"]),
        (r"^.$", ["a", "\u0085"], ["\n", "\r", "\u2028", "\u2029"]),
        (r"^\u00e9\x41\cJ$", ["éA\n"], ["eA\n"]),
        (r"^\u{1F600}$", ["\U0001f600"], ["u"]),
        (r"^\ud83d\ude00$", ["\U0001f600"], ["\ud83d"]),
        (r"^[\ud83d\ude00]$", ["\U0001f600"], ["a"]),
        (r"^\p{L}+$", ["é", "日本"], ["1"]),
        (r"^\p{Script=Greek}$", ["α"], ["a"]),
        (r"^(?<year>\d{4})-\/$", ["2026-/"], ["26-/"]),
        (r"^a{1,5000}$", ["a" * 5000], ["a" * 5001]),
        (r"^(?=.*\d)(?!.*secret)[\w ]+$", ["code 7"], ["code", "secret 7"]),
        (r"^(\w)\1$", ["aa"], ["ab", "éé"]),
        (r"(?<=\$)[.\d]+$", ["$4.20"], ["4.20", "$4.20\n"]),
        (r"^(?=[[\d])[\[\]1]+$", ["[1]"], ["]1"]),
        ("", ["", "anything"], []),
    ],
)
def test_a_pattern_means_what_it_means_in_javascript(pattern: str, matches: list[str], misses: list[str]) -> None:
    test = compile_ecma(pattern)
    assert [text for text in matches if not test(text)] == []
    assert [text for text in misses if test(text)] == []


@pytest.mark.parametrize("pattern", ["(", "[a", "*", r"\p{Elvish}", "(?=a", "a{3,2}", "\\"])
def test_what_is_no_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(PatternError):
        compile_ecma(pattern)


@pytest.mark.slow
def test_only_look_around_can_run_into_the_time_limit() -> None:
    assert not compile_ecma("^(a+)+$")("a" * 50_000 + "!")
    with pytest.raises(TookTooLong):
        compile_ecma("^(?=(a|aa)+$)")("a" * 60 + "!")
