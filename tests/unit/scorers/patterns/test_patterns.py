"""Patterns mean what they mean to Rust's `regex` crate.

`observed.jsonl` holds what regex 1.13 (Unicode 16) said: which texts a pattern matches, and which patterns it refuses.
Only characters that older Unicode tables know too are in it.
"""

import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalci.scorers.patterns import PatternError, compile_pattern

OBSERVED = [json.loads(line) for line in Path(__file__).with_name("observed.jsonl").read_text("utf-8").splitlines()]


def test_patterns_match_what_the_rust_engine_matches() -> None:
    wrong = []
    for row in OBSERVED:
        if "invalid" not in row:
            matches = compile_pattern(row["pattern"])
            wrong += [(row["pattern"], text) for text in row["matches"] if not matches(text)]
            wrong += [(row["pattern"], text) for text in row["misses"] if matches(text)]
    assert wrong == []


@pytest.mark.parametrize("pattern", [row["pattern"] for row in OBSERVED if "invalid" in row])
def test_patterns_that_the_rust_engine_refuses_are_refused(pattern: str) -> None:
    with pytest.raises(PatternError):
        compile_pattern(pattern)


# --- where Python's engine and Rust's agree: ASCII patterns and texts, no `$`, no repeated assertion --------------

_ATOMS = ("a", "b", "_", "1", " ", r"\.", r"\w", r"\W", r"\d", r"\s", r"\S", r"\b", r"\B", ".", "^")
_CLASSES = ("[a-c]", "[^a_]", r"[\w-]")
_TIMES = st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,3}", "*?"])


def _patterns(atoms: tuple[str, ...], *, folded: bool) -> st.SearchStrategy[str]:
    """Patterns out of these atoms, `folded` with parts that ignore case."""
    repeated = st.builds(
        lambda atom, times: atom + times if atom not in (r"\b", r"\B", "^") else atom, st.sampled_from(atoms), _TIMES
    )

    def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        choice = st.lists(inner, min_size=2, max_size=3).map("|".join).map("({})".format)
        row = st.lists(inner, min_size=2, max_size=3).map("".join)
        return choice | row | inner.map("(?i:{})".format) if folded else choice | row

    return st.recursive(st.lists(repeated, min_size=1, max_size=4).map("".join), grown, max_leaves=5)


_PATTERNS = _patterns((*_ATOMS, *_CLASSES), folded=True)
_ASCII = st.text("aAbB_1 .-\n", min_size=1, max_size=10)  # before 3.14 Python finds no \\B in an empty text


@given(_PATTERNS, _ASCII)
def test_on_ascii_patterns_agree_with_python(pattern: str, text: str) -> None:
    assert compile_pattern(pattern)(text) == (re.search(pattern, text, re.ASCII) is not None)


@given(_PATTERNS, _ASCII)
def test_full_means_the_whole_text(pattern: str, text: str) -> None:
    assert compile_pattern(pattern, full=True)(text) == (re.fullmatch(pattern, text, re.ASCII) is not None)


# Letters that Python and RE2 both call words, in place of ASCII ones: words fall at the same places.
_SAME_SHAPE = str.maketrans({"a": "é", "A": "É", "b": "日", "B": "Ω", "1": "٣", "-": "…"})


@given(_patterns(_ATOMS, folded=False), _ASCII)
@example(r"\b_", "_a")
@example(r"(\b|a)+_\B", "a_a")
@example(r"\W\B\W", " -")
def test_words_of_any_script_have_boundaries_where_words_of_ascii_do(pattern: str, text: str) -> None:
    other = pattern.replace("a", "é").replace("b", "日").replace(r"\日", r"\b")
    other = re.sub(r"(?<!\{)1", "٣", other)
    expected = re.search(pattern, text, re.ASCII) is not None
    assert compile_pattern(other)(text.translate(_SAME_SHAPE)) == expected


# --- time and size --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pattern", [r"^(a+)+$", r"\b(a+)+\b$", r"^(a|a)*$", r"(.*)*x", r"(?:a?){40}a{40}$"])
@pytest.mark.parametrize("letter", ["a", "é"])
def test_nested_repetition_costs_time_linear_in_the_text(pattern: str, letter: str) -> None:
    matches = compile_pattern(pattern.replace("a", letter))
    began = time.perf_counter()
    assert not matches(letter * 20_000 + ".")
    assert time.perf_counter() - began < 2


@pytest.mark.parametrize(
    ("pattern", "fits", "fits_not"),
    [
        ("^a{1001}$", 1001, 1000),
        ("^a{998,2003}$", 2003, 2004),
        ("^a{2000,}$", 2500, 1999),
        ("^(?:a{40}){40}$", 1600, 1599),
        ("^(?:(?:a{10}){10}){11,12}$", 1200, 1201),
        ("^(?:a{0,700}){2}$", 1400, 1401),
    ],
)
def test_repetitions_past_what_re2_counts_are_written_out(pattern: str, fits: int, fits_not: int) -> None:
    matches = compile_pattern(pattern)
    assert matches("a" * fits)
    assert not matches("a" * fits_not)


@pytest.mark.parametrize("pattern", ["(?:(?:a{1000}){1000}){1000}", r"(?:\w{1000}){1000}", "a{4000000000}"])
def test_a_pattern_past_all_memory_is_refused_at_once(pattern: str) -> None:
    with pytest.raises(PatternError, match="too large"):
        compile_pattern(pattern)


@pytest.mark.parametrize(("opening", "closing"), [("(", ")"), ("[", "]"), ("(a|", ")"), ("(?:a", ")*")])
def test_deep_nesting_is_refused_rather_than_running_out_of_stack(opening: str, closing: str) -> None:
    assert compile_pattern(opening * 50 + "a" + closing * 50)("a" * 51)
    with pytest.raises(PatternError, match="250 levels"):
        compile_pattern(opening * 5000 + "a" + closing * 5000)


# --- messages -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("(?<=a)b", "look-around is not possible in linear time"),
        (r"(a)\1", "back-references are not possible in linear time"),
        (r"\p{Elvish}", "unknown Unicode property Elvish"),
        (r"a\b{start}", "one-sided word boundaries are not supported here"),
        (r"\<a", "one-sided word boundaries are not supported here"),
        (r"\b(?-u:\b)", "in one pattern are not supported here"),
        ("(?mR)^a", "the flags m and R together are not supported here"),
        (r"\p{age=3.0}", "unknown Unicode property age=3.0"),
        ("(?<n>a)(?<n>b)", 'two groups are named "n"'),
        ("[b-a]", "the range b-a runs backwards"),
        ("a{3,2}", "from 3 to 2 times"),
        ("a{2,x}", "a repetition's numbers cannot be read"),
        ("a{99999999999}", "99999999999 repetitions are too many"),
        ("(?:" + "a{500}b" * 1000 + "){1000}", "the pattern is too large"),
        ("(?:(?:a{900}b){900}c){900}", "the pattern is too large"),
        (r"(?-u:\pL)", r"\p{L} needs Unicode"),
        ("(a", "a group is not closed"),
        ("a)", "a group is closed that was not opened"),
        ("*a", "a repetition has nothing to repeat"),
        (r"(?-u:\W)", "could match half a character"),
        ("a\ud800", "half a surrogate pair"),
    ],
)
def test_a_refusal_says_what_is_wrong(pattern: str, says: str) -> None:
    with pytest.raises(PatternError, match=re.escape(says)):
        compile_pattern(pattern)


def test_only_what_backtracking_could_do_points_to_it() -> None:
    errors = {}
    for pattern in ("(?=a)", r"(a)\1", "(a", r"\b{start}"):
        with pytest.raises(PatternError) as caught:
            compile_pattern(pattern)
        errors[pattern] = caught.value.look_around
    assert errors == {"(?=a)": True, r"(a)\1": True, "(a": False, r"\b{start}": False}


def test_half_a_surrogate_pair_in_a_text_is_a_character_like_any_other() -> None:
    assert compile_pattern("^a.b$")("a\ud800b")
    assert compile_pattern(r"^a\b.\bb$")("a\ud800b")
    assert not compile_pattern(r"\w")("\udfff")
